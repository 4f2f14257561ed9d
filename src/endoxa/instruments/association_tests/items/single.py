"""Tests from single associations: one identity with one attribute, against the other identities and the opposite.

X is the identity in every bleached sentence that takes a plural noun, and Y all other identities of the same axis and
language (or the one that was named). A is the attribute in a sentence about no particular group ("These people are
strong."), B its natural opposite ("These people are weak."). The test keeps the id of its association, so that its
effect can be compared with those of other instruments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items.associations import (
    filled,
    gender_in,
    identity_texts,
    unclear,
    with_sentences,
)
from endoxa.instruments.association_tests.items.crossing import BUILDER
from endoxa.instruments.association_tests.items.format import FEWEST_TEXTS
from endoxa.instruments.association_tests.items.templates import Templates, words_of
from endoxa.instruments.association_tests.options import Contrast
from endoxa.schema import AssociationTest, TermSet

ID = "association_id"


def single_tests(
    table: pl.DataFrame, templates: Mapping[str, Templates], contrast: Contrast
) -> tuple[list[AssociationTest], list[str]]:
    """A test for each association.

    Args:
        table: columns identity and attribute; association_id, axis and language are used where they are there.
        templates: bleached sentences by language.
        contrast: the identity Y, if one was named.

    Returns:
        The tests, and a sentence for every association that has none.

    Raises:
        UserError: the ids are missing or not unique, another contrast than antonyms is asked for, or no test can be
            made.
    """
    if contrast.attributes != "antonym":
        raise UserError("--each compares an attribute with its antonym. Leave out --contrast other.")
    if ID not in table.columns:
        raise UserError(
            "--each needs a column association_id. Write one with `endoxa curate associations` or `endoxa study init`."
        )
    twice = table.filter(pl.col(ID).is_duplicated() | pl.col(ID).is_null())[ID]
    if len(twice):
        raise UserError(f"association_id '{twice[0] or ''}' is empty or appears twice. Make ids unique.")
    sayings = with_sentences(filled(table, contrast, kept=(ID,)), templates)
    made: list[AssociationTest] = []
    left_out: list[str] = []
    for (_, language), part in sayings.group_by("axis", "language", maintain_order=True):
        for result in _of_part(part, templates[str(language)], contrast.against):
            if isinstance(result, AssociationTest):
                made.append(result)
            else:
                left_out.append(result)
    if not made:
        why = left_out[0] if left_out else "the table is empty"
        raise UserError(f"No test can be made from the associations: {why}.")
    return made, left_out


def _of_part(part: pl.DataFrame, templates: Templates, against: str) -> Iterator[AssociationTest | str]:
    """Tests of the associations of one axis and language, or why there is none."""
    texts, problems = _texts(part, templates)
    for row in part.iter_rows(named=True):
        where = f"{row[ID]} ('{row['identity']}', '{row['attribute']}')"
        if row["identity"] in problems:
            yield f"{where}: {problems[row['identity']]}"
            continue
        if row["said"] is None or row["opposite"] is None:
            yield f"{where}: the attribute has no known antonym"
            continue
        others = [
            identity
            for identity in texts
            if identity != row["identity"] and (not against or identity == against)
        ]
        if not others:
            yield f"{where}: there is no other identity to compare with"
            continue
        yield _test(row, texts, others, templates)


def _texts(part: pl.DataFrame, templates: Templates) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """The sentences of each identity, and why some have none."""
    texts: dict[str, tuple[str, ...]] = {}
    problems: dict[str, str] = {}
    for identity in part["identity"].unique(maintain_order=True):
        why = unclear(identity, templates.language, gender_in(part, identity))
        sentences = () if why else identity_texts(part, identity, templates)
        if why or len(sentences) < FEWEST_TEXTS:
            problems[identity] = (
                why or f"the gender of '{identity}' is not known; add a column 'agreement' (f or m)"
            )
        else:
            texts[identity] = sentences
    return texts, problems


def _test(
    row: Mapping[str, str], texts: Mapping[str, tuple[str, ...]], others: list[str], templates: Templates
) -> AssociationTest:
    texts_x = texts[row["identity"]]
    # A sentence without the identity would stand on both sides.
    y = {text: identity for identity in others for text in texts[identity] if text not in texts_x}
    called = others[0] if len(others) == 1 else f"others than {row['identity']}"
    return AssociationTest(
        name=f"{templates.language}/{row['axis'] or 'any'}/{row[ID]}".replace(" ", "_"),
        x=TermSet(row["identity"], texts_x, (row["identity"],) * len(texts_x)),
        y=TermSet(called, tuple(y), tuple(y.values())),
        a=TermSet(row["attribute"], (row["said"],), (row["attribute"],)),
        b=TermSet(row["opposite_term"], (row["opposite"],), (row["opposite_term"],)),
        axis=row["axis"],
        language=templates.language,
        source=f"one association; sentences: {templates.source}; positive effect: {row['identity']} with the attribute",
        association_id=row[ID],
        built_by=BUILDER,
        words=words_of(templates.language, {"pair templates": True, "opposites": True}, templates),
    )
