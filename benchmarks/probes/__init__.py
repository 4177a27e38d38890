"""Probes of a GPU's roofs. What they compute from their times stands here apart from what times them."""
