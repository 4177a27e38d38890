"""Figures as plain dicts for the vendored plotly.js, each calculator's in the module of its name."""

from calculator.charts.staircase import Chart, Figure, Point, break_even

__all__ = ["Chart", "Figure", "Point", "break_even"]
