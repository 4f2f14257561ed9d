"""What `run.json` says of a run."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from endoxa.datasets.read import recognise
from endoxa.datasets.sources import locate
from endoxa.probe.fitting import Skipped
from endoxa.probe.settings import PairsSettings

LIBRARIES = ("polars", "numpy", "scipy", "statsmodels")


def describe(
    settings: PairsSettings,
    identity: dict[str, Any],
    skipped: Sequence[Skipped],
    command: Sequence[str],
    *,
    created: str,
) -> dict[str, Any]:
    """Everything needed to repeat the run; models, counts and the time it finished are filled in later.

    Args:
        settings: the run's settings.
        identity: what `PairsSettings.identity` gives.
        skipped: rules that are not for a model.
        command: the words of the command line.
        created: when the run was first started, ISO 8601.
    """
    return {
        "kind": "pairs",
        "endoxa": version("endoxa"),
        "command": list(command),
        "created": created,
        "finished": None,
        "notice": settings.notice,
        "data": {
            "path": settings.data,
            "sha256": identity["data"],
            "format": settings.format or recognise(locate(settings.data)).name,
            "options": {"prefix": settings.prefix, "template": settings.template},
        },
        "models": [],
        "rules": list(settings.rules),
        "skipped": [asdict(skip) for skip in skipped],
        "settings": settings.model_dump(mode="json"),
        "identity": identity,
        "versions": {
            "python": platform.python_version(),
            "platform": sys.platform,
            **{name: version(name) for name in LIBRARIES},
        },
    }


def now() -> str:
    """The time, ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
