"""Which of endoxa's own words a run of association tests rests on."""

from __future__ import annotations

from pathlib import Path

from endoxa.instruments.association_tests.items import read_tests
from endoxa.instruments.association_tests.probe.settings import EmbeddingsSettings
from endoxa.words.used import Tally, Used


def words(settings: EmbeddingsSettings) -> Used:
    """Words that the tests say they were made with.

    Raises:
        UserError: the tests cannot be read.
    """
    tally = Tally()
    for test in read_tests(Path(settings.tests)):
        if not settings.languages or test.language in settings.languages:
            tally.add_stated(test.built_by, test.words)
    return tally.used
