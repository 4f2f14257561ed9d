"""Association tests: their file format, word lists, bleached templates and the crossing of groups."""

from endoxa.instruments.association_tests.items.build import (
    available,
    build_from_associations,
    build_tests,
)
from endoxa.instruments.association_tests.items.format import (
    distinct_texts,
    read_tests,
    require_tests_name,
    shared_words,
    texts_of,
    write_tests,
)
from endoxa.instruments.association_tests.items.lists import load_lists
from endoxa.instruments.association_tests.items.templates import load_templates
from endoxa.instruments.association_tests.options import BuildOptions, Contrast, sentences_per_term

__all__ = [
    "BuildOptions",
    "Contrast",
    "available",
    "build_from_associations",
    "build_tests",
    "distinct_texts",
    "load_lists",
    "load_templates",
    "read_tests",
    "require_tests_name",
    "sentences_per_term",
    "shared_words",
    "texts_of",
    "write_tests",
]
