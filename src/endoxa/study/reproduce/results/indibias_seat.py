"""IndiBias' association tests of intersectional groups (tables 3, 4 and 9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from endoxa.errors import UserError
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given, Standing
from endoxa.study.reproduce.indibias import CITATION, LANGUAGES, MODELS, SPELLINGS, UNNAMED
from endoxa.study.reproduce.scored import encoded, of_every_model, require_models
from endoxa.study.reproduce.tables import printed

NAME = "indibias-seat"
POOLING = "cls"
WHERE = "the word lists of appendix G are in endoxa (`endoxa build tests --list`)"
ATTRIBUTES = {"C/F": "career-family", "N/V": "violence", "P/U": "pleasant-unpleasant"}
AXES = {
    "3": (("gender", "religion"), ("career-family", "violence")),
    "4": (("gender", "caste"), ("pleasant-unpleasant",)),
} | {"9": (("gender", "age"), ("pleasant-unpleasant",))}
"""Table -> axes to cross and pairs of attributes."""
_KNOWN = (
    f"{UNNAMED}; the paper prints two examples of its sentences and no more, so they are endoxa's own here; and it "
    "does not say "
    "whose names stand for all men, women, Hindus and Muslims (here those of appendix G together)"
)
_SENTENCES = Tolerance(0.1, "our choice: other sentences stand around the same words")
_OWN_HINDI = "the Hindi words and sentences are endoxa's own drafts, the paper's are not printed"


def our_name(row: str) -> str:
    """Our name of a test, without the language: 'hindu_male/muslim_female/violence'.

    Raises:
        ValueError: a row of the printed tables that has no such form.
    """
    found = re.fullmatch(r"(.+)/ (.+?)(?: Names| Terms), (./.)", row)
    if found is None:
        raise ValueError(f"'{row}' names no test")
    groups = [re.sub(r" caste", "-caste", part.lower()).replace(" ", "_") for part in found.groups()[:2]]
    return "/".join([*groups, ATTRIBUTES[found[3]]])


def _cells(_given: Given) -> list[Cell]:
    rows = printed("indibias").to_dicts()
    return [
        Cell(
            f"Table {row['table']}",
            _cell(row["row"], row["language"], _model(row["model"])),
            float(row["value"]),
            _SENTENCES,
            _KNOWN,
            decimals=3,
        )
        for row in rows
        if row["table"] in AXES
    ]


def _model(name: str) -> str:
    return SPELLINGS.get(name, name)


def _cell(row: str, language: str, model: str) -> str:
    return f"{row}, {language}, {model}"


def _compute(given: Given) -> Mapping[Key, Ours]:
    require_models(RESULT, given)
    found = {one.key: Ours(None, "no model was given for it (--model)") for one in _cells(given)}
    rows = [
        (row["table"], row["row"])
        for row in printed("indibias").unique(["table", "row"], maintain_order=True).to_dicts()
    ]
    path = _write_tests(given)
    pooling = given.pooling or POOLING
    pooled = "" if pooling == POOLING else f"pooled with {pooling}, published with {POOLING}"

    def of_one(one: Standing) -> dict[Key, Ours]:
        made: dict[Key, Ours] = {}
        effects = {
            row["test"]: row["effect_size"]
            for row in encoded(given, one, path, (pooling,)).iter_rows(named=True)
        }
        for table, row in rows:
            if table not in AXES:
                continue
            for language, code in LANGUAGES.items():
                key = (f"Table {table}", _cell(row, language, one.label))
                name = f"{code}/{our_name(row)}"
                other = _OWN_HINDI if code == "hi" else ""
                why = "; ".join(text for text in (one.why, other, pooled) if text)
                if key in found or one.label == one.model:
                    made[key] = Ours(effects.get(name), why, one.genuine and not (other or pooled))
        return made

    return of_every_model(given, found, of_one)


def _write_tests(given: Given) -> Path:
    """tests.json in the folder: every test of the three tables."""
    from endoxa.instruments.association_tests.items import build_tests, write_tests
    from endoxa.instruments.association_tests.options import BuildOptions

    codes = tuple(LANGUAGES.values())
    tests = [
        test
        for axis, attribute in (("gender", "career-family"), ("religion", "violence"))
        for test in build_tests(
            BuildOptions(axes=(axis,), attributes=(attribute,), languages=codes, wanted="indibias-names")
        )
    ]
    for axes, attributes in AXES.values():
        tests += build_tests(BuildOptions(axes=axes, attributes=attributes, languages=codes))
    path = given.out / "runs" / "tests.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"The folder {path.parent} cannot be created: {problem.strerror}.") from problem
    write_tests(tests, path)
    return path


RESULT = PublishedResult(
    name=NAME,
    title="IndiBias: association tests of gender with religion, caste and age (tables 3, 4 and 9)",
    citation=f"{CITATION}, 6.2, tables 3 and 4; appendix I, table 9",
    needs=(
        Need(
            "weights", "any of the ten models", "the Hugging Face hub: --model hf/google/muril-base-cased ..."
        ),
        Need("nothing", "word lists", WHERE),
    ),
    cells=_cells,
    compute=_compute,
    models=MODELS,
    notes=(
        "The vector of a sentence is that of its first token (pooling `cls`), as in appendix B. The paper does not "
        "say what stands "
        "for it in decoders, so encoders are what can be recomputed.",
    ),
)
