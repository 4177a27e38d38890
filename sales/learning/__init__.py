"""Learning: questions and explanations, each with a live number."""
