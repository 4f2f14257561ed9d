"""Kinds of fault that sentences of a language can have: probes of `faults.csv`, whose sentences must not come out.

A probe is an association (or a statement) and a pattern of what was once made of it and must not be. Packs of the user
have a `faults.csv` of their own, which is read besides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

import polars as pl
import regex

from endoxa.curate.extract import Question, extract
from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.templates import UnclearError, load_templates
from endoxa.curate.opposites import languages, load_lexicon
from endoxa.errors import UserError
from endoxa.instruments.choices.build import build_choices
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.options import QaOptions
from endoxa.words.packs import rows_of

FILE = "faults.csv"
Probe = Mapping[str, str]
"""A row: kind, language, joint, identity, attribute, other (a second group), never and instead (patterns)."""
_SEEDS = range(4)
"""Wordings are drawn; with so many draws most of them are seen."""


def probes(language: str) -> tuple[Probe, ...]:
    """The probes of a language: ours, and those of the user's pack."""
    rows = (row for each in ("", language) for row in rows_of(each, FILE))
    return tuple(row for row in rows if row["language"] == language and row["attribute"])


def kinds() -> Mapping[str, str]:
    """Every kind of fault that we know, with the joint at which it shows."""
    return {row["kind"]: row["joint"] for row in rows_of("", FILE)}


def faults(language: str) -> Iterator[tuple[Probe, str]]:
    """The probes of a language that show a fault, with the text that does; empty where the right one is missing."""
    for probe in probes(language):
        try:
            texts, never, instead = list(_TEXTS[probe["joint"]](probe)), *_patterns(probe)
        except (KeyError, regex.error) as error:
            raise UserError(
                f"{FILE}, '{probe['attribute']}': {error}. Expected one of {', '.join(_TEXTS)} in 'joint', and regular "
                "expressions in 'never' and 'instead'."
            ) from error
        if wrong := [text for text in texts if never and never.search(text)]:
            yield probe, wrong[0]
        elif instead and not any(map(instead.search, texts)):
            yield probe, ""


def _patterns(probe: Probe) -> tuple[regex.Pattern[str] | None, ...]:
    return tuple(regex.compile(probe[name]) if probe[name] else None for name in ("never", "instead"))


def _pairs(probe: Probe) -> Iterator[str]:
    language, template = probe["language"], load_templates()[probe["language"]]
    lexicon = load_lexicon(language) if language in languages() else None
    try:
        made = sentence_pair(probe["identity"], probe["attribute"], template, lexicon)
    except UnclearError:
        return
    yield f"{made.more} / {made.less}"


def _table(probe: Probe) -> pl.DataFrame:
    """The association, beside another group of which something else is said."""
    rows = [(probe["identity"], probe["attribute"]), (probe["other"], "0")]
    return pl.DataFrame(rows, schema=["identity", "attribute"], orient="row")


def _questions(probe: Probe) -> Iterator[str]:
    asked = QaOptions(probe["language"])
    by_style = (replace(asked, style="person", disambiguated=True), replace(asked, style="people"))
    for seed, style, women in product(_SEEDS, by_style, (False, True)):
        options = replace(style, seed=seed, gender="f" if women else "m")
        for record in build_questions(_table(probe), options).records:
            if record["additional_metadata"]["attribute"] == probe["attribute"]:
                yield " | ".join(
                    str(record[name]) for name in ("context", "question", "ans0", "ans1", "ans2")
                )


def _choices(probe: Probe) -> Iterator[str]:
    asked = ChoiceOptions("decision" if probe["joint"] == "decisions" else "inference", probe["language"], 8)
    for gender in ("m", "f"):
        options = replace(asked, gender=gender)
        for item in build_choices(_table(probe), options).items:
            if item.attribute == probe["attribute"]:
                yield " | ".join((item.context, item.question, *item.options))


def _extract(probe: Probe) -> Iterator[str]:
    question = Question("", "", probe["identity"] or None)
    for pair in extract(probe["attribute"], question, language=probe["language"]):
        yield " | ".join(filter(None, (pair.identity, pair.attribute, pair.omit_reason)))


_TEXTS: Mapping[str, Callable[[Probe], Iterator[str]]] = {
    "pairs": _pairs,
    "questions": _questions,
    "decisions": _choices,
    "inferences": _choices,
    "extract": _extract,
}
