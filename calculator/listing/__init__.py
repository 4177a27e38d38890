"""Rows of the catalogue's pages, ready to print: every number already text, with its badge and its key for sorting."""
