"""What is different between two versions of the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.organiser.settings.labelling import label_of


@dataclass(frozen=True, slots=True)
class Change:
    """One value that is different, named in the language of the page; "" stands for what is not there."""

    name: str
    before: str
    after: str


def changes(before: CampaignSettings, after: CampaignSettings) -> tuple[Change, ...]:
    """The values that are different, in the order of the settings."""
    old, new = dict(_values(before.model_dump(mode="json"))), dict(_values(after.model_dump(mode="json")))
    return tuple(
        Change(label_of(path), old.get(path, ""), new.get(path, ""))
        for path in dict.fromkeys([*old, *new])
        if old.get(path, "") != new.get(path, "")
    )


def _values(content: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(content, Mapping):
        for name, value in content.items():
            yield from _values(value, (*path, name or "*"))
    elif isinstance(content, list) and content and isinstance(content[0], Mapping):
        for place, value in enumerate(content, start=1):
            yield from _values(value, (*path, str(value.get("name") or place)))
    elif isinstance(content, list):
        yield path, ", ".join(map(str, content))
    else:
        yield path, str(content)
