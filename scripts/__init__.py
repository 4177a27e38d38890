"""Set-up helpers behind the Makefile: nothing here is imported by the product."""
