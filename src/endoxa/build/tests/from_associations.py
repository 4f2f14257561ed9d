"""Tests from associations: what people say of an identity, against what they say of another or its opposite.

X is the identity, Y a contrasting one of the same axis and language, both in every bleached sentence that takes a
plural noun. A is what is said of X, in sentences about nobody in particular ("These people are strong."); B is the
natural opposite of each ("These people are weak."), or what is said of Y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import polars as pl

from endoxa.build.pairs import PairOptions, build_pairs
from endoxa.build.tests.crossing import ALL, FEWEST_TERMS, require_sentences
from endoxa.build.tests.identities import bare_plural
from endoxa.build.tests.templates import Templates, sentences
from endoxa.build.tests.terms import Term
from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet

CONTRASTS = ("antonym", "other")


@dataclass(frozen=True, slots=True)
class Contrast:
    """What an identity is held against.

    Attributes:
        against: the identity that is Y; every other one of the axis where it is empty.
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
    said = _attributes(_filled(table, contrast), templates)
    tests: list[AssociationTest] = []
    left_out: list[str] = []
    for (_, language), part in said.group_by("axis", "language", maintain_order=True):
        identities = part["identity"].unique(maintain_order=True).to_list()
        ordered = permutations if contrast.attributes == "antonym" or contrast.against else combinations
        for one, other in ordered(identities, 2):
            if contrast.against and other != contrast.against:
                continue
            made = _test(part, one, other, templates[str(language)], contrast.attributes)
            if isinstance(made, AssociationTest):
                tests.append(made)
            else:
                left_out.append(made)
    if not tests:
        why = left_out[0] if left_out else "no two identities share an axis and a language"
        if contrast.against and contrast.against not in said["identity"]:
            known = ", ".join(said["identity"].unique(maintain_order=True).head(8))
            why = f"there is no identity '{contrast.against}' among those with attributes ({known}, ...)"
        raise UserError(f"No test can be made from the associations: {why}.")
    return tests, left_out


def _filled(table: pl.DataFrame, contrast: Contrast) -> pl.DataFrame:
    defaults = {"axis": "", "language": contrast.language, "agreement": "", "predicate": ""}
    for name, value in defaults.items():
        if name not in table.columns:
            table = table.with_columns(pl.lit(value).alias(name))
        filled = pl.when(pl.col(name).fill_null("") == "").then(pl.lit(value)).otherwise(pl.col(name))
        table = table.with_columns(filled.alias(name))
    columns = [pl.col(name).fill_null("").str.strip_chars() for name in ("identity", "attribute", *defaults)]
    table = table.select(columns).unique(maintain_order=True)
    if contrast.languages:
        table = table.filter(pl.col("language").is_in(contrast.languages))
    if table.is_empty():
        raise UserError(
            f"There are no associations in {', '.join(contrast.languages)}: leave out --language."
        )
    return table


def _attributes(table: pl.DataFrame, templates: Mapping[str, Templates]) -> pl.DataFrame:
    """The table with columns `said` and `opposite`: each attribute of nobody in particular, where both can be made."""
    for language in table["language"].unique(maintain_order=True):
        require_sentences(language, templates, ALL)
    keys = ["attribute", "language", "agreement", "predicate"]
    asked = table.select(keys).unique(maintain_order=True)
    subjects = [
        templates[language].people.get(gender, templates[language].people.get("", ""))
        for language, gender in asked.select("language", "agreement").iter_rows()
    ]
    number = pl.int_range(pl.len()).cast(pl.String)
    asked = asked.with_columns(
        pl.Series("identity", subjects, dtype=pl.String), number.alias("association_id")
    )
    for column, source, options in (
        ("said", "sent_more", PairOptions(negation_only=True)),
        ("opposite", "sent_less", PairOptions(antonym_only=True)),
    ):
        made = build_pairs(asked, options).pairs.select("association_id", pl.col(source).alias(column))
        asked = asked.join(
            made.unique("association_id"), on="association_id", how="left", maintain_order="left"
        )
    return table.join(asked.drop("identity", "association_id"), on=keys, how="left", maintain_order="left")


def _test(
    part: pl.DataFrame, one: str, other: str, templates: Templates, contrast: str
) -> AssociationTest | str:
    """The test of `one` against `other`, or why there is none."""
    axis = str(part["axis"][0])
    own = part.filter(identity=one)
    if contrast == "antonym":
        own = own.filter(pl.col("opposite").is_not_null())
        a, b = _said(own, "said"), _said(own, "opposite")
    else:
        a, b = _said(own, "said"), _said(part.filter(identity=other), "said")
    common = a.keys() & b.keys()
    a, b = ({text: term for text, term in side.items() if text not in common} for side in (a, b))
    fewest, what = min((len(a), f"what is said of '{one}'"), (len(b), _called(one, other, contrast)))
    if fewest < FEWEST_TERMS:
        return f"'{one}' against '{other}': {what} gives {fewest} attributes, and a set needs {FEWEST_TERMS}"
    x, y = (_identity_texts(part, identity, templates) for identity in (one, other))
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


def _said(part: pl.DataFrame, column: str) -> dict[str, str]:
    """Attribute by text."""
    known = part.filter(pl.col(column).is_not_null()).select(column, "attribute")
    return dict(known.iter_rows())


def _identity_texts(part: pl.DataFrame, identity: str, templates: Templates) -> tuple[str, ...]:
    """Every sentence that takes the identity as a plural noun; with an unknown gender, those right for all."""
    noun, gender = bare_plural(identity, templates.language)
    gender = gender or next(filter(None, part.filter(identity=identity)["agreement"]), "")
    codes = [templates.plural[gender]] if gender in templates.plural else list(templates.plural.values())
    by_code = [[text for text, _ in sentences(Term("noun", {code: noun}), templates)] for code in codes]
    return tuple(text for text in dict.fromkeys(by_code[0]) if all(text in texts for texts in by_code))
