"""The programming interface under /api/v1/: the same questions and answers as the pages, as data."""
