"""Quotes: numbered, frozen offers that can be sent, opened, compared and withdrawn."""
