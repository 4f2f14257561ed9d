"""IndiBias' statistics of its pairs (appendix E, table 6): labels, bias types, sizes."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, rounding
from endoxa.study.reproduce.given import Given
from endoxa.study.reproduce.indibias import CITATION, HOME, NUMBER, PAIRS, not_all_pairs
from endoxa.study.reproduce.results.arithmetic import AXIS_SHARES

NAME = "indibias-composition"
_SIX, _TEXT = "Table 6", "4.2"
_WORDS = (
    "the paper does not say how it counts words; here they are cut at white space, both sentences of a pair"
)
_CELLS = (
    Cell(_TEXT, "pairs", NUMBER, EXACT, decimals=0),
    Cell(_SIX, "Stereo, percent", 81.84, rounding(2)),
    Cell(_SIX, "Antistereo, percent", 18.16, rounding(2)),
    *(Cell(_SIX, f"{axis}, percent", share, rounding(2)) for axis, share in AXIS_SHARES.items()),
    Cell(_SIX, "Avg. Word Len English", 12.77, rounding(2), _WORDS),
    Cell(_SIX, "Avg. Word Len Hindi", 15.54, rounding(2), _WORDS),
)


def _compute(given: Given) -> Mapping[Key, Ours]:
    path = given.need(NAME, HOME, *PAIRS)
    texts = ("modified_eng_sent_more", "modified_eng_sent_less", "sent_more_hindi", "sent_less_hindi")
    table = read_table(path, (*texts, "bias_type", "stereo_antistereo"))
    n, other = table.height, not_all_pairs(table.height)
    labels = [str(cell).strip().lower() for cell in table["stereo_antistereo"]]
    axes = [str(cell).strip().lower() for cell in table["bias_type"]]
    values = {
        (_TEXT, "pairs"): n,
        (_SIX, "Stereo, percent"): 100 * labels.count("stereo") / n,
        (_SIX, "Antistereo, percent"): 100 * labels.count("antistereo") / n,
        **{(_SIX, f"{axis}, percent"): 100 * axes.count(axis.lower()) / n for axis in AXIS_SHARES},
    }
    for name, columns in (("English", texts[:2]), ("Hindi", texts[2:])):
        words = [len(str(cell).split()) for column in columns for cell in table[column]]
        values[_SIX, f"Avg. Word Len {name}"] = sum(words) / len(words)
    return {key: Ours(value, other, not other) for key, value in values.items()}


RESULT = PublishedResult(
    name=NAME,
    title="IndiBias: labels, bias types and sentence lengths of its pairs (table 6)",
    citation=f"{CITATION}, 4.2 and appendix E, table 6",
    needs=(Need("file", " or ".join(PAIRS), f"{HOME} (a sample of 561 of the 800 pairs is public)"),),
    cells=lambda _given: list(_CELLS),
    compute=_compute,
)
