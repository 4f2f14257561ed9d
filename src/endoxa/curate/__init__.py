"""Curating: from free-text answers to associations of identities and attributes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from endoxa.errors import UserError, installation


def library(module: str, needs: str) -> Any:
    """A module of the extra [curate], which need not be installed.

    Args:
        module: its name.
        needs: the beginning of the sentence where it is not there: what needs which library.

    Raises:
        UserError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as problem:
        raise UserError(f"{needs}. Install it with: {installation('curate')}") from problem
