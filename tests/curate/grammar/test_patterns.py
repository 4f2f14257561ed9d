"""Rows of sentence patterns, read and written in both directions; the tables of the languages; forms of words."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import endoxa_collect.presets
from endoxa.curate.grammar.sentences import sentence_pair
from endoxa.curate.grammar.subject import without_titles
from endoxa.curate.grammar.templates import UnclearError, in_plural, load_templates, predicate
from endoxa.curate.opposites import load_lexicon
from endoxa.errors import UserError
from endoxa.words.packs import languages_with, rows_of
from endoxa.words.patterns import grammar

pytestmark = pytest.mark.slow

TEMPLATES = load_templates()
SCHOOL = Path(next(iter(endoxa_collect.presets.__path__))) / "school.csv"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("verb", "{verb}", "no {verb}", ""), "the slot {verb} is not known; there are a, x, v, rest"),
        (("verb", "{v", "no {v}", ""), "'{' stands alone"),
        (("verb", "{v}", "", ""), "expected a pattern, and its denial or a note"),
        (("verb", "{v}", "no {x}", ""), "the denial has a slot that the sentence lacks"),
        (("verb", "[{v}", "no {v}", ""), "the pattern cannot be read"),
    ],
)
def test_a_faulty_row_is_refused_in_a_sentence(row, message):
    with pytest.raises(UserError) as caught:
        grammar((row,), "own.csv")
    assert message in str(caught.value)
    assert str(caught.value).startswith("own.csv, row 1")


@pytest.mark.parametrize("language", languages_with("grammar.csv"))
def test_every_row_with_an_example_reads_it(language):
    """A note without a reason is an example; the row it stands at reads it first, and there and back."""
    made = grammar(tuple(tuple(row.values()) for row in rows_of(language, "grammar.csv")), language)
    for row in rows_of(language, "grammar.csv"):
        if row["set"] in ("slot", "unclear", "bare", "any verb") or not row["denied"] or not row["note"]:
            continue
        first = next(made.readings(row["note"]), None)
        assert first is not None, row
        assert (first.row.affirmed.text, first.row.set) == (
            row["affirmed"].replace("[", "").replace("]", ""),
            row["set"],
        )


@pytest.mark.parametrize("language", ["es", "fr", "pt", "hi", "ar", "sw"])
def test_what_is_denied_and_denied_again_is_what_was_said(language):
    """All pairs of the preset; Swahili "hawa-" denies several sentences, and French "pas de" is not undone."""
    template, lexicon = TEMPLATES[language], load_lexicon(language)
    rows = grammar(template.rows, language)
    with SCHOOL.open(encoding="utf-8") as file:
        attributes = [row["attribute"] for row in csv.DictReader(file) if row["language"] == language]
    assert len(attributes) == 168
    unclear = lost = 0
    for attribute in attributes:
        try:
            made = predicate(attribute, template, gender="m", lexicon=lexicon)
        except UnclearError:
            unclear += 1
            continue
        if not made.denied:
            unclear += 1
            continue
        back = [each.there.fill(each.slots) for each in rows.readings(made.denied) if each.there]
        try:
            again = predicate(made.denied, template, gender="m", lexicon=lexicon)
        except UnclearError:
            lost += 1
            continue
        assert again.asserted == made.denied
        assert made.asserted in (again.denied, *back)
    assert unclear <= 3
    assert lost == (60 if language == "fr" else 0)


@pytest.mark.parametrize(
    ("language", "attribute", "evidence", "asserted", "denied"),
    [
        ("es", "fuertes", "copula", "son fuertes", "no son fuertes"),
        ("es", "no fuertes", "copula", "no son fuertes", "son fuertes"),
        ("fr", "haïssent danser", "verb", "haïssent danser", "ne haïssent pas danser"),
        ("ar", "يابانيون", "verb", "يابانيون", "لا يابانيون"),
        ("sw", "wana busara", "have", "wana busara", "hawana busara"),
    ],
)
def test_how_people_said_it_decides_what_is_looked_for(language, attribute, evidence, asserted, denied):
    made = predicate(attribute, TEMPLATES[language], evidence, "m")
    assert (made.asserted, made.denied) == (asserted, denied)


COLLECTIVES = [
    ("es", "gente de la costa", "alegre", "copula", "La gente de la costa", "es alegre", "no es alegre"),
    ("pt", "povo da roça", "trabalhador", "copula", "O povo da roça", "é trabalhador", "não é trabalhador"),
]


@pytest.mark.parametrize(("language", "group", "attribute", "how", "who", "said", "denied"), COLLECTIVES)
def test_a_collective_is_a_singular(language, group, attribute, how, who, said, denied):
    made = sentence_pair(group, attribute, TEMPLATES[language], None, evidence=how)
    assert (made.more, made.less) == (f"{who} {said}.", f"{who} {denied}.")


@pytest.mark.parametrize(
    ("attribute", "evidence", "why"),
    [("alegres", "copula", "is a plural"), ("alegre", "", "how people said it")],
)
def test_what_is_no_singular_is_not_said_of_a_collective(attribute, evidence, why):
    with pytest.raises(UnclearError, match=why):
        sentence_pair("gente de la costa", attribute, TEMPLATES["es"], None, evidence=evidence)


@pytest.mark.parametrize(
    ("language", "group", "attribute", "why"),
    [
        ("es", "panaderos", "casi cantan", "how 'casi' before a verb is denied"),
        ("en", "bakers", "used to noise", "a past habit or a custom"),
    ],
)
def test_what_can_be_read_in_two_ways_is_left_out(language, group, attribute, why):
    with pytest.raises(UnclearError, match=why):
        sentence_pair(group, attribute, TEMPLATES[language], None)


@pytest.mark.parametrize(
    ("language", "gender", "word", "reason"),
    [
        ("es", "f", "lago", "the feminine plural of 'lago' is not sure"),
        ("es", "m", "trabajadora", "is singular and feminine"),
        ("es", "", "flojo", "the gender of the group is not known"),
        ("hi", "m", "पिटारा", "no plural of 'पिटारा' is known"),
    ],
)
def test_a_plural_that_is_not_sure_is_left_out(language, gender, word, reason):
    rows = grammar(TEMPLATES[language].rows, language)
    with pytest.raises(UnclearError) as caught:
        in_plural(word, language, rows, gender, load_lexicon(language))
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "plain"),
    [("Hard Working", "hard working"), ("Love Spicy food", "love Spicy food"), ("Love Ghana", "love Ghana")],
)
def test_capitals_of_a_cell_or_a_title_go_and_those_of_names_stay(cell, plain):
    assert without_titles(cell) == plain
