"""Tests from associations: an identity and its attributes against a contrasting identity and the opposites.

X is the identity, as a bare plural noun, and Y a contrasting one of the same axis and language, both in every bleached
sentence that takes a plural noun. A holds the attributes of X in sentences about no particular group ("These people
are strong."); B holds the natural opposite of each ("These people are weak.").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from pathlib import Path

import polars as pl

from endoxa.curate.grammar.sentences import Sentences, gender_shown, same_words, sentence_pair
from endoxa.curate.grammar.subject import gender_of, subject, with_capitals
from endoxa.curate.grammar.templates import Template, UnclearError
from endoxa.curate.grammar.templates import load_templates as load_pair_templates
from endoxa.curate.opposites import Lexicon, languages, load_lexicon
from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.crossing import BUILDER, FEWEST_TERMS
from endoxa.instruments.association_tests.items.format import FEWEST_TEXTS
from endoxa.instruments.association_tests.items.lists import Term
from endoxa.instruments.association_tests.items.templates import (
    Templates,
    load_templates,
    require_sentences,
    sentences,
    words_used,
)
from endoxa.instruments.association_tests.options import ALL, Contrast
from endoxa.schema import AssociationTest, TermSet
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell, words_of_cells

ID = "association_id"
_DEFAULTS = {"axis": "", "language": "", "agreement": "", "predicate": "", "support": "1"}
"""Columns that associations may lack or leave empty, and what stands there then."""
_MADE = ("said", "opposite", "opposite_term")


def build_from_associations(
    table: pl.DataFrame, contrast: Contrast, templates: Path | None
) -> tuple[list[AssociationTest], list[str]]:
    """Tests from associations, and a sentence for every pair of identities (or association) without one.

    Args:
        table: columns identity and attribute; association_id, axis and language are used where they are there.
        contrast: what an identity is held against.
        templates: a user's bleached sentences of one language.

    Raises:
        UserError: no test can be made, a language has no sentences, or tests of single associations are asked for and
            ids are missing or not unique.
    """
    if contrast.each:
        _require_ids(table)
    by_language = load_templates(templates)
    sayings = _with_sentences(_filled(table, contrast), by_language)
    made: list[AssociationTest] = []
    left_out: list[str] = []
    for (axis, language), rows in sayings.group_by("axis", "language", maintain_order=True):
        part = _Part.of(rows, str(axis), by_language[str(language)], contrast)
        for result in _single_tests(part) if contrast.each else _contrasted_tests(part):
            if isinstance(result, AssociationTest):
                made.append(_with_words_of_associations(result, table))
            else:
                left_out.append(result)
    if not made:
        why = [*left_out, f"no two identities of an axis and language have {FEWEST_TERMS} attributes"][0]
        if contrast.against and contrast.against not in sayings["identity"]:
            stated = ", ".join(sayings["identity"].unique(maintain_order=True).head(8))
            why = (
                f"--against: the identity '{contrast.against}' is unknown or has no attributes (available: "
                f"{stated}, ...)"
            )
        raise UserError(f"No test can be made from the associations: {why}.")
    return made, left_out


def _require_ids(table: pl.DataFrame) -> None:
    if ID not in table.columns:
        raise UserError(
            "--each needs a column association_id. Write one with `endoxa curate associations` or `endoxa study init`."
        )
    twice = table.filter(pl.col(ID).is_duplicated() | pl.col(ID).is_null())[ID]
    if len(twice):
        raise UserError(f"association_id '{twice[0] or ''}' is empty or appears twice. Make ids unique.")


def _with_words_of_associations(test: AssociationTest, table: pl.DataFrame) -> AssociationTest:
    """The test with our words by which its associations were read or made, beside its own."""
    if not {BUILT_BY, WORDS} <= set(table.columns):
        return test
    if test.association_id:
        rows = table.filter(association_id=test.association_id)
    else:
        rows = table.filter(pl.col("identity").is_in([test.x.name, test.y.name]))
    stated = [
        word for cells in rows.select(BUILT_BY, WORDS).unique().rows() for word in words_of_cells(*cells)
    ]
    return replace(test, words=words_cell([*sorted(stated), *words_of_cells(test.built_by, test.words)]))


def _filled(table: pl.DataFrame, contrast: Contrast) -> pl.DataFrame:
    """The columns that tests need, with defaults for what is missing; equal rows are one, with their support added up.

    Raises:
        UserError: no row is left in the languages.
    """
    defaults = _DEFAULTS | {"language": contrast.language}
    missing = [pl.lit("").alias(name) for name in defaults if name not in table.columns]
    cells = [
        pl.col(name).fill_null("").str.strip_chars().replace("", defaults.get(name, ""))
        for name in ("identity", "attribute", *defaults)
    ]
    table = table.with_columns(missing).select(*cells, *([ID] if contrast.each else []))
    keys = [name for name in table.columns if name != "support"]
    support = pl.col("support").cast(pl.Int64, strict=False).fill_null(1).sum()
    table = table.group_by(keys, maintain_order=True).agg(support)
    if contrast.languages:
        table = table.filter(pl.col("language").is_in(contrast.languages))
    if table.is_empty():
        raise UserError(f"No associations in {', '.join(contrast.languages)}. Leave out --language.")
    genders = [
        stated or (gender_of(identity, template) if (template := _pair_template(language)) else "")
        for identity, language, stated in table.select("identity", "language", "agreement").iter_rows()
    ]
    return table.with_columns(pl.Series("agreement", genders, dtype=pl.String))


@cache
def _pair_template(language: str) -> Template | None:
    return load_pair_templates().get(language)


# What is said of an identity, in sentences about nobody in particular


def _with_sentences(table: pl.DataFrame, templates: Mapping[str, Templates]) -> pl.DataFrame:
    """The table with the sentences `said` and `opposite`, and `opposite_term`; null where none can be made."""
    for language in table["language"].unique(maintain_order=True):
        require_sentences(language, templates, ALL)
    keys = ["attribute", "language", "agreement", "predicate"]
    attributes = table.select(keys).unique(maintain_order=True)
    rows = []
    for row in attributes.iter_rows(named=True):
        people = templates[row["language"]].people
        gender = row["agreement"] or _gender_of_people(row["attribute"], row["language"])
        rows.append(row | {"identity": people.get(gender, people.get("", "")), "agreement": gender})
    made = pl.DataFrame(list(_made(rows)), dict.fromkeys(_MADE, pl.String), orient="row")
    attributes = pl.concat([attributes, made], how="horizontal")
    return table.join(attributes, on=keys, how="left", maintain_order="left")


def _gender_of_people(attribute: str, language: str) -> str:
    """The gender that the bleached subject needs: the one that the attribute shows, or 'm' where it goes with both.

    Empty where the attribute is not known, and so its gender is not.
    """
    if language not in languages():
        return ""
    lexicon = load_lexicon(language)
    listed = lexicon.senses(lexicon.split(attribute.lower()))
    return gender_shown(attribute, lexicon) or ("m" if listed else "")


def _made(rows: Iterable[Mapping[str, str]]) -> Iterator[tuple[str | None, ...]]:
    """The cells `_MADE` of each row; the same sentence is made for one row only."""
    denied: set[tuple[str, str]] = set()
    opposed: set[tuple[str, str]] = set()
    for row in rows:
        lexicon = load_lexicon(row["language"]) if row["language"] in languages() else None
        denial = _first_of_its_words(_sentences(row, None), denied)
        natural = _sentences(row, lexicon)
        opposition = _first_of_its_words(natural if natural and natural.how == "antonym" else None, opposed)
        stated = denial or opposition  # an attribute whose denial is not known may have an opposite
        yield (
            stated.more if stated else None,
            opposition.less if opposition else None,
            opposition.attribute_less if opposition else None,
        )


def _sentences(row: Mapping[str, str], lexicon: Lexicon | None) -> Sentences | None:
    template = _pair_template(row["language"])
    if template is None:
        return None
    how = {"evidence": row["predicate"], "agreement": row["agreement"]}
    try:
        return sentence_pair(row["identity"], row["attribute"], template, lexicon, **how)
    except UnclearError:
        return None


def _first_of_its_words(made: Sentences | None, seen: set[tuple[str, str]]) -> Sentences | None:
    if made is None or same_words(made) in seen:
        return None
    seen.add(same_words(made))
    return made


def _poles(rows: pl.DataFrame) -> tuple[dict[str, str], dict[str, str]]:
    """What is said of one identity, and its opposites: term by sentence, no sentence in both.

    Where both an attribute and its opposite are said, the one that more respondents said stays; neither where as many
    said the one as the other.
    """
    stated = rows.filter(pl.col("said").is_not_null() & pl.col("opposite").is_not_null())
    support = dict(stated.group_by("said").agg(pl.col("support").sum()).iter_rows())
    sayings: dict[str, str] = {}
    opposites: dict[str, str] = {}
    for row in stated.sort("support", descending=True, maintain_order=True).iter_rows(named=True):
        tied = support.get(row["opposite"]) == support[row["said"]]
        if not tied and row["said"] not in opposites and row["opposite"] not in sayings:
            sayings[row["said"]] = row["attribute"]
            opposites[row["opposite"]] = row["opposite_term"]
    return sayings, opposites


# Tests of the associations of one axis and language


@dataclass(frozen=True, slots=True)
class _Part:
    """Associations of one axis and language.

    Attributes:
        rows: columns of `_filled` and `_MADE`.
        axis: the axis, or empty.
        templates: bleached sentences of the language.
        contrast: what an identity is held against.
        texts: of each identity, every sentence that takes it as a plural noun.
        problems: why other identities have none (a singular, an English word in French, an unknown gender).
    """

    rows: pl.DataFrame
    axis: str
    templates: Templates
    contrast: Contrast
    texts: Mapping[str, tuple[str, ...]]
    problems: Mapping[str, str]

    @classmethod
    def of(cls, rows: pl.DataFrame, axis: str, templates: Templates, contrast: Contrast) -> _Part:
        """The rows with the sentences of their identities."""
        texts: dict[str, tuple[str, ...]] = {}
        problems: dict[str, str] = {}
        genders = rows.group_by("identity", maintain_order=True).agg(pl.col("agreement").first())
        for identity, gender in genders.iter_rows():
            try:
                texts[identity] = _identity_texts(identity, gender, templates)
            except UnclearError as problem:
                problems[identity] = str(problem)
        return cls(rows, axis, templates, contrast, texts, problems)

    def test(
        self, name: str, x: str, y: TermSet, a: TermSet, b: TermSet, *, meaning: str, association_id: str = ""
    ) -> AssociationTest:
        """A test of identity `x`, to which a positive effect ties what `meaning` says."""
        language, texts = self.templates.language, self.texts[x]
        origin = "one association" if association_id else "associations"
        used = {"pair templates": True, "opposites": True}
        return AssociationTest(
            f"{language}/{self.axis or 'any'}/{name}".replace(" ", "_"),
            TermSet(x, texts, (x,) * len(texts)),
            y,
            a,
            b,
            self.axis,
            language,
            f"{origin}; sentences: {self.templates.source}; positive effect: {x} with {meaning}",
            association_id,
            BUILDER,
            words_used(language, used, self.templates),
        )


def _identity_texts(identity: str, gender: str, templates: Templates) -> tuple[str, ...]:
    """Every sentence that takes the identity as a plural noun; with an unknown gender, those right for all.

    Raises:
        UserError: the templates have no plural.
        UnclearError: the identity can be no subject in that language, or its gender is not known.
    """
    language, template = templates.language, _pair_template(templates.language)
    noun = " ".join(identity.split())
    if template is not None:
        subject(identity, template, gender)
        article, _, rest = noun.partition(" ")
        noun = rest if rest and article.lower() in template.articles else noun
    noun = with_capitals(noun) if language == "en" else noun
    codes = [templates.plural[gender]] if gender in templates.plural else list(templates.plural.values())
    if not codes:
        raise UserError(
            f'The templates of \'{language}\' name no plural: add, for example, plural = {{ "" = "p" }}.'
        )
    by_code = [[text for text, _ in sentences(Term("noun", {code: noun}), templates)] for code in codes]
    texts = tuple(text for text in dict.fromkeys(by_code[0]) if all(text in others for others in by_code))
    if len(texts) < FEWEST_TEXTS:
        raise UnclearError(f"the gender of '{identity}' is not known; add a column 'agreement' (f or m)")
    return texts


def _contrasted_tests(part: _Part) -> Iterator[AssociationTest | str]:
    """A test of every two identities, the first with attributes enough for a set, or why there is none."""
    counted = part.rows.group_by("identity", maintain_order=True).len().filter(pl.col("len") >= FEWEST_TERMS)
    identities, against = counted["identity"].to_list(), part.contrast.against
    if against:
        pairs = iter([(x, against) for x in identities if x != against and against in part.rows["identity"]])
    else:
        pairs = permutations(identities, 2)
    for x, y in pairs:
        yield _contrasted(part, x, y)


def _contrasted(part: _Part, x: str, y: str) -> AssociationTest | str:
    where = f"{part.templates.language}{f', {part.axis}' if part.axis else ''}: '{x}' against '{y}'"
    for identity in (x, y):
        if identity in part.problems:
            return f"{where}: {part.problems[identity]}"
    a, b = _poles(part.rows.filter(identity=x))
    if len(a) < FEWEST_TERMS:
        return f"{where}: what is said of '{x}' gives {len(a)} attributes, and a set needs {FEWEST_TERMS}"
    return part.test(
        f"{x}/{y}/antonym",
        x,
        TermSet(y, part.texts[y], (y,) * len(part.texts[y])),
        TermSet(f"said of {x}", tuple(a), tuple(a.values())),
        TermSet(f"opposites of what is said of {x}", tuple(b), tuple(b.values())),
        meaning="what is said of them",
    )


def _single_tests(part: _Part) -> Iterator[AssociationTest | str]:
    """A test for each association: its identity against the others, or why there is none."""
    for row in part.rows.iter_rows(named=True):
        x, against = row["identity"], part.contrast.against
        others = [name for name in part.texts if name != x and against in ("", name)]
        if x in part.problems:
            why = part.problems[x]
        elif row["said"] is None or row["opposite"] is None:
            why = "the attribute has no known antonym"
        elif not others:
            why = "there is no other identity to compare with"
        else:
            # A sentence without the identity would stand on both sides.
            y = {text: name for name in others for text in part.texts[name] if text not in part.texts[x]}
            yield part.test(
                row[ID],
                x,
                TermSet(others[0] if len(others) == 1 else f"others than {x}", tuple(y), tuple(y.values())),
                TermSet(row["attribute"], (row["said"],), (row["attribute"],)),
                TermSet(row["opposite_term"], (row["opposite"],), (row["opposite_term"],)),
                meaning="the attribute",
                association_id=row[ID],
            )
            continue
        yield f"{row[ID]} ('{x}', '{row['attribute']}'): {why}"
