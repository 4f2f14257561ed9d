"""CrowS-Pairs' metric scores of masked models (Nangia et al. 2020, table 2)."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import PUBLISHED_FILE, Given, Standing
from endoxa.study.reproduce.scored import of_every_model, require_models, require_pairs, scored
from endoxa.study.reproduce.tables import from_user

NAME = "crows-pairs-table2"
HOME = "github.com/nyu-mll/crows-pairs (CC BY-SA 4.0): endoxa datasets download crows-pairs"
DATA = "crows_pairs_anonymized.csv"
PAIRS = 1508
MODELS = {
    "bert-base-uncased": ("hf/google-bert/bert-base-uncased", "hf/bert-base-uncased"),
    "roberta-large": ("hf/FacebookAI/roberta-large", "hf/roberta-large"),
    "albert-xxlarge-v2": ("hf/albert/albert-xxlarge-v2", "hf/albert-xxlarge-v2"),
}
"""Models of the table and their hub ids; the numbers of the table come from published.csv."""
RULES = ("crows-token",)
ESTIMATE = "crows_metric_score_rounded"
_TABLE, _OTHERS = "Table 2", "the authors' metric.py as others ran it"
_KNOWN = (
    "metric.py rounds scores to three digits before it compares, as here; versions of the checkpoint and of the "
    "tokenizer "
    "can differ"
)
_RUN = "github.com/Ej-zhou/BS (Note.md), as in endoxa's references.toml"


def _cells(given: Given) -> list[Cell]:
    held = (
        *(
            Cell(_TABLE, f"Metric score, {model}", None, Tolerance(0.05, "printed with 1 decimal"), _KNOWN)
            for model in MODELS
        ),
        Cell(
            _OTHERS,
            "Metric score, bert-base-uncased",
            60.48,
            Tolerance(0.005, "printed with 2 decimals"),
            _KNOWN,
            _RUN,
        ),
    )
    return from_user(held, given)


def _compute(given: Given) -> Mapping[Key, Ours]:
    path = given.need(NAME, HOME, DATA)
    require_models(RESULT, given)
    require_pairs(path)
    n = read_table(path).height
    other = "" if n == PAIRS else f"the file has {n:,} of the {PAIRS:,} pairs"
    found = {one.key: Ours(None, "no model was given for it (--model)") for one in _cells(given)}

    def of_one(one: Standing) -> dict[Key, Ours]:
        made: dict[Key, Ours] = {}
        table = scored(given, one, path, RULES).filter(name=ESTIMATE)
        why = "; ".join(text for text in (one.why, other) if text)
        for row in table.unique("axis", maintain_order=True).iter_rows(named=True):
            ours = Ours(row["value"], why, one.genuine and not other)
            if row["axis"] == "all":
                keys: tuple[Key, ...] = (
                    (_TABLE, f"Metric score, {one.label}"),
                    (_OTHERS, f"Metric score, {one.label}"),
                )
                keys = tuple(key for key in keys if key in found) or keys[:1]
            else:
                keys = ((_TABLE, f"{row['axis']}, {one.label}"),)
            made |= dict.fromkeys(keys, ours)
        return made

    return of_every_model(given, found, of_one)


RESULT = PublishedResult(
    name=NAME,
    title="CrowS-Pairs: metric scores of masked models (table 2)",
    citation="Nangia et al. 2020 (CrowS-Pairs), table 2",
    needs=(
        Need("file", DATA, HOME),
        Need(
            "weights",
            "any of BERT, RoBERTa and ALBERT",
            "the Hugging Face hub: --model hf/google-bert/bert-base-uncased ...",
        ),
        Need(
            "file",
            PUBLISHED_FILE,
            "the paper: its table 2 with columns table, cell, published",
            optional=True,
        ),
    ),
    cells=_cells,
    compute=_compute,
    models=MODELS,
    notes=(
        f"endoxa does not hold the numbers of table 2: write them into {PUBLISHED_FILE} in the data folder (table: "
        "Table 2; cell: "
        "`Metric score, bert-base-uncased`, or `race-color, bert-base-uncased` for a bias type). The one number held "
        "is from "
        "another run of the authors' program.",
    ),
)
