"""Tasks for workers of a cluster, which import them by name."""

from __future__ import annotations

import os
from collections.abc import Sequence

from endoxa.errors import UserError


def nothing() -> None:
    """What a worker holds that holds nothing."""


def refuses() -> None:
    """A model that cannot be had."""
    raise UserError("The model is not there.")


def dies_of_many(_: None, items: Sequence[int]) -> list[tuple[int, int]]:
    """Squares; takes the memory of its worker for more than three items."""
    if len(items) > 3:
        os._exit(1)
    return [(k, item * item) for k, item in enumerate(items)]


def dies(_: None, items: Sequence[int]) -> list[tuple[int, int]]:
    """Ends its worker."""
    os._exit(len(items))
