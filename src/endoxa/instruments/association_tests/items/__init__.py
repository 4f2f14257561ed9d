"""Association tests: their file format, word lists, bleached templates and the crossing of groups."""

from endoxa.instruments.association_tests.items.associations import build_from_associations
from endoxa.instruments.association_tests.items.crossing import build_tests
from endoxa.instruments.association_tests.items.format import (
    distinct_texts,
    read_tests,
    require_tests_name,
    shared_words,
    texts_of,
    write_tests,
)
from endoxa.instruments.association_tests.items.lists import available, load_lists
from endoxa.instruments.association_tests.items.templates import load_templates

__all__ = [
    "available",
    "build_from_associations",
    "build_tests",
    "distinct_texts",
    "load_lists",
    "load_templates",
    "read_tests",
    "require_tests_name",
    "shared_words",
    "texts_of",
    "write_tests",
]
