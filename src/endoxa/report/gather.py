"""From run folders to results: one analysis per data set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.analyze import analyze_pairs, analyze_run, load_records
from endoxa.report.inputs import Run
from endoxa.report.results import Results, labels_of, with_differences
from endoxa.report.words import slug


def gather(runs: Sequence[Run], confidence: float, seed: int) -> list[tuple[Results, list[Run]]]:
    """Runs over the same pairs together: same file (by hash), format and reading options.

    A single run is shown as its folder holds it; several are analysed together.

    Returns:
        For each data set its results and its runs, in the order given.

    Raises:
        UserError: records cannot be read or analysed, or two data sets' worth of one model overlap.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_data_key(run), []).append(run)
    records = [with_differences(load_records([run.folder for run in group])) for group in groups.values()]
    labels = labels_of(records)
    titles = _titles(list(groups.values()))
    gathered = []
    for group, table, title in zip(groups.values(), records, titles, strict=True):
        analysis = (
            analyze_run(group[0].folder, confidence=confidence, seed=seed)
            if len(group) == 1
            else analyze_pairs(table, confidence=confidence, seed=seed)
        )
        gathered.append(
            (
                Results(
                    title=title,
                    slug=slug(title),
                    records=table,
                    estimates=analysis.estimates,
                    comparisons=analysis.comparisons,
                    flips=analysis.flips,
                    labels=labels,
                    confidence=confidence,
                ),
                group,
            )
        )
    return gathered


def pairs_by_run(gathered: Sequence[tuple[Results, list[Run]]]) -> dict[str, int]:
    """How many different pairs each run folder holds records of."""
    counted = [results.records.group_by("run").agg(pl.col("item_id").n_unique()) for results, _ in gathered]
    return dict(pl.concat(counted).iter_rows())


def all_estimates(gathered: Sequence[tuple[Results, list[Run]]]) -> pl.DataFrame:
    """The estimates of all data sets below one another, the data set's name in front (column `data`)."""
    return pl.concat(
        [results.estimates.select(pl.lit(results.title).alias("data"), pl.all()) for results, _ in gathered]
    )


def _data(run: Run) -> dict[str, Any]:
    data = run.facts.get("data")
    return data if isinstance(data, dict) else {}


def _data_key(run: Run) -> str:
    data = _data(run)
    known = data.get("sha256") or data.get("path") or str(run.folder)
    return json.dumps([known, data.get("format"), data.get("options")], sort_keys=True, default=str)


def _titles(groups: Sequence[Sequence[Run]]) -> list[str]:
    """File name of each data set, with a number where two would share one."""
    titles: list[str] = []
    for group in groups:
        path = _data(group[0]).get("path")
        name = Path(path).stem if isinstance(path, str) and path else group[0].folder.name
        taken = {slug(title) for title in titles}
        number = next(k for k in range(1, len(groups) + 2) if slug(_numbered(name, k)) not in taken)
        titles.append(_numbered(name, number))
    return titles


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"
