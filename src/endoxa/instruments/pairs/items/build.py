"""From a table of associations to a table of pairs: settings, construction, result."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from endoxa.curate.associations import association_id
from endoxa.curate.crossed import CROSS_OF, read_parts, with_parts
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
from endoxa.curate.keys import with_identity_keys
from endoxa.curate.opposites import Lexicon, languages, load_lexicon
from endoxa.curate.summary import choices
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


def _thresholds(options: PairOptions) -> dict[str, tuple[float, str]]:
    """Thresholds that were given: the column of the export, its minimum, the option."""
    thresholds = {
        "ratings": (options.min_ratings, "--min-ratings", 0),
        "mean": (options.min_mean, "--min-mean", 1),
        "knowers": (options.min_knowers, "--min-knowers", 0),
    }
    return {name: (least, option) for name, (least, option, unset) in thresholds.items() if least > unset}


def require_ratings(columns: Collection[str], options: PairOptions) -> None:
    """Refuse thresholds that a table cannot answer.

    Raises:
        UserError: a column is missing.
    """
    for name, (_, option) in _thresholds(options).items():
        if name not in columns:
            raise UserError(
                f"{option} needs the column '{name}', which the table lacks. Give pairs.csv of `endoxa collect "
                f"export`, or leave {option} out."
            )


def weakness(row: Mapping[str, str], number: int, options: PairOptions) -> str:
    """Why an association is left out: the first threshold that it misses; empty where it meets all.

    An empty cell is 0 ratings, and no mean or share, which no threshold accepts.

    Raises:
        UserError: a cell is not a number.
    """
    for name, (least, option) in _thresholds(options).items():
        cell = row[name]
        value = _number(cell, name, number)
        if value is None or value < least:
            return f"{name} {cell or 'empty'}, below {least:g} ({option})"
    return ""


def unrated(table: pl.DataFrame, options: PairOptions) -> tuple[str, ...]:
    """A sentence about associations without any rating, where the table counts ratings and no threshold was given."""
    if "ratings" not in table.columns or _thresholds(options):
        return ()
    counts = table["ratings"].cast(pl.Float64, strict=False).fill_null(0)
    none = int((counts == 0).sum())
    if not none:
        return ()
    return (f"{none} of {table.height} associations have no rating: leave them out with --min-ratings 1.",)


def _number(cell: str, name: str, number: int) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError as error:
        raise UserError(f"row {number}, column '{name}': '{cell}' is not a number.") from error


COUNTRY = "country"

BALANCE_COLUMNS: dict[str, str] = {
    "balanced_by": "how pairs were drawn: 'country, seed N'; only with --balance",
    "balanced_country": "the country the pair was drawn for; empty where the region is not given",
}
"""Columns of pairs that were balanced, after those of every table of pairs."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Associations that were drawn.

    Attributes:
        country: country by association, of those that were drawn.
        available: number of pairs that each country had, by country.
        each: number of pairs drawn per country.
        placeless: associations without any country.
    """

    country: Mapping[str, str]
    available: Mapping[str, int]
    each: int
    placeless: int

    @property
    def sentence(self) -> str:
        """What was drawn, and which country decided how many."""
        fewest = min(self.available, key=lambda country: (self.available[country], country))
        counts = ", ".join(f"{country} {self.each} of {n}" for country, n in self.available.items())
        left = f" {self.placeless} without a country are left out." if self.placeless else ""
        return f"Balanced by country, pairs drawn at random: {counts}. {fewest} has the fewest.{left}"


def draw_by_country(regions: Mapping[str, str], seed: int) -> Draw:
    """As many associations of every country as the country with the fewest has.

    What people of several countries said counts for that of them which has the fewest so far, so it is drawn once at
    most.

    Args:
        regions: countries of each association, separated by '; '.
        seed: of the draw.

    Raises:
        UserError: no association has a country, or all have the same one.
    """
    rng = np.random.default_rng(seed)
    countries = {name: sorted(choices(region)) for name, region in sorted(regions.items())}
    placed = [name for name, places in countries.items() if places]
    members: dict[str, list[str]] = {
        place: [] for place in sorted({place for places in countries.values() for place in places})
    }
    if len(members) < 2:
        raise UserError(
            "--balance country needs associations of two countries or more (column 'region'). Leave out --balance."
        )
    order = [placed[place] for place in rng.permutation(len(placed))]
    for name in sorted(order, key=lambda name: len(countries[name])):
        fewest = min(countries[name], key=lambda place: (len(members[place]), place))
        members[fewest].append(name)
    each = min(map(len, members.values()))
    drawn = {
        names[place]: country
        for country, names in members.items()
        for place in rng.choice(len(names), each, replace=False)
    }
    available = {country: len(names) for country, names in members.items()}
    return Draw(drawn, available, each, len(regions) - len(placed))


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
    "association_id",
    "axis",
    "region",
    "language",
    "source",
    "support",
    "agreement",
    "predicate",
    "identity_key",
    BUILT_BY,
    WORDS,
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
    regions: dict[int, str] = field(default_factory=dict)  # by row, with those of rows that repeat its pair
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
        name
        for name in associations.columns
        if name not in (*BUILT_COLUMNS, *BALANCE_COLUMNS, CROSS_OF, "attribute")
    ]
    work = _Work(options, language, load_templates(options.templates), load_templates(), extra_columns)
    if language not in work.templates:
        raise UserError(
            f"No template for the language '{language}' (available: "
            f"{', '.join(sorted(work.templates))}). Give your own with --templates FILE."
        )
    require_ratings(table.columns, options)
    crossed: tuple[str, ...] = ()
    if options.cross:
        table, number = with_parts(table, read_parts(options.parts), language=language)
        crossed = (f"{number} crossed identities; pairs about their parts are added.",)
        work.extra_columns = [*extra_columns, CROSS_OF]
    rare = placeless = 0
    table = with_identity_keys(table, language)
    for number, cells in enumerate(table.iter_rows(named=True), start=1):
        row = {name: str(cell if cell is not None else "").strip() for name, cell in cells.items()}
        if weak := weakness(row, number, options):
            _problem(work, row, number, "left out", weak)
            continue
        respondents = _support(row["support"], number)
        if respondents < options.min_support:
            rare += 1
            continue
        hidden = bool(row["region"]) and respondents < options.min_cell
        if _add(row, "" if hidden else row["region"], number, work):
            placeless += hidden
    notes = (*_assumed(absent, work), *crossed, *unrated(table, options), *_short(work))
    pairs = pl.DataFrame(work.pairs, schema=dict.fromkeys((*BUILT_COLUMNS, *work.extra_columns), pl.String))
    if options.balance == COUNTRY and work.pairs:
        regions = {name: work.regions[number] for name, number in work.names.items()}
        draw = draw_by_country(regions, options.seed)
        notes += (draw.sentence,)
        pairs = _drawn(pairs, draw, options.seed)
        placeless = pairs.filter(region="")["association_id"].n_unique()
    return Built(
        pairs,
        pl.DataFrame(work.problems, schema=dict.fromkeys(PROBLEM_COLUMNS, pl.String)),
        rare,
        notes,
        placeless,
    )


def _drawn(pairs: pl.DataFrame, draw: Draw, seed: int) -> pl.DataFrame:
    """The pairs of the associations that were drawn; a country is not given where the region is not."""
    country = pl.col("association_id").replace_strict(draw.country, default="")
    return pairs.filter(pl.col("association_id").is_in(list(draw.country))).with_columns(
        balanced_by=pl.lit(f"{COUNTRY}, seed {seed}"),
        balanced_country=pl.when(pl.col("region") == "").then(pl.lit("")).otherwise(country),
    )


def _assumed(absent: list[str], work: _Work) -> tuple[str, ...]:
    assumptions = _ASSUMED | {"language": f"every language is '{work.language}'"}
    if work.options.min_support > 1:
        assumptions["support"] = "every association counts as said by one respondent"
    return tuple(
        f"There is no column '{name}': {assumptions[name]}." for name in absent if name in assumptions
    )


def _short(work: _Work) -> tuple[str, ...]:
    framings = work.options.framings
    return tuple(
        f"'{language}' has {there} of the {framings} framings asked for."
        for language, there in work.short.items()
    )


def _support(cell: str, number: int) -> int:
    """Number of respondents of an association; an empty cell counts as one."""
    if not cell:
        return 1
    try:
        return int(float(cell))
    except (ValueError, OverflowError) as error:
        raise UserError(
            f"row {number}, column 'support': '{cell}' is not a number. Expected the number of respondents."
        ) from error


def _add(row: Mapping[str, str], region: str, number: int, work: _Work) -> bool:
    """Make the pair of one association, with the region that may be given, or say why there is none."""
    language, name = _language(row, work), _name(row)

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
        work.regions[work.texts[key]] += f"; {row['region']}"
        tell("left out", f"the pair is the same as that of row {work.texts[key]}")
        return False
    if name in work.names:
        tell("left out", f"the association_id '{name}' is also that of row {work.names[name]}")
        return False
    work.texts[key] = work.names[name] = number
    work.regions[number] = row["region"]
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
    cells = (
        str(number),
        _name(row),
        row["identity"],
        row["attribute"],
        _language(row, work),
        outcome,
        reason,
    )
    work.problems.append(dict(zip(PROBLEM_COLUMNS, cells, strict=True)))


def _language(row: Mapping[str, str], work: _Work) -> str:
    return row["language"] or work.language


def _name(row: Mapping[str, str]) -> str:
    return row["association_id"] or association_id(
        row["identity"], row["attribute"], row["axis"], row["region"], row["source"]
    )


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
