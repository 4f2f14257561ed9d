"""Which of endoxa's own words a run of sentence pairs rests on."""

from __future__ import annotations

from endoxa.instruments.pairs.probe.items import chunks
from endoxa.instruments.pairs.probe.settings import PairsSettings
from endoxa.sources.sources import locate
from endoxa.words.used import Tally, Used, note_pair

_BUILT = "-pair"
"""In the ids of pairs that `endoxa build pairs` made."""


def words(settings: PairsSettings) -> Used:
    """Templates and opposites of pairs that `endoxa build pairs` made, and neutral identities of calibration.

    Raises:
        UserError: the data cannot be read.
    """
    tally = Tally()
    for chunk in chunks(locate(settings.data), settings):
        for item in chunk.items:
            language = str(item["language"])
            if settings.calibrate and item.get("identity"):
                tally.add("neutral identities", [language])
            if _BUILT in str(item["item_id"]):
                note_pair(tally, language, (str(item["sent_more"]), str(item["sent_less"])))
    return tally.used
