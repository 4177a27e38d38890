"""Usage reports of API providers, read strictly: every problem at once, each with its line and column."""
