"""Published results, one module each. A module declares `RESULT`; being here is all it takes to be listed."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from endoxa.study.reproduce.declaration import PublishedResult


def builtin() -> Iterator[PublishedResult]:
    """The result of each module of this package, by the name of the module."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        result: PublishedResult = import_module(f"{__name__}.{module.name}").RESULT
        yield result
