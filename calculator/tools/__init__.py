"""One module a calculator, each with its `TOOL`."""
