"""Association tests: their file format, word lists, bleached templates and the crossing of groups."""

from endoxa.build.tests.format import read_tests, write_tests

__all__ = ["read_tests", "write_tests"]
