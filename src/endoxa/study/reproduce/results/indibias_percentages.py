"""IndiBias' bias percentages of eight models in English and Hindi (table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given, Standing
from endoxa.study.reproduce.indibias import CITATION, HOME, LANGUAGES, MODELS, PAIRS, UNNAMED, not_all_pairs
from endoxa.study.reproduce.results.arithmetic import AXIS_SHARES
from endoxa.study.reproduce.scored import of_every_model, require_models, require_pairs, scored
from endoxa.study.reproduce.tables import printed

if TYPE_CHECKING:
    import polars as pl

NAME = "indibias-percentages"
TABLE, MEAN, SPREAD = "Table 2", "ICS (mean)", "ICS (std-dev)"
RULES = ("crows-word", "mean", "completion-mean")
ESTIMATE = "bias_percentage_literal"
_KNOWN = (
    f"{UNNAMED}; the paper prints means with a standard deviation over samples that it does not describe; and it "
    "leaves open "
    "what a word is and whether its tokens are masked together (docs/methods/scoring-rules.md)"
)


def _cells(_given: Given) -> list[Cell]:
    rows = printed("indibias").filter(table="2").to_dicts()
    spread = {(row["language"], row["model"]): float(row["value"]) for row in rows if row["row"] == SPREAD}
    return [
        Cell(
            TABLE,
            f"{row['row']}, {row['language']}, {row['model']}",
            float(row["value"]),
            _tolerance(row["row"], spread[row["language"], row["model"]]),
            _KNOWN,
        )
        for row in rows
        if row["row"] != SPREAD
    ]


def _tolerance(row: str, spread: float) -> Tolerance:
    """Two printed standard deviations of the mean; those of an axis are larger as it has fewer pairs."""
    if row == MEAN:
        return Tolerance(2 * spread, "two of the printed standard deviations")
    share = AXIS_SHARES[row] / 100
    return Tolerance(
        2 * spread / sqrt(share),
        "two of the printed standard deviations of the mean, over the root of the axis' share of the pairs (table 6)",
    )


def _compute(given: Given) -> Mapping[Key, Ours]:
    path = given.need(NAME, HOME, *PAIRS)
    require_models(RESULT, given)
    require_pairs(path)
    other = not_all_pairs(read_table(path).height)
    found = {one.key: Ours(None, "no model was given for it (--model)") for one in _cells(given)}

    def of_one(one: Standing) -> dict[Key, Ours]:
        made: dict[Key, Ours] = {}
        why = "; ".join(text for text in (one.why, other) if text)
        for language, code in LANGUAGES.items():
            table = scored(given, one, path, RULES, part=code, languages=(code,))
            for row, value in _percentages(table).items():
                made[TABLE, f"{row}, {language}, {one.label}"] = Ours(value, why, one.genuine and not other)
        return made

    return of_every_model(given, found, of_one)


def _percentages(table: pl.DataFrame) -> dict[str, float]:
    """Bias percentage by row of table 2; axes are told apart whatever their capitals."""
    axes = {axis.lower(): axis for axis in AXIS_SHARES}
    rows = table.filter(name=ESTIMATE).unique("axis", maintain_order=True).iter_rows(named=True)
    named = {
        MEAN if row["axis"] == "all" else axes.get(row["axis"].lower(), row["axis"]): row["value"]
        for row in rows
    }
    return {name: named[name] for name in (*AXIS_SHARES, MEAN) if name in named}


RESULT = PublishedResult(
    name=NAME,
    title="IndiBias: bias percentages of eight models in English and Hindi (table 2)",
    citation=f"{CITATION}, 6.1, table 2",
    needs=(
        Need("file", " or ".join(PAIRS), f"{HOME} (a sample of 561 of the 800 pairs is public)"),
        Need(
            "weights",
            "any of the eight models",
            "the Hugging Face hub: --model hf/google/muril-base-cased ...",
        ),
    ),
    cells=_cells,
    compute=_compute,
    models={
        name: MODELS[name]
        for name in ("Muril", "XLMR", "Bernice", "IndicBERT", "mBART", "mT5", "mGPT", "Bloom")
    },
    notes=(
        "Encoders are scored by shared words, each masked whole (rule `crows-word`); decoders and encoder-decoders "
        "by their "
        "mean log-probability. The percentage is the paper's 6.1.1 as written (`bias_percentage_literal`).",
    ),
)
