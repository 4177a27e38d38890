"""Bills: the usage export of an API provider, put to every option."""
