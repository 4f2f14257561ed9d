"""Columns of `cells.csv`, the table of a reproduction, with a sentence each."""

from __future__ import annotations

REPRODUCTION_COLUMNS: dict[str, str] = {
    "result": "name of the published result, as in `endoxa reproduce`",
    "table": "where the number is printed",
    "cell": "row and column of the printed table",
    "published": "the printed number; empty where endoxa does not hold it, or where there is no such cell",
    "ours": "our number; empty where it was not computed",
    "difference": "ours minus published; empty where there is no verdict",
    "tolerance": "largest absolute difference that counts as agreement",
    "tolerance_reason": "why that much: rounding of the print, sampling, unstated details",
    "verdict": "`agrees`, `differs`, `not-comparable` (another model, or other data than the paper's) or "
    "`not-computed`",
    "why": "why it differs, cannot be compared or was not computed, as far as known",
    "source": "where the printed number was read",
}

AGREES, DIFFERS = "agrees", "differs"
NOT_COMPARABLE, NOT_COMPUTED = "not-comparable", "not-computed"
VERDICTS = (AGREES, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED)
