"""How close the formulas come to published measurements: reading, predicting, fitting, statistics. Knows no Django."""
