"""Performance benchmarks: run by `make bench`, never part of the tests."""
