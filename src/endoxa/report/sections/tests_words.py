"""The words behind the tests: every set with its terms, as the runs keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endoxa.build.tests import read_tests
from endoxa.report.inputs import Run
from endoxa.report.words import language_name
from endoxa.schema import TermSet

TESTS = "tests.json"


@dataclass(frozen=True, slots=True)
class WordSet:
    """A set of words as it stands in one or several tests, finished texts.

    Attributes:
        name: what it stands for.
        language: name of its language, or empty.
        language_code: the code, or empty.
        texts: how many texts were encoded.
        words: its terms, or the texts themselves where the terms are not known.
    """

    name: str
    language: str
    language_code: str
    texts: int
    words: str


def word_sets(runs: Sequence[Run]) -> tuple[WordSet, ...]:
    """Every different set of the runs, in order of appearance; nothing where only a table was given.

    Raises:
        UserError: a run's tests cannot be read.
    """
    paths = [run.folder / TESTS for run in runs]
    tests = [test for path in paths if path.is_file() for test in read_tests(path)]
    found = {(test.language, part): None for test in tests for part in (test.x, test.y, test.a, test.b)}
    return tuple(_shown(language, part) for language, part in found)


def _shown(language: str, part: TermSet) -> WordSet:
    return WordSet(
        name=part.name,
        language=language_name(language) if language else "",
        language_code=language,
        texts=len(part.texts),
        words=", ".join(dict.fromkeys(part.terms or part.texts)),
    )
