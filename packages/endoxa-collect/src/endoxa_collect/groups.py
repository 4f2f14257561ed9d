"""The groups that cards are about: names, kinds, and how near a person is to each.

Without a table they are the countries of the world: who comes from a country belongs to it, and people from
neighbouring countries, or who feel close to it, are near (`geography`). A campaign can declare others instead
(`CampaignSettings.groups`), with a rule each on what people say about themselves. Either way `Person.origins` are the
groups somebody belongs to, `Person.connections` others that they are near, and `Pair.country` is the group that words
are about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from endoxa.errors import UserError
from endoxa.words.countries import from_country, people_of
from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings, Group, in_language
from endoxa_collect.geography import Match, plain
from endoxa_collect.rules import CLOSE_TO, COUNTRY, LANGUAGE, Rule, holds, parse
from endoxa_collect.tablefile import TableRow, read_rows

if TYPE_CHECKING:
    from endoxa_collect.models import Campaign, Person

AXIS = "nationality"
"""The kind of all groups that are countries."""

_NAME = re.compile(r"name_([a-z]{2,3})")
_COLUMNS = ("id", "kind", "parent", "own", "near")
_EXPECTED = "id, name_en (name_es, ...), kind, own, and if you like parent and near"


def names(language: str, settings: CampaignSettings) -> Mapping[str, str]:
    """Names of all groups in a language, by code."""
    if not settings.groups:
        return geography.names(language)
    return {group.id: in_language(group.names, language) for group in settings.groups}


def name(code: str, language: str, settings: CampaignSettings) -> str:
    """The name of one group; the code itself where it is none, since its row was taken out of the table."""
    return names(language, settings).get(code, code)


def codes(settings: CampaignSettings) -> Collection[str]:
    """Codes that pairs can be about."""
    return names("en", settings).keys() if settings.groups else geography.codes()


def listed(settings: CampaignSettings) -> tuple[str, ...]:
    """The groups that a campaign is about: all that it declared, else its countries."""
    return tuple(group.id for group in settings.groups) or settings.countries


def kind(code: str, settings: CampaignSettings) -> str:
    """The axis of a group: "gender", "nationality"."""
    return next(
        (group.kind for group in settings.groups if group.id == code), "" if settings.groups else AXIS
    )


def identity(code: str, language: str, settings: CampaignSettings) -> str:
    """Whom a pair is about, as exports name them: "people from Chile", "women"."""
    return name(code, language, settings) if settings.groups else people_of(code, language)


def spoken(code: str, language: str, settings: CampaignSettings) -> dict[str, str]:
    """What sentences need of a group: `from_country` after "people", or `group`, the words for a declared one."""
    if settings.groups:
        return {"from_country": "", "group": name(code, language, settings)}
    return {"from_country": from_country(code, language), "group": ""}


def beside(code: str, settings: CampaignSettings) -> frozenset[str]:
    """Groups like this one: the neighbours of a country; of a declared group those with the same kind."""
    if not settings.groups:
        return geography.neighbours(code)
    alike = kind(code, settings)
    return frozenset(group.id for group in settings.groups if group.kind == alike) - {code}


def match(typed: str, settings: CampaignSettings) -> Match:
    """The declared group that somebody means who typed its id or its name in any language."""
    wanted = plain(typed)
    for group in settings.groups:
        if wanted in {plain(text) for text in (group.id, group.id.replace("_", " "), *group.names.values())}:
            return Match(group.id)
    return Match("", tuple(group.id for group in settings.groups if wanted and wanted in plain(group.id))[:1])


def place_person(person: Person, settings: CampaignSettings) -> None:
    """Set the groups that somebody belongs to and is near, from what they said about themselves."""
    if not settings.groups:
        return
    answers: dict[str, Collection[str]] = {
        COUNTRY: person.countries,
        CLOSE_TO: person.close_to,
        LANGUAGE: person.languages,
        **{question: [answer] for question, answer in person.extras.items()},
    }
    person.origins = [group.id for group in settings.groups if holds(parse(group.own), answers)]
    person.connections = [
        group.id
        for group in settings.groups
        if group.id not in person.origins and holds(_near(group, settings), answers)
    ]


def place_everybody(campaign: Campaign) -> None:
    """Place all people of a campaign anew, but those who said nothing, or whose answers were deleted at the end."""
    for person in campaign.people.all():
        if person.extras or person.countries or person.close_to or person.languages:
            place_person(person, campaign.settings)
            person.save(update_fields=["origins", "connections"])


def _near(group: Group, settings: CampaignSettings) -> Rule:
    if group.near:
        return parse(group.near)
    related = (
        other
        for other in settings.groups
        if other.id in group.parents or (other.id != group.id and set(other.parents) & set(group.parents))
    )
    return tuple(alternative for other in related for alternative in parse(other.own))


def asked_questions(settings: CampaignSettings) -> frozenset[str]:
    """Names of the questions that the rules rest on."""
    texts = (text for group in settings.groups for text in (group.own, group.near))
    return frozenset(question for text in texts for alternative in parse(text) for question, _ in alternative)


def read_groups(path: Path) -> tuple[Group, ...]:
    """The groups in a table with the columns id, name_en (name_es, ...), kind, own, and perhaps parent and near.

    Raises:
        UserError: the first thing that is wrong, with its line and column.
    """
    declared: dict[str, Group] = {}
    parents: dict[str, TableRow] = {}
    for row in read_rows(path, ("id", "kind", "own"), optional=("parent", "near"), expected=_EXPECTED):
        unknown = next((name for name in row.cells if name not in _COLUMNS and not _NAME.fullmatch(name)), "")
        if unknown:
            raise UserError(f"{path}: unknown column '{unknown}'. Expected: {_EXPECTED}.")
        group = _group(row)
        if group.id in declared:
            raise row.fault("id", f"'{group.id}' is there twice")
        declared[group.id] = group
        parents |= dict.fromkeys(group.parents, row)
    if lost := next((parent for parent in parents if parent not in declared), ""):
        raise parents[lost].fault(
            "parent", f"no row has the id '{lost}'. Add it, or write one of: {', '.join(declared)}"
        )
    return tuple(declared.values())


def _group(row: TableRow) -> Group:
    for column in ("own", "near"):
        row.read(column, parse)
    named = {match[1]: row.read(match[0], str) for column in row.cells if (match := _NAME.fullmatch(column))}
    named = {language: text for language, text in named.items() if text}
    if not named:
        raise row.fault("name_en", "it has no name. Write it here, or under name_ and another language")
    facts = {column: row.read(column, str) for column in ("id", "kind", "own", "near")}
    parents = tuple(part.strip() for part in row.read("parent", str).split(";") if part.strip())
    try:
        return Group.model_validate({**facts, "names": named, "parents": parents})
    except ValidationError as problem:
        first = problem.errors()[0]
        column = "name_" + str(first["loc"][1]) if first["loc"][0] == "names" else str(first["loc"][0])
        expected = {
            "id": "2 to 31 small letters a to z, digits and _, beginning with a letter",
            "own": "a rule such as gender=woman",
            "kind": "a kind such as gender, religion, region or crossing",
        }.get(column, "at most 120 characters" if column.startswith("name_") else first["msg"])
        raise row.fault(column, f"found '{row.read(column, str)[:60]}', expected {expected}") from None


def content_of(table: Path) -> dict[str, Any]:
    """What changes in settings where cards are about the groups in a table.

    Raises:
        UserError: as in `read_groups`.
    """
    return {"groups": [group.model_dump(mode="json") for group in read_groups(table)], "cards": True}
