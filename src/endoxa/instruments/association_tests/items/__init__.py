"""Association tests: their file format, word lists, bleached templates and the crossing of groups."""

from endoxa.instruments.association_tests.items.associations import Contrast
from endoxa.instruments.association_tests.items.build import (
    BuildOptions,
    available,
    build_from_associations,
    build_tests,
    sentences_per_term,
)
from endoxa.instruments.association_tests.items.format import read_tests, require_tests_name, write_tests
from endoxa.instruments.association_tests.items.lists import load_lists
from endoxa.instruments.association_tests.items.templates import load_templates

__all__ = [
    "BuildOptions",
    "Contrast",
    "available",
    "build_from_associations",
    "build_tests",
    "load_lists",
    "load_templates",
    "read_tests",
    "require_tests_name",
    "sentences_per_term",
    "write_tests",
]
