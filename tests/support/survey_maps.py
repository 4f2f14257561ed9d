"""Column mappings of surveys as texts."""

from __future__ import annotations

import tomllib

from endoxa.curate.survey import SurveyMap
from endoxa.sources.toml import validated


def parse_map(text: str, where: str) -> SurveyMap:
    """The map of a TOML text; `where` names it in messages."""
    return validated(SurveyMap, tomllib.loads(text), where, "Expected a column mapping.")
