"""Tests from associations: what people say of an identity, against what they say of another or its opposite.

X is the identity, Y a contrasting one of the same axis and language, both in every bleached sentence that takes a
plural noun. A is what is said of X, in sentences about nobody in particular ("These people are strong."); B is the
natural opposite of each ("These people are weak."), or what is said of Y.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import polars as pl

from endoxa.build.tests.crossing import FEWEST_TERMS
from endoxa.build.tests.identities import bare_plural, gender, unclear
from endoxa.build.tests.said import poles, sentences_of, with_sentences
from endoxa.build.tests.sets import FEWEST_TEXTS
from endoxa.build.tests.templates import Templates, sentences
from endoxa.build.tests.terms import Term
from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet

CONTRASTS = ("antonym", "other")


@dataclass(frozen=True, slots=True)
class Contrast:
    """What an identity is held against.

    Attributes:
        against: the identity that is Y; every other one of the axis with four attributes where it is empty.
        attributes: 'antonym' (B: opposites of A) or 'other' (B: what is said of Y).
        languages: languages to take; all where empty.
        language: language of associations that name none.
    """

    against: str = ""
    attributes: str = "antonym"
    languages: tuple[str, ...] = ()
    language: str = "en"


def association_tests(
    table: pl.DataFrame, templates: Mapping[str, Templates], contrast: Contrast
) -> tuple[list[AssociationTest], list[str]]:
    """Tests from a table with the columns identity and attribute; axis and language are used where they are there.

    Returns:
        The tests, and a sentence for every pair of identities that has none.

    Raises:
        UserError: no test can be made, or a language has no sentences.
    """
    said = with_sentences(_filled(table, contrast), templates)
    tests: list[AssociationTest] = []
    left_out: list[str] = []
    for (_, language), part in said.group_by("axis", "language", maintain_order=True):
        for one, other in _pairs(part, contrast):
            made = _test(part, one, other, templates[str(language)], contrast.attributes)
            if isinstance(made, AssociationTest):
                tests.append(made)
            else:
                left_out.append(made)
    if not tests:
        why = (
            left_out[0]
            if left_out
            else f"no two identities of an axis and language have {FEWEST_TERMS} attributes"
        )
        if contrast.against and contrast.against not in said["identity"]:
            known = ", ".join(said["identity"].unique(maintain_order=True).head(8))
            why = f"there is no identity '{contrast.against}' among those with attributes ({known}, ...)"
        raise UserError(f"No test can be made from the associations: {why}.")
    return tests, left_out


def _pairs(part: pl.DataFrame, contrast: Contrast) -> Iterator[tuple[str, str]]:
    """X and Y: every identity with attributes enough for a set, against the named one or another such identity."""
    counted = part.group_by("identity", maintain_order=True).len().filter(pl.col("len") >= FEWEST_TERMS)
    identities = counted["identity"].to_list()
    if contrast.against:
        known = contrast.against in part["identity"]
        return iter([(one, contrast.against) for one in identities if known and one != contrast.against])
    # X against Y by what is said of each is the same test as Y against X.
    return permutations(identities, 2) if contrast.attributes == "antonym" else combinations(identities, 2)


def _filled(table: pl.DataFrame, contrast: Contrast) -> pl.DataFrame:
    defaults = {"axis": "", "language": contrast.language, "agreement": "", "predicate": "", "support": "1"}
    for name, value in defaults.items():
        if name not in table.columns:
            table = table.with_columns(pl.lit(value).alias(name))
        filled = pl.when(pl.col(name).fill_null("") == "").then(pl.lit(value)).otherwise(pl.col(name))
        table = table.with_columns(filled.alias(name))
    columns = [pl.col(name).fill_null("").str.strip_chars() for name in ("identity", "attribute", *defaults)]
    table = table.select(columns)
    keys = [name for name in table.columns if name != "support"]
    support = pl.col("support").cast(pl.Int64, strict=False).fill_null(1).sum()
    table = table.group_by(keys, maintain_order=True).agg(support)
    if contrast.languages:
        table = table.filter(pl.col("language").is_in(contrast.languages))
    if table.is_empty():
        raise UserError(
            f"There are no associations in {', '.join(contrast.languages)}: leave out --language."
        )
    genders = [
        known or gender(identity, language)
        for identity, language, known in table.select("identity", "language", "agreement").iter_rows()
    ]
    return table.with_columns(pl.Series("agreement", genders, dtype=pl.String))


def _test(
    part: pl.DataFrame, one: str, other: str, templates: Templates, contrast: str
) -> AssociationTest | str:
    """The test of `one` against `other`, or why there is none."""
    axis = str(part["axis"][0])
    own = part.filter(identity=one)
    if contrast == "antonym":
        a, b = poles(own)
    else:
        a, b = sentences_of(own), sentences_of(part.filter(identity=other))
        common = a.keys() & b.keys()
        a, b = ({text: term for text, term in side.items() if text not in common} for side in (a, b))
    where = f"{templates.language}{f', {axis}' if axis else ''}: '{one}' against '{other}'"
    for identity in (one, other):
        why = unclear(identity, templates.language, _gender(part, identity))
        if why:
            return f"{where}: {why}"
    fewest, what = min((len(a), f"what is said of '{one}'"), (len(b), _called(one, other, contrast)))
    if fewest < FEWEST_TERMS:
        return f"{where}: {what} gives {fewest} attributes, and a set needs {FEWEST_TERMS}"
    x, y = (_identity_texts(part, identity, templates) for identity in (one, other))
    if min(len(x), len(y)) < FEWEST_TEXTS:
        unknown = one if len(x) < len(y) else other
        return f"{where}: the gender of '{unknown}' is not known; add a column 'agreement' (f or m)"
    return AssociationTest(
        name=f"{templates.language}/{axis or 'any'}/{one}/{other}/{contrast}".replace(" ", "_"),
        x=TermSet(one, x, (one,) * len(x)),
        y=TermSet(other, y, (other,) * len(y)),
        a=TermSet(f"said of {one}", tuple(a), tuple(a.values())),
        b=TermSet(_called(one, other, contrast), tuple(b), tuple(b.values())),
        axis=axis,
        language=templates.language,
        source=f"associations; sentences: {templates.source}; positive effect: {one} with what is said of them",
    )


def _called(one: str, other: str, contrast: str) -> str:
    return f"opposites of what is said of {one}" if contrast == "antonym" else f"said of {other}"


def _identity_texts(part: pl.DataFrame, identity: str, templates: Templates) -> tuple[str, ...]:
    """Every sentence that takes the identity as a plural noun; with an unknown gender, those right for all."""
    noun, known = bare_plural(identity, templates.language), _gender(part, identity)
    codes = [templates.plural[known]] if known in templates.plural else list(templates.plural.values())
    if not codes:
        raise UserError(
            f'The templates of \'{templates.language}\' name no plural: add, for example, plural = {{ "" = "p" }}.'
        )
    by_code = [[text for text, _ in sentences(Term("noun", {code: noun}), templates)] for code in codes]
    return tuple(text for text in dict.fromkeys(by_code[0]) if all(text in texts for texts in by_code))


def _gender(part: pl.DataFrame, identity: str) -> str:
    return str(part.filter(identity=identity)["agreement"][0])
