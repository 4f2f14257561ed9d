"""What people said of drafts: from the export of a room, or from a sheet, back into the table of drafts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.author.tables import read_drafts
from endoxa.errors import UserError
from endoxa.schema.drafts import APPROVED, DRAFT, REJECTED
from endoxa.sources.frames import read_table

YES = frozenset({"true", "yes", "y", "1", "approved", "ok", "changed", "oui", "sí", "si", "sim"})
NO = frozenset({"false", "no", "n", "0", "rejected", "non", "não"})
VERDICTS = ("accepted", "approved", "state", "status")
"""Columns in which a table of judgements may say so: rooms write 'accepted' and 'state', sheets 'approved'."""
NAMES = ("draft_id", "item_id", "id")
CHANGED_TO = {"judged_less": "sent_less", "judged_more": "sent_more", "judged_attribute": "attribute"}
"""Words that people changed in a room, and where they belong."""


def approved(drafts: Path, judged: Path) -> pl.DataFrame:
    """The drafts with the status that people gave them; words that they changed are taken over.

    Drafts that nobody judged, or that still lack judgements, stay drafts.

    Args:
        drafts: a table of drafts.
        judged: the table of outcomes of a room (`*_items.csv`), or a sheet with `draft_id` and `approved`.

    Raises:
        UserError: a column is missing, a verdict cannot be read, or no row is about these drafts.
    """
    table, judgements = read_drafts(drafts), read_table(judged, respect_statuses=False)
    name = next((column for column in NAMES if column in judgements.columns), None)
    verdict = next((column for column in VERDICTS if column in judgements.columns), None)
    if name is None or verdict is None:
        raise UserError(
            f"{judged} lacks {'a name for each row' if name is None else 'a verdict'}. Expected one of the columns "
            f"{', '.join(NAMES if name is None else VERDICTS)}."
        )
    by_name: dict[str, Mapping[str, Any]] = {}
    for number, row in enumerate(judgements.iter_rows(named=True), start=1):
        if str(row[name]) in by_name:
            raise UserError(f"{judged}, row {number}: '{row[name]}' is there twice. Keep one.")
        by_name[str(row[name])] = {**row, "verdict": _verdict(row[verdict], judged, number)}
    if not by_name.keys() & set(table["draft_id"]):
        raise UserError(
            f"No row of {judged} is about a draft of {drafts}: the names in '{name}' do not occur there."
        )
    rows = [_judged(row, by_name.get(str(row["draft_id"]))) for row in table.iter_rows(named=True)]
    return pl.DataFrame(rows, schema=table.schema)


def _verdict(answer: object, path: Path, number: int) -> str:
    text = str(answer if answer is not None else "").strip().casefold()
    if text in YES:
        return APPROVED
    if text in NO:
        return REJECTED
    if text in ("", DRAFT):
        return DRAFT
    raise UserError(
        f"{path}, row {number}: '{answer}' says neither yes nor no. Expected true or false, or nothing."
    )


def _judged(row: Mapping[str, Any], judgement: Mapping[str, Any] | None) -> dict[str, Any]:
    if judgement is None:
        return dict(row)
    changed = {
        to: judgement[column] for column, to in CHANGED_TO.items() if judgement.get(column) and to in row
    }
    return {**row, **changed, "status": judgement["verdict"]}


def agreement_with(labels: Path, sheet: Path, *, resamples: int = 2000, seed: int = 0) -> dict[str, Any]:
    """Cohen's kappa of the models' labels and a person's, with an interval over rows.

    Args:
        labels: table of `endoxa author label`.
        sheet: the sheet that a person filled in.
        resamples: bootstrap samples.
        seed: their seed.

    Returns:
        n (rows with both labels), agreement, kappa, low, high (95 %, percentiles), unlabelled (rows of the sheet that
        the models gave no label).

    Raises:
        UserError: a label that is not in the list, or no row with both.
    """
    from endoxa.stats.agreement import cohen_kappa
    from endoxa.stats.resampling import drawn_units, percentile_interval

    labels_by_draft = {
        row["draft_id"]: str(row["label"] or "")
        for row in read_table(labels, ("draft_id", "label"), respect_statuses=False).iter_rows(named=True)
    }
    pairs, unlabelled = [], 0
    filled = read_table(sheet, ("draft_id", "label"), respect_statuses=False)
    for number, row in enumerate(filled.iter_rows(named=True), start=1):
        person = str(row["label"] or "").strip()
        allowed = {part.casefold(): part for part in str(row.get("labels") or "").split("; ") if part}
        if not person:
            continue
        if allowed and person.casefold() not in allowed:
            raise UserError(
                f"{sheet}, row {number}: '{person}' is no label. Expected one of {', '.join(allowed.values())}."
            )
        person = allowed.get(person.casefold(), person)
        if row["draft_id"] not in labels_by_draft:
            raise UserError(f"{sheet}, row {number}: '{row['draft_id']}' is not in {labels}.")
        if labels_by_draft[row["draft_id"]]:
            pairs.append((labels_by_draft[row["draft_id"]], person))
        else:
            unlabelled += 1
    if not pairs:
        raise UserError(
            f"{sheet} has no row with a label of a person and one of the models. Fill in the column 'label'."
        )
    codes = np.unique(np.array(pairs), return_inverse=True)[1].reshape(len(pairs), 2)
    samples = drawn_units(len(codes), resamples, np.random.default_rng(seed))
    interval = percentile_interval(np.array([cohen_kappa(codes[sample]) for sample in samples]), 0.95)
    return {
        "n": len(pairs),
        "agreement": float(np.mean(codes[:, 0] == codes[:, 1])),
        "kappa": cohen_kappa(codes),
        "low": interval.low,
        "high": interval.high,
        "unlabelled": unlabelled,
    }
