"""What a campaign's reviewers taught: names, spellings and habits, applied to what the rules read.

A convention is a habit of writing that campaigns differ in; it is used only if learned, and changes the form, never
what is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from endoxa.curate.extract import CONFIDENCE, Extraction, Question
from endoxa.curate.extract.omission import MISSING, REASONS, reason
from endoxa.curate.normalise import normal_attribute, normal_identity
from endoxa.errors import UserError
from endoxa.sources.toml import read_toml

CONVENTIONS = {"keep 'are' after places": "geographic", "keep 'are' after 'people'": "demographic"}
"""Conventions by their name in a lexicon, and the rule whose attributes they write with "are"."""


def with_copula(rule: str, statement: str, pairs: Sequence[Extraction]) -> list[Extraction]:
    """The pairs with "are" before each attribute that a rule read and that stands behind it in the statement."""
    low = " ".join(statement.lower().split())
    return [
        replace(pair, attribute=f"are {pair.attribute}")
        if pair.rule == rule and pair.attribute and f" are {pair.attribute}" in low
        else pair
        for pair in pairs
    ]


LEARNED = "learned"
"""Name of the rule that a learned verb is read by."""


@dataclass(frozen=True)
class Lexicon:
    """Corrections that apply to every statement.

    Attributes:
        identities: name as the rules give it -> name as reviewers write it.
        spellings: words in an attribute -> as reviewers write them.
        leading: words in front of an attribute that reviewers leave out.
        trailing: words at its end that they leave out.
        verbs: words that reviewers take for the verb of a statement.
        overruled: reasons for omission that reviewers do not share; they are not proposed.
        conventions: names of `endoxa.curate.extract.lexicon` that reviewers follow.
    """

    identities: Mapping[str, str] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    leading: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    verbs: frozenset[str] = frozenset()
    overruled: frozenset[str] = frozenset()
    conventions: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether anything differs from what the rules do by themselves."""
        return self != Lexicon()


def apply_lexicon(
    lexicon: Lexicon, statement: str, pairs: Sequence[Extraction], question: Question, country: str = ""
) -> list[Extraction]:
    """The pairs of a statement as this campaign's reviewers would write them.

    Args:
        lexicon: what they taught.
        statement: the statement that was read.
        pairs: what the rules made of it, one pair or more.
        question: the question it answers.
        country: country of the respondent.
    """
    corrected = [_corrected(lexicon, pair, question) for pair in pairs]
    if all(pair.omit_reason == MISSING and not pair.identity for pair in corrected):
        cut = _at_verb(lexicon, statement, question, country)
        corrected = [_corrected(lexicon, cut, question)] if cut else corrected
    for name in CONVENTIONS.keys() & lexicon.conventions:
        corrected = with_copula(CONVENTIONS[name], statement, corrected)
    return list({(pair.identity, pair.attribute): pair for pair in reversed(corrected)}.values())[::-1]


def _corrected(lexicon: Lexicon, pair: Extraction, question: Question) -> Extraction:
    identity = lexicon.identities.get(pair.identity, pair.identity)
    attribute = _attribute(lexicon, pair.attribute)
    omit, why = pair.omit, pair.omit_reason
    if (identity, attribute) != (pair.identity, pair.attribute):
        why = reason(identity, attribute, question.axis)
        omit = bool(why)
    if why in lexicon.overruled and identity and attribute:
        omit, why = False, ""
    return replace(pair, identity=identity, attribute=attribute, omit=omit, omit_reason=why)


def _attribute(lexicon: Lexicon, attribute: str) -> str:
    padded = f" {attribute} "
    for written, right in lexicon.spellings.items():
        padded = padded.replace(f" {written} ", f" {right} ")
    short = padded.strip()
    for words in lexicon.leading:
        if short.startswith(f"{words} "):
            short = short.removeprefix(f"{words} ")
            break
    for words in lexicon.trailing:
        if short.endswith(f" {words}"):
            short = short.removesuffix(f" {words}")
            break
    return short


def _at_verb(lexicon: Lexicon, statement: str, question: Question, country: str) -> Extraction | None:
    """Cut in front of the first learned verb, where the rules found no subject."""
    parts = statement.split()
    place = next((at for at, part in enumerate(parts) if at and part.lower() in lexicon.verbs), None)
    if place is None:
        return None
    identity = normal_identity(" ".join(parts[:place]), country)
    attribute = normal_attribute(" ".join(parts[place:]))
    why = reason(identity, attribute, question.axis)
    return Extraction(identity, attribute, LEARNED, CONFIDENCE["possessive"], bool(why), why)


LISTS = ("conventions", "leading", "trailing", "verbs", "overruled")
TABLES = ("identities", "spellings")


def read_lexicon(path: Path) -> Lexicon:
    """A lexicon of `endoxa curate evaluate --learn`, perhaps edited by hand.

    Raises:
        UserError: the file cannot be read, or is not of that form.
    """
    read = read_toml(path)
    unknown = [key for key in read if key not in (*LISTS, *TABLES)]
    if unknown:
        expected = ", ".join((*LISTS, *TABLES))
        raise UserError(f"{path}: unknown key '{unknown[0]}'. Expected: {expected}.")
    lists = {key: _texts(path, key, read.get(key, [])) for key in LISTS}
    tables = {key: _names(path, key, read.get(key, {})) for key in TABLES}
    strange = [why for why in lists["overruled"] if why not in REASONS]
    if strange:
        raise UserError(f"{path}, overruled: unknown reason '{strange[0]}'. Expected: {', '.join(REASONS)}.")
    for name in lists["conventions"]:
        if name not in CONVENTIONS:
            raise UserError(f"{path}, conventions: unknown '{name}'. Expected: {', '.join(CONVENTIONS)}.")
    return Lexicon(
        identities=tables["identities"],
        spellings=tables["spellings"],
        leading=tuple(lists["leading"]),
        trailing=tuple(lists["trailing"]),
        verbs=frozenset(lists["verbs"]),
        overruled=frozenset(lists["overruled"]),
        conventions=frozenset(lists["conventions"]),
    )


def _texts(path: Path, key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UserError(f'{path}, {key}: expected a list such as ["naturally", "kind of"].')
    return [item.lower() for item in value]


def _names(path: Path, key: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise UserError(f'{path}, [{key}]: expected lines such as "deltans" = "people from delta state".')
    return {written.lower(): right.lower() for written, right in value.items()}


def written_lexicon(lexicon: Lexicon, heading: str = "") -> str:
    """The lexicon as TOML that people can edit."""

    def text(value: str) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [f"# {heading}"] if heading else []
    for key in LISTS:
        entries = getattr(lexicon, key)
        values = ", ".join(map(text, sorted(entries) if isinstance(entries, frozenset) else entries))
        lines.append(f"{key} = [{values}]")
    for key in TABLES:
        lines += ["", f"[{key}]"]
        lines += [
            f"{text(written)} = {text(right)}" for written, right in sorted(getattr(lexicon, key).items())
        ]
    return "\n".join(lines) + "\n"
