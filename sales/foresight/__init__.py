"""Foresight: what gives way first when more comes than today, and what would help."""
