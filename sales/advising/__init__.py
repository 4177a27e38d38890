"""Advice: from a need to ranked offers."""
