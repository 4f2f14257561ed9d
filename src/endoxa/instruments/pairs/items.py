"""From a table of associations to a table of pairs: settings, construction, result."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

import polars as pl

from endoxa.curate.associations import association_id
from endoxa.curate.grammar.sentences import (
    Sentences,
    framed,
    remarks,
    same_words,
    sentence_pair,
    words_difference,
)
from endoxa.curate.grammar.subject import with_capitals
from endoxa.curate.grammar.templates import Template, UnclearError, load_templates
from endoxa.curate.normalise.identity import with_identity_keys
from endoxa.curate.opposites import Lexicon, languages, load_lexicon
from endoxa.curate.persons import CROSS_OF, with_parts
from endoxa.errors import UserError
from endoxa.instruments.pairs.options import DEFAULT_LANGUAGE, PairOptions
from endoxa.schema import PAIR_COLUMNS
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell, words_of_cells
from endoxa.sources.drafts import UNSPECIFIED
from endoxa.words.persons import names_somebody


def name_in(attribute: str, language: str) -> bool:
    """Whether an attribute may name a person, by the rule that campaigns have.

    A guess by form: one name alone, without a title or a word of offence, is not found.
    """
    return names_somebody(attribute, language, _has_capitals)


def _has_capitals(words: str) -> bool:
    """Whether all words are written with capitals as the names of places, peoples, languages and faiths."""
    written = with_capitals(words.lower())
    return all(word[0].isupper() for word in written.split() if word[0].isalpha())


Thresholds = Mapping[str, tuple[float, str]]


def thresholds_of(options: PairOptions, columns: Collection[str]) -> Thresholds:
    """Thresholds that were given: the column of the campaign's export, its minimum, the option.

    Raises:
        UserError: a column is missing.
    """
    every = {
        "ratings": (options.min_ratings, "--min-ratings", 0),
        "mean": (options.min_mean, "--min-mean", 1),
        "knowers": (options.min_knowers, "--min-knowers", 0),
    }
    stated = {name: (least, option) for name, (least, option, unset) in every.items() if least > unset}
    for name, (_, option) in stated.items():
        if name not in columns:
            raise UserError(
                f"{option} needs the column '{name}', which the table lacks. Give pairs.csv of `endoxa collect "
                f"export`, or leave {option} out."
            )
    return stated


def weakness(row: Mapping[str, str], number: int, thresholds: Thresholds) -> str:
    """Why an association is left out: the first threshold that it misses; empty where it meets all.

    An empty cell is 0 ratings, and no mean or share, which no threshold accepts.

    Raises:
        UserError: a cell is not a number.
    """
    for name, (least, option) in thresholds.items():
        value = _number(row[name], name, number)
        if value is None or value < least:
            return f"{name} {row[name] or 'empty'}, below {least:g} ({option})"
    return ""


def _number(cell: str, name: str, number: int) -> float | None:
    """The number in a cell; None where it is empty."""
    try:
        value = float(cell or 0)
    except ValueError:
        value = inf
    if not isfinite(value):
        raise UserError(f"row {number}, column '{name}': '{cell}' is not a number.")
    return value if cell else None


EXTRA_COLUMNS: dict[str, str] = {
    "how": "'antonym' or 'negation': what the second sentence is made with",
    "words_difference": "words of `sent_more` minus words of `sent_less`",
    "characters_difference": "characters of `sent_more` minus characters of `sent_less`",
    "source": "where the association comes from: a survey, a campaign, or 'draft by MODEL'; may be empty",
}
"""Columns of `pairs.csv` after those of `schema.PAIR_COLUMNS`."""

PROBLEM_COLUMNS: dict[str, str] = {
    "row": "row of the table of associations, from 1",
    "association_id": "the association",
    "identity": "its identity",
    "attribute": "its attribute",
    "language": "its language",
    "outcome": "'left out', or 'kept' where the pair was made and should be looked at",
    "reason": "why",
}
"""Columns of the table of problems."""

BUILT_COLUMNS = (*PAIR_COLUMNS, *EXTRA_COLUMNS)


@dataclass(frozen=True, slots=True)
class Built:
    """Pairs made from associations.

    Attributes:
        pairs: columns of `BUILT_COLUMNS`, then those that the table of associations has besides, in its order.
        problems: columns of `PROBLEM_COLUMNS`.
        rare: associations with fewer respondents than asked for.
        assumed: what the table did not say, as sentences.
        placeless: pairs whose region is not given, because fewer than `min_cell` respondents stand behind them.
    """

    pairs: pl.DataFrame
    problems: pl.DataFrame
    rare: int
    assumed: tuple[str, ...]
    placeless: int = 0


_OPTIONAL = (
    *("association_id", "axis", "region", "language", "source", "support", "agreement", "predicate"),
    *("identity_key", BUILT_BY, WORDS),
)
_ASSUMED = {
    "association_id": "names are made from identity, attribute, axis, region and source",
    "axis": f"every axis is '{UNSPECIFIED}'",
    "region": "no region is known",
}


@dataclass(slots=True)
class _Work:
    """What is known while a table is gone through."""

    options: PairOptions
    language: str
    templates: Mapping[str, Template]
    bundled: Mapping[str, Template]  # templates that come with endoxa
    extra_columns: Sequence[str] = ()  # columns of the table that pairs have no other place for
    pairs: list[dict[str, str]] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    texts: dict[tuple[str, str], int] = field(default_factory=dict)
    short: dict[str, int] = field(default_factory=dict)  # languages with fewer framings than asked for


def build_pairs(associations: pl.DataFrame, options: PairOptions | None = None) -> Built:
    """A pair of sentences for every association of which one can be made.

    `sent_more` is the stereotype, "[Identity] are [attribute].", `sent_less` the anti-stereotype: the same about the
    natural antonym where the lexicon has one, else the negation (AfriStereo 3.3.4). Where a sentence might be
    ungrammatical there is no pair, but a row in `problems` that says why.

    Args:
        associations: columns of `schema.ASSOCIATION_COLUMNS`; only identity and attribute are required. Columns
            `predicate` ('copula', 'verb' or 'have'), `agreement` ('m' or 'f') and `identity_key` (one name for the
            identity in all languages) are used where they are there.
        options: what was chosen.

    Raises:
        UserError: a support or rating that is no number, a missing column that an option needs, or options that cannot
            be used (files, an unknown language).
    """
    options = options or PairOptions()
    language = options.language or DEFAULT_LANGUAGE
    absent = [name for name in _OPTIONAL if name not in associations.columns]
    table = associations.with_columns(pl.lit("").alias(name) for name in absent)
    extra_columns = [
        name for name in associations.columns if name not in (*BUILT_COLUMNS, CROSS_OF, "attribute")
    ]
    work = _Work(options, language, load_templates(options.templates), load_templates(), extra_columns)
    if language not in work.templates:
        raise UserError(
            f"No template for the language '{language}' (available: "
            f"{', '.join(sorted(work.templates))}). Give your own with --templates FILE."
        )
    thresholds = thresholds_of(options, table.columns)
    notes = _assumed(absent, work)
    if options.cross:
        table, number = with_parts(table, language)
        notes.append(f"{number} crossed identities; pairs about their parts are added.")
        work.extra_columns = [*extra_columns, CROSS_OF]
    rare = placeless = 0
    table = with_identity_keys(table, language)
    for number, cells in enumerate(table.iter_rows(named=True), start=1):
        row = {name: str(cell if cell is not None else "").strip() for name, cell in cells.items()}
        if weak := weakness(row, number, thresholds):
            _problem(work, row, number, "left out", weak)
            continue
        respondents = _number(row["support"] or "1", "support", number) or 0
        if respondents < options.min_support:
            rare += 1
            continue
        hidden = bool(row["region"]) and respondents < options.min_cell
        if _add(row, "" if hidden else row["region"], number, work):
            placeless += hidden
    for code, there in work.short.items():
        notes.append(f"'{code}' has {there} of the {options.framings} framings asked for.")
    columns = (*BUILT_COLUMNS, *work.extra_columns)
    return Built(
        pairs=pl.DataFrame(work.pairs, schema=dict.fromkeys(columns, pl.String)),
        problems=pl.DataFrame(work.problems, schema=dict.fromkeys(PROBLEM_COLUMNS, pl.String)),
        rare=rare,
        assumed=tuple(notes),
        placeless=placeless,
    )


def _assumed(absent: list[str], work: _Work) -> list[str]:
    assumptions = _ASSUMED | {"language": f"every language is '{work.language}'"}
    if work.options.min_support > 1:
        assumptions["support"] = "every association counts as said by one respondent"
    return [f"There is no column '{name}': {assumptions[name]}." for name in absent if name in assumptions]


def _add(row: Mapping[str, str], region: str, number: int, work: _Work) -> bool:
    """Make the pair of one association, with the region that may be given, or say why there is none."""
    language, name = row["language"] or work.language, _name(row)

    def tell(outcome: str, reason: str) -> None:
        _problem(work, row, number, outcome, reason)

    try:
        template = _template(language, work)
        made = sentence_pair(
            row["identity"],
            row["attribute"],
            template,
            None if work.options.negation_only else _lexicon(template.language, work.options),
            evidence=row["predicate"],
            agreement=row["agreement"],
            prefix=work.options.prefix.strip(),
        )
    except UnclearError as problem:
        tell("left out", str(problem))
        return False
    if work.options.antonym_only and made.how != "antonym":
        tell("left out", "no natural opposite is known (--antonym-only)")
        return False
    key = same_words(made)
    if key in work.texts:
        tell("left out", f"the pair is the same as that of row {work.texts[key]}")
        return False
    if name in work.names:
        tell("left out", f"the association_id '{name}' is also that of row {work.names[name]}")
        return False
    work.texts[key] = work.names[name] = number
    for remark in remarks(made, template):
        tell("kept", remark)
    if name_in(row["attribute"], template.language):
        tell("kept", f"'{row['attribute']}' may name a person: leave it out of what you publish if it does")
    # The pair as it is, and in as many framings as were asked for and the language has.
    framings = template.framings[: work.options.framings - 1]
    if len(framings) < work.options.framings - 1:
        work.short[template.language] = len(framings) + 1
    for place, variant in enumerate([made, *(framed(made, framing) for framing in framings)], start=1):
        pair = _pair({**row, "region": region}, name, language, variant, work.options)
        hidden = bool(row["region"]) and not region
        pair |= {WORDS: _words(row, made, template, work)}
        pair |= {name: "" if hidden and name in _PLACES else row[name] for name in work.extra_columns}
        work.pairs.append(pair if place == 1 else {**pair, "item_id": f"{pair['item_id']}-{place}"})
    return True


def _words(row: Mapping[str, str], made: Sentences, template: Template, work: _Work) -> str:
    """Our own words in a pair, beside those with which its association was made."""
    used = list(words_of_cells(row[BUILT_BY], row[WORDS]))
    if work.bundled.get(template.language) == template:
        used.append(("pair templates", template.language))
    if made.how == "antonym" and template.language in languages():
        used.append(("opposites", template.language))
    return words_cell(used)


_PLACES = ("country", "place")


def _problem(work: _Work, row: Mapping[str, str], number: int, outcome: str, reason: str) -> None:
    about = (str(number), _name(row), row["identity"], row["attribute"], row["language"] or work.language)
    work.problems.append(dict(zip(PROBLEM_COLUMNS, (*about, outcome, reason), strict=True)))


def _name(row: Mapping[str, str]) -> str:
    parts = ("identity", "attribute", "axis", "region", "source")
    return row["association_id"] or association_id(*(row[name] for name in parts))


def _template(language: str, work: _Work) -> Template:
    """The template of a language, or of the language without its region ('en-NG')."""
    template = work.templates.get(language) or work.templates.get(re.split("[-_]", language)[0].lower())
    if template is None:
        raise UnclearError(f"there is no template for the language '{language}'")
    return template


def _lexicon(language: str, options: PairOptions) -> Lexicon | None:
    available = language in languages() or options.lexicon is not None
    return load_lexicon(language, options.lexicon) if available else None


def _pair(
    row: Mapping[str, str], name: str, language: str, made: Sentences, options: PairOptions
) -> dict[str, str]:
    variant = (
        "negated" if options.negation_only else "",
        re.sub(r"\W+", "-", options.prefix.strip().lower()),
    )
    return {
        "item_id": "-".join((name, "pair", *filter(None, variant))),
        "language": language,
        "axis": row["axis"].lower() or UNSPECIFIED,
        "direction": "stereo",
        "stereotypical": "more",
        "sent_more": made.more,
        "sent_less": made.less,
        "identity": made.identity,
        "identity_key": row["identity_key"],
        "agreement": made.gender,
        "attribute_more": made.attribute_more,
        "attribute_less": made.attribute_less,
        "prompt": f"What are {made.identity} like?" if language.startswith("en") else "",
        "region": row["region"],
        "association_id": name,
        BUILT_BY: "endoxa build pairs",
        "how": made.how,
        "words_difference": str(words_difference(made)),
        "characters_difference": str(len(made.more) - len(made.less)),
        "source": row["source"],
    }
