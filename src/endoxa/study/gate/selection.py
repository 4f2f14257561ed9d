"""Rules and axes of a comparison: those that were named, or all that both runs have."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from endoxa.errors import UserError
from endoxa.schema import ALL


def axes_of(named: Sequence[str], there: Collection[str], noun: str) -> tuple[str, ...]:
    """The axes named, or all items and then every axis, where there are several."""
    for axis in named:
        if axis != ALL and axis not in there:
            raise UserError(
                f"--axis {axis}: no such {noun}. Expected one of: all, {', '.join(sorted(there))}."
            )
    return tuple(named) or (ALL, *(sorted(there) if len(there) > 1 else ()))


def common_rules(
    names: Sequence[set[str]], wanted: Sequence[str], noun: str, option: str
) -> tuple[list[str], list[str]]:
    """Rules of both runs, or those wanted; and a note on those of one run only."""
    shared = sorted(names[0] & names[1])
    for name in wanted:
        if name not in shared:
            raise UserError(
                f"{option} {name}: not a {noun} of both runs. The baseline has {', '.join(sorted(names[0]))}, the "
                f"candidate {', '.join(sorted(names[1]))}."
            )
    if not shared:
        raise UserError(
            f"Baseline and candidate have no {noun} in common: {', '.join(sorted(names[0]))} and "
            f"{', '.join(sorted(names[1]))}. Run both with the same one."
        )
    lone = sorted(names[0] ^ names[1])
    notes = (
        [f"Not compared, because only one run has it: {noun} {', '.join(lone)}."]
        if lone and not wanted
        else []
    )
    return list(wanted) or shared, notes


def require_same_ids(baseline: set[str], other: set[str]) -> None:
    """Refuse two runs that hold other items.

    Raises:
        UserError: an item is in one of them only.
    """
    lone = sorted(baseline ^ other)
    if lone:
        where = "baseline" if lone[0] in baseline else "candidate"
        raise UserError(
            f"Baseline and candidate hold different items: {len(lone)} are in one of them only, for example "
            f"'{lone[0]}' in the {where}. Run both on the same file with the same --limit and --language."
        )
