"""The first 20 pairs of IndiBias' sample under the tiny encoder, against an independent program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given, Standing
from endoxa.study.reproduce.indibias import HOME, LANGUAGES
from endoxa.study.reproduce.scored import of_every_model, require_models, require_pairs, run_pairs

NAME = "indibias-reference"
WHERE = "the shared reference data"
PAIRS, EXPECTED = "IndiBias_v1_sample.csv", "indibias_{}_word_level_first20.csv"
MODEL = "tiny-bert"
RULES = {
    f"crows-word-{words}-{masked}": (words, masked)
    for words in ("ws", "pretok")
    for masked in ("tok", "whole")
}
ROWS = 20
_SCORES = Tolerance(1e-4, "the README's tolerance: floating point of another program")


def _cells(given: Given) -> list[Cell]:
    return list(_expected(given))


def _expected(given: Given) -> Iterator[Cell]:
    for language in LANGUAGES.values():
        path = given.need(
            NAME, WHERE, EXPECTED.format(language), f"../reference_scores/{EXPECTED.format(language)}"
        )
        for row in read_table(path, ("row", "ws_n_u_tokens")).iter_rows(named=True):
            for rule, (words, masked) in RULES.items():
                for side in ("more", "less"):
                    value = float(row[f"{words}_{masked}_{side}_sum"]) / float(row[f"{words}_n_u_tokens"])
                    yield Cell(
                        f"{rule}, {language}", f"row {row['row']}, sent_{side}", value, _SCORES, decimals=4
                    )


def _compute(given: Given) -> Mapping[Key, Ours]:
    import polars as pl

    require_models(RESULT, given)
    path = given.need(NAME, HOME, PAIRS, f"../indibias/{PAIRS}")
    require_pairs(path)
    found = {one.key: Ours(None, "no model was given for it (--model)") for one in _cells(given)}

    def of_one(one: Standing) -> dict[Key, Ours]:
        made: dict[Key, Ours] = {}
        for language in LANGUAGES.values():
            folder = run_pairs(
                given, one, path, tuple(RULES), part=language, languages=(language,), limit=ROWS
            )
            records = pl.read_parquet(folder / "records.parquet").filter(model=one.model)
            for rule, part in records.group_by("rule", maintain_order=True):
                # Records of a rule stand in the order of the file.
                for number, row in enumerate(part.iter_rows(named=True)):
                    for side in ("more", "less"):
                        key = (f"{rule[0]}, {language}", f"row {number}, sent_{side}")
                        made[key] = Ours(row[f"score_{side}"], one.why, one.genuine)
        return made

    return of_every_model(given, found, of_one, one_model=True)


RESULT = PublishedResult(
    name=NAME,
    title="IndiBias' word-level score, four readings of it, on the tiny reference encoder",
    citation="README and indibias_*_word_level_first20.csv of the shared reference scores",
    needs=(
        Need("file", f"{PAIRS} (also ../indibias/{PAIRS})", HOME),
        Need("file", EXPECTED.format("en") + " and hi (also in ../reference_scores)", WHERE),
        Need("weights", "tiny-bert", "the shared reference data: --model tiny-bert=hf/FOLDER"),
    ),
    cells=_cells,
    compute=_compute,
    models={MODEL: ("sha256:97e8783fa7dbaf20265b17fb9ae8fb4e959725b46169e311bf32926a750bafc9",)},
)
