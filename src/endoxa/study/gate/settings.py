"""In what two runs differ: settings that say which items they have, and ways of asking."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from endoxa.report.inputs import Run, entries
from endoxa.runs.folder import differences
from endoxa.study.gate.runs import Side, refuse

ITEMS = ("limit", "sample", "include_drafts", "columns", "repeats", "metadata", "format", "data", "tests")
"""Parts of a run's identity that say which items it has; all others are ways of asking, and may differ."""
SENTENCES = ("prefix", "template")
"""Options of reading that put words around the sentences of pairs: ways of asking, too."""
ENTRY = ("revision", "dtype", "adapter", "chat_template", "tokenizer", "fingerprint")
"""What run.json says of a model that may differ under one name."""
MODEL = "model"
SERVED_AS = "served version"
"""Of one hosted model: what the server said that it is."""
WORDS = {
    "system": "system message",
    "sampling temperature": "temperature",
    "sampling top_p": "top-p",
    "sampling max_tokens": "most tokens of an answer",
    "sampling reasoning": "reasoning effort",
    "sampling seed": "seed of the provider",
    "ask": "way of asking",
    "names": "names in place of groups",
    "shuffle": "options shuffled",
}
LONGEST = 120
"""Characters of a setting that are shown."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something in which two runs differ.

    Attributes:
        name: what it is.
        before: in the first run.
        after: in the second.
    """

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        """'the system message (none, now “Be careful.”)'."""
        return f"the {self.name} ({self.before}, now {self.after})"


def _identity(run: Run) -> Mapping[str, Any]:
    identity = run.facts.get("identity")
    return identity if isinstance(identity, Mapping) else {}


def require_same_items(first: Run, other: Run) -> None:
    """Refuse two runs that took other items.

    Raises:
        UserError: a setting that says which items a run has differs.
    """
    identities = [_identity(run) for run in (first, other)]
    if not all(identities):
        # Runs made from logs of other harnesses: their records have to speak for themselves.
        return
    kept = [{name: value for name, value in identity.items() if name in ITEMS} for identity in identities]
    refuse(differences(kept[0], kept[1]))


def settings_apart(first: Side, other: Side) -> tuple[Setting, ...]:
    """In what two runs differ: the model, and every way of asking that their `run.json` hold."""
    apart = [Setting(MODEL, first.model, other.model)] if first.model != other.model else []
    versions = [side.version for side in (first, other)] if first.name == other.name else []
    if all(versions) and len(set(versions)) > 1:
        apart.append(Setting(SERVED_AS, *versions))
    protocols: list[Any] = [_identity(side.run).get("protocols") or () for side in (first, other)]
    # One each: they are compared with each other. Of several, what both runs have is compared.
    if all(len(each) == 1 for each in protocols) and protocols[0] != protocols[1]:
        apart.append(Setting("protocol", _shown(protocols[0][0]), _shown(protocols[1][0])))
    left_out = {*ITEMS, "models", "languages", "rules", "protocols"}
    # What was chosen of a model, where it is the same; of two models it follows from their names.
    chosen = ENTRY if first.name == other.name else ()
    described = [_asked(side, left_out, chosen) for side in (first, other)]
    # Runs made from logs of other harnesses say nothing of how they were asked.
    if all(described):
        apart += _apart(described[0], described[1], "")
    return tuple(replace(each, name=WORDS.get(each.name, each.name.replace("_", " "))) for each in apart)


def _asked(side: Side, left_out: set[str], chosen: Collection[str]) -> dict[str, Any]:
    identity = _identity(side.run)
    kept = {name: value for name, value in identity.items() if name not in left_out}
    if digest := kept.get("names"):
        file = (side.run.facts.get("settings") or {}).get("names")
        kept["names"] = f"{Path(str(file)).name} ({digest[:8]})"
    options = side.run.data.get("options")
    if isinstance(options, Mapping):
        kept |= {name: options.get(name) for name in SENTENCES if name in options}
    entry = next((model for model in entries(identity.get("models")) if model.get("name") == side.name), {})
    kept |= {name: value for name, value in entry.items() if name in chosen}
    return kept


def _apart(first: Any, other: Any, name: str) -> list[Setting]:
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        keys = dict.fromkeys((*first, *other))
        return [
            setting
            for key in keys
            for setting in _apart(first.get(key), other.get(key), f"{name} {key}".strip())
        ]
    if (
        isinstance(first, list)
        and isinstance(other, list)
        and any(isinstance(each, Mapping) for each in first)
    ):
        pairs = zip_longest(first, other)
        return [setting for before, after in pairs for setting in _apart(before, after, name)]
    return [] if first == other else [Setting(name, _shown(first), _shown(other))]


def _shown(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "none"
    text = f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
