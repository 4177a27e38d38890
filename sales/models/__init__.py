"""Rows of the sales conversation."""
