"""Which of endoxa's own words a run of sentence pairs rests on."""

from __future__ import annotations

from endoxa.instruments.pairs.probe.items import chunks
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.schema.provenance import BUILT_BY, WORDS
from endoxa.sources.sources import locate
from endoxa.words.used import Tally, Used


def words(settings: PairsSettings) -> Used:
    """What the pairs say they were made with, and neutral identities of calibration.

    Raises:
        UserError: the data cannot be read.
    """
    tally = Tally()
    for chunk in chunks(locate(settings.data), settings):
        for item in chunk.items:
            tally.add_stated(item[BUILT_BY], item[WORDS])
            if settings.calibrate and item["identity"]:
                tally.add("neutral identities", [item["language"]])
    return tally.used
