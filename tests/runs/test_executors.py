"""Pieces of work in several processes: in order, each once, and what goes wrong is said."""

from __future__ import annotations

import os

import pytest

from endoxa.runs import executors
from endoxa.runs.executors import computed


def _square_here(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def _not_seven(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return number


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [1, 2, 40])
def test_pieces_come_in_order_from_this_process_and_others(
    pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "ALONE", 0.0)
    found = list(computed(_square_here, range(pieces), jobs=3))
    assert [square for square, _ in found] == [number * number for number in range(pieces)]
    assert (len({process for _, process in found}) > 1) or pieces == 1


@pytest.mark.slow
def test_what_a_task_raises_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "ALONE", 0.0)
    with pytest.raises(ValueError, match="seven"):
        list(computed(_not_seven, range(20), jobs=2))
