"""Associations in the small example of stories, against the reference program's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given
from endoxa.study.reproduce.stories import STORIES

NAME = "stereotales-example"
TABLES, ASSOCIATIONS = "expected_tables.csv", "expected_associations.csv"
WHERE = "the shared reference data"
_TOTALS, _TABLES, _CELLS = "totals", "attribute level", "value level"
_DIGITS = Tolerance(1e-9, "deterministic; printed with 12 digits")
_DRAWN = "the p-value is drawn; within Monte Carlo error of the threshold tables are left out (decision_stable = 0)"


def _table_name(row: Mapping[str, Any]) -> str:
    return f"{row['base_attribute']} x {row['compared_attribute']}"


def _cell_name(row: Mapping[str, Any]) -> str:
    return f"{row['base_attribute']}: {row['base_value']} -> {row['compared_attribute']}: {row['compared_value']}"


def _cells(given: Given) -> list[Cell]:
    return list(_expected(given))


def _expected(given: Given) -> Iterator[Cell]:
    tables = read_table(
        given.need(NAME, WHERE, TABLES), ("base_attribute", "compared_attribute", "significant")
    )
    cells = read_table(
        given.need(NAME, WHERE, ASSOCIATIONS), ("base_value", "compared_value", "lift", "paper_rule")
    )
    tested = tables.filter(status="tested")
    yield Cell(_TOTALS, "tables tested", tested.height, EXACT, decimals=0)
    yield Cell(_TOTALS, "associations", cells.height, EXACT, _DRAWN, decimals=0)
    kept = cells.filter(paper_rule="1").height
    yield Cell(_TOTALS, "associations that the article's rule keeps", kept, EXACT, _DRAWN, decimals=0)
    for row in tested.filter(decision_stable="1").iter_rows(named=True):
        yield Cell(
            _TABLES, f"{_table_name(row)}, significant (1: yes)", float(row["significant"]), EXACT, decimals=0
        )
        yield Cell(_TABLES, f"{_table_name(row)}, Cramer's V", float(row["cramer_v"]), _DIGITS, decimals=4)
    for row in cells.filter(table_decision_stable="1").iter_rows(named=True):
        yield Cell(_CELLS, f"{_cell_name(row)}, lift", float(row["lift"]), _DIGITS, decimals=4)
        yield Cell(_CELLS, f"{_cell_name(row)}, fraction", float(row["fraction"]), _DIGITS, decimals=4)


def _compute(given: Given) -> Mapping[Key, Ours]:
    from endoxa.instruments.stories.associations import PAPER, discover
    from endoxa.instruments.stories.settings import PUBLISHED, Discovery
    from endoxa.sources.stereotales import read_profiles

    profiles = read_profiles(given.need(NAME, WHERE, STORIES))
    settings = Discovery(pooled=PUBLISHED, seed=given.seed, jobs=1)
    found = discover(profiles, settings, given.progress)
    tested = found.tables.filter(status="tested")
    ours: dict[Key, Ours] = {
        (_TOTALS, "tables tested"): Ours(tested.height),
        (_TOTALS, "associations"): Ours(found.associations.height),
        (_TOTALS, "associations that the article's rule keeps"): Ours(
            found.associations.filter(PAPER).height
        ),
    }
    expected = {cell.key: Ours(None, "not among the associations found here") for cell in _expected(given)}
    for row in tested.iter_rows(named=True):
        ours[_TABLES, f"{_table_name(row)}, significant (1: yes)"] = Ours(float(row["significant"]))
        ours[_TABLES, f"{_table_name(row)}, Cramer's V"] = Ours(row["cramer_v"])
    for row in found.associations.iter_rows(named=True):
        for name in ("lift", "fraction"):
            ours[_CELLS, f"{_cell_name(row)}, {name}"] = Ours(row[name])
    return expected | {key: one for key, one in ours.items() if key in expected}


RESULT = PublishedResult(
    name=NAME,
    title="StereoTales' procedure on a small example of stories, against the reference program",
    citation="README, expected_tables.csv and expected_associations.csv of the shared StereoTales example",
    needs=(Need("file", f"{STORIES}, {TABLES}, {ASSOCIATIONS}", WHERE),),
    cells=_cells,
    compute=_compute,
    veiled=(_CELLS,),
    notes=("The stories are synthetic, with planted associations: nothing here is a number of the article.",),
)
