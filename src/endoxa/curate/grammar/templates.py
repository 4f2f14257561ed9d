"""The sentence of each language: a table that can be edited.

What a sentence says of its group, and the denial of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Annotated, Any

import regex
from annotated_types import MaxLen
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from endoxa.curate.opposites import Lexicon
from endoxa.curate.opposites.lexicon import Forms, forms_of_singular, rules_of
from endoxa.sources.toml import read_toml, validated
from endoxa.words.packs import pack_of, rows_of, words_by_language, words_of
from endoxa.words.patterns import ANY_VERB, BARE, COPULA, UNCLEAR, Grammar, Reading, Row, copula_of, grammar

COLUMNS = 4
"""Of a sentence pattern: set, affirmed, denied, note."""
EXPECTED = "A language has said, denied, subject and, where needed, more: endoxa/words/en/pairs.toml explains each key."


def _holding(slot: str) -> AfterValidator:
    """Refuses a pattern that does not hold its slot, once and nothing else."""

    def check(pattern: str) -> str:
        try:
            slots = [name for _, name, _, _ in Formatter().parse(pattern) if name is not None]
        except ValueError:
            slots = []
        if slots != [slot]:
            raise ValueError(f"{pattern!r} must hold {{{slot}}} once and no other braces")
        return pattern

    return AfterValidator(check)


Said = Annotated[str, _holding("attribute")]
Subjects = Mapping[str, Annotated[str, _holding("identity")]]


class Template(BaseModel):
    """How a language says what a group is. `endoxa/words/en/pairs.toml` explains each field.

    `subject` has a pattern per gender ('f', 'm'), or one under '' that is for all. `collective` is for groups that are
    a singular ("la gente").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    language: str
    said: Said
    denied: Said
    subject: Annotated[Subjects, BeforeValidator(lambda text: {"": text} if isinstance(text, str) else text)]
    verb_denied: Annotated[str, _holding("verb")] | None = None
    grammar: tuple[Annotated[tuple[str, ...], MaxLen(COLUMNS)], ...] = ()
    stop: str = "."
    small: bool = False
    collective: Template | None = None
    feminine_words: Mapping[str, str] = {}
    framings: tuple[Annotated[str, _holding("sentence")], ...] = ()
    articles: tuple[str, ...] = ()
    feminine: tuple[str, ...] = ()
    masculine: tuple[str, ...] = ()
    feminine_endings: tuple[str, ...] = ()
    masculine_endings: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Sentence patterns (set, affirmed, denied, note), as `grammar.csv` has them."""
        any_verb = (
            [("any verb", "{x}", self.verb_denied.replace("{verb}", "{x}"))] if self.verb_denied else []
        )
        return tuple((*row, "", "", "", "")[:COLUMNS] for row in (*self.grammar, *any_verb))

    @property
    def gendered(self) -> bool:
        """Whether predicates agree in gender."""
        return bool(self.feminine)

    def of_women(self, predicate: str) -> str:
        """A predicate with the words at its beginning or end that are others of women ("لسن", "होती हैं")."""
        for word, feminine in self.feminine_words.items():
            if f"{predicate} ".startswith(f"{word} "):
                return f"{feminine}{predicate.removeprefix(word)}"
            if predicate.endswith(f" {word}"):
                return f"{predicate.removesuffix(word)}{feminine}"
        return predicate


def load_templates(user_file: Path | None = None) -> dict[str, Template]:
    """Templates by language; those of a user's file take the place of ours.

    Raises:
        UserError: the file cannot be read, or a template is not as `endoxa/words/en/pairs.toml` describes it.
    """
    templates = {
        language: _template(
            language,
            {"grammar": [[*row.values()] for row in rows_of(language, "grammar.csv")], **table},
            "pairs.toml",
        )
        for language, table in words_by_language("pairs.toml").items()
    }
    if user_file is not None:
        tables = validated(dict[str, dict[str, Any]], read_toml(user_file), str(user_file), EXPECTED)
        templates |= {
            language: _template(language, table, str(user_file)) for language, table in tables.items()
        }
    return templates


def _template(language: str, table: Mapping[str, Any], name: str) -> Template:
    pack = pack_of(language)
    shared = {
        "language": language,
        "stop": table.get("stop") or (pack.stops[0] if pack else "."),
        "small": table.get("small", False),
    }
    table = {**table, **shared}
    if isinstance(collective := table.get("collective"), dict):
        table["collective"] = shared | collective
    return validated(Template, table, f"{name}, [{language}]", EXPECTED)


LONGEST_WORDS = 12
LONGEST_CHARACTERS = 90

_SPACES = re.compile(r"\s+")
_EDGES = regex.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}%)']+$")
_INSIDE = regex.compile(r"[^\p{L}\p{M}\p{N}\s'’‘()&%+.\u00a0\u200c\u200d-]|\.(?=\s)")


class UnclearError(ValueError):
    """Why no grammatical sentence can be made, as the end of a sentence about the attribute or the identity."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate and its denial.

    Attributes:
        asserted: what is said, with its copula or verb ("are strong", "talk too much", "are not smart").
        denied: the same denied ("are not strong", "do not talk too much", "are smart").
        core: the attribute whose opposite may be looked for ("strong"); empty where `asserted` is a negation already.
        frame: `asserted` with `{}` in place of the core.
        no_denial: why `denied` is empty, where it is; the opposite may be known all the same.
    """

    asserted: str
    denied: str
    core: str = ""
    frame: str = "{}"
    no_denial: str = ""


def cleaned(attribute: str) -> str:
    """An attribute in one line, without marks at its ends (emoji too) and quotation marks; apostrophes straight.

    Raises:
        UnclearError: nothing is left, it is too long for a predicate, or it holds several statements.
    """
    straight = re.sub(r"[“”„«»\"]", "", re.sub(r"[‘’`´]", "'", attribute))
    text: str = _EDGES.sub("", _SPACES.sub(" ", straight).strip())
    if not regex.search(r"\p{L}", text):
        raise UnclearError("the attribute holds no word" if attribute.strip() else "the attribute is empty")
    if len(text) > LONGEST_CHARACTERS or len(text.split()) > LONGEST_WORDS:
        raise UnclearError(
            f"the attribute has {len(text.split())} words and {len(text)} characters, too long for one predicate"
        )
    match = _INSIDE.search(text)
    if match:
        raise UnclearError(f"the attribute holds '{match.group()}', so it may be more than one predicate")
    return text


_VERBS = ("verb", "have")
_WORD = regex.compile(r"[\p{L}\p{M}]+")


def predicate(
    attribute: str, template: Template, evidence: str = "", gender: str = "", lexicon: Lexicon | None = None
) -> Predicate:
    """The predicate that an attribute makes in a language with a template.

    The first row of the table that reads the attribute is taken. Where none does, the attribute is what the copula of
    the template says of the group.

    Args:
        attribute: without a subject, in agreement with it; a singular adjective is put into the plural.
        template: of the language.
        evidence: 'copula', 'verb' or 'have' where it is known how people said it, else empty.
        gender: 'm' or 'f' of the group, where it is known.
        lexicon: by which more singular adjectives are known.

    Raises:
        UnclearError: no predicate can be made that is surely grammatical.
    """
    text = cleaned(attribute)
    for pattern, replacement in words_of(template.language, "extract.toml").get("reworded", ()):
        text = regex.sub(pattern, replacement, text)
    low = text[:1].lower() + text[1:]
    rows = grammar(template.rows, f"grammar.csv of '{template.language}'")
    reading = next(rows.readings(low, lambda row: _fits(row, evidence)), None)
    if reading is None and evidence in _VERBS:
        reading = next(rows.readings(low, lambda row: row.set == ANY_VERB), None)
        if reading is None:
            raise UnclearError(f"no row of the grammar of '{template.language}' says how '{text}' is denied")
    if reading is None:
        first, _, behind = text.partition(" ")
        if any(each.row.set == "verb" for each in rows.readings(behind)):
            raise UnclearError(f"it is not known how '{first}' before a verb is denied")
        reading = _without_copula(text, template, rows)
    if reading.row.set == UNCLEAR:
        raise UnclearError(reading.row.note.fill(reading.slots))
    slots = dict(reading.slots)
    if "a" in slots:
        if lexicon is not None and lexicon.senses(lexicon.split(slots["a"])):
            slots["a"] = slots["a"].lower()  # a word, and no name: "Fuertes" is as a cell of a table has it
        slots["a"] = in_plural(slots["a"], template.language, rows, gender, lexicon)
    asserted = reading.here.fill(slots)
    if reading.there is None:
        return Predicate(asserted, "", asserted, no_denial=reading.row.note.fill(slots))
    denied, frame = reading.there.fill(slots), reading.here.fill(slots | {"a": "{}"})
    if gender == "f":
        asserted, denied, frame = (template.of_women(each) for each in (asserted, denied, frame))
    if reading.here is reading.row.denied:
        return Predicate(asserted, denied)
    return (
        Predicate(asserted, denied, slots["a"], frame)
        if "a" in slots
        else Predicate(asserted, denied, asserted)
    )


def _fits(row: Row, evidence: str) -> bool:
    """Whether a row is of the kind by which people said it."""
    if row.set in (BARE, ANY_VERB) or (evidence in _VERBS and row.set == COPULA):
        return False
    return evidence != COPULA or row.set in (COPULA, UNCLEAR) or "a" in row.affirmed.slots


def _without_copula(text: str, template: Template, rows: Grammar) -> Reading:
    """How the copula of the template says what stands without it: "fuertes" or "no fuertes"."""
    copula = copula_of(template.said, template.denied)
    if text == template.said.replace("{attribute}", "").strip():
        raise UnclearError("the attribute is only a copula")
    if written := next(copula.readings(text), None):
        return written
    (row,) = copula.rows
    bare = next(rows.readings(text, lambda row: row.set == BARE), None)
    if bare is None or bare.row.denied is None or bare.here is not bare.row.denied:
        return Reading(row, row.affirmed, row.denied, {"a": text if bare is None else bare.slots["a"]})
    return Reading(row, row.denied or row.affirmed, row.affirmed, bare.slots)


def in_plural(text: str, language: str, rows: Grammar, gender: str, lexicon: Lexicon | None) -> str:
    """An adjective or noun in the singular, alone or graded ("muy flojo"), in the plural of the group's gender.

    Args:
        text: an attribute.
        language: ISO 639 code; without `inflections.csv` the text is given back.
        rows: its grammar; the slot `plural` is a word that may be a plural.
        gender: 'm' or 'f' of the group, or empty.
        lexicon: words of which the forms are known, besides those of the tables.

    Raises:
        UnclearError: its plural depends on what is not known: the gender of the group, or of which word it is a form.
    """
    parts, degree = text.split(), rules_of(language).degree
    said = [at for at, part in enumerate(parts) if part.lower() not in degree]
    if "plural" not in rows.classes or len(said) != 1:
        return text
    word = parts[said[0]]
    low = word.lower()
    if not _WORD.fullmatch(low) or regex.fullmatch(rows.classes["plural"], low):
        return text
    inflected = forms_of_singular(low, language, lexicon)
    if inflected is None:
        raise UnclearError(
            f"no plural of '{word}' is known: write the plural, or add it to words/{language}/forms.csv"
        )
    parts[said[0]] = _agreeing(low, inflected, gender)
    return " ".join(parts)


def in_singular(text: str, language: str, gender: str) -> str:
    """An adjective, alone or graded, that is said of a singular in its gender; other attributes as they are.

    Raises:
        UnclearError: it is a plural, or its form in this gender is not known.
    """
    *before, word = text.split() or [""]
    low = word.lower()
    if {each.lower() for each in before} - rules_of(language).degree:
        return text
    inflected = forms_of_singular(low, language, None)
    if inflected is None:
        shorter = (forms_of_singular(low[:-size], language, None) for size in (1, 2) if low.endswith("s"))
        if any(low in forms.values() for forms in shorter if forms):
            raise UnclearError(f"'{word}' is a plural, the group is not: write the singular")
        return text
    form = inflected.get("f", "" if "fp" in inflected else low) if gender == "f" else inflected[""]
    if not form:
        raise UnclearError(f"the feminine of '{word}' is not sure: write it")
    return " ".join([*before, form])


def _agreeing(word: str, inflected: Forms, gender: str) -> str:
    masculine = inflected["p"]
    feminine = inflected["fp"] if "fp" in inflected else inflected.get("f", masculine)
    if gender == "f" and not feminine:
        raise UnclearError(f"the feminine plural of '{word}' is not sure: write it")
    if masculine == feminine:
        return masculine
    if word == inflected.get("f") != inflected[""]:
        if gender == "m":
            raise UnclearError(f"'{word}' is singular and feminine, the group is not: write the plural")
        return feminine
    if not gender:
        raise UnclearError(
            f"'{word}' is singular, and the gender of the group is not known: write the plural"
        )
    return feminine if gender == "f" else masculine
