"""People, their rights and how they come in: login, second factor, passwords, groups."""
