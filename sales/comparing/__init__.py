"""Comparing: up to four scenarios side by side."""
