"""Outlook: why a verdict is what it is, and what would have to be true for another."""
