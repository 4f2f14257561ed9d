"""Which of endoxa's own words a run of association tests rests on."""

from __future__ import annotations

import re
from pathlib import Path

from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.probe.settings import EmbeddingsSettings
from endoxa.words.used import Tally, Used

_LISTS = re.compile(r"(?:groups|attributes): [^;]*\bendoxa\b")
_SENTENCES = re.compile(r"sentences: endoxa\b")


def words(settings: EmbeddingsSettings) -> Used:
    """Lists and sentence templates that the sources of the tests name.

    Raises:
        UserError: the tests cannot be read.
    """
    tally = Tally()
    for test in read_tests(Path(settings.tests)):
        if settings.languages and test.language not in settings.languages:
            continue
        if _LISTS.search(test.source):
            tally.add("word lists", [test.language])
        if _SENTENCES.search(test.source):
            tally.add("association templates", [test.language])
    return tally.used
