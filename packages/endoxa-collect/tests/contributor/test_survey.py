"""The open questions: shown with an example from near by, answered line by line, changed, passed."""

from __future__ import annotations

import pytest

from endoxa.curate.survey.rows import RowColumns, read_statements
from endoxa_collect.contributor.survey import (
    MOST_LINES,
    next_step,
)
from endoxa_collect.entry.cleaning import MAX_LENGTH
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import Release, Statement, Tombstone

pytestmark = pytest.mark.slow

QUESTIONS = [
    {
        "name": "cooks",
        "axis": "profession",
        "text": {"en": "What do people say about cooks?", "es": "¿Qué se dice de la gente que cocina?"},
        "examples": {
            "": {"en": "Cooks get up early"},
            "AR": {"en": "Cooks grill on Sundays", "es": "Asan los domingos"},
            "BR": {"en": "Cooks love beans"},
        },
    },
    {"name": "poets", "axis": "other", "text": {"en": "What do people say about poets?"}},
]
SURVEY = "/survey/"
COOKS, POETS = "/survey/cooks/", "/survey/poets/"


@pytest.fixture
def campaign(make_campaign):
    return make_campaign(survey=True, questions=QUESTIONS)


def sent(*lines, language="en", **more):
    return {"lines": "\n".join(lines), "language": language, **more}


def test_questions_are_asked_one_after_the_other_and_then_cards_follow(person, as_person):
    client = as_person(person)
    # What was said to a question that is gone does not count.
    Statement.objects.create(person=person, campaign=person.campaign, question="old_one", text="Cooks sing")
    assert next_step(person) == "contributor:survey"
    assert "0 of 2 questions answered" in client.get(SURVEY).content.decode()
    # Signs that cannot be seen are not stored.
    assert client.post(COOKS, sent("Cooks\u202e sing\u200b", " ", "Cooks taste everything")).url == POETS
    assert "1 of 2 questions answered" in client.get(SURVEY).content.decode()
    assert client.post(POETS, sent("Poets walk a lot", language="es")).url == SURVEY
    assert next_step(person) == "contributor:card"
    rows = Statement.objects.order_by("pk").values_list("question", "axis", "language", "text")
    assert list(rows)[1:] == [
        ("cooks", "profession", "en", "Cooks sing\nCooks taste everything"),
        ("poets", "other", "es", "Poets walk a lot"),
    ]


def test_an_answer_can_be_changed_and_is_named_as_withdrawn_once_something_is_taken_back(person, as_person):
    client = as_person(person)
    client.post(COOKS, sent("Cooks sing", language="es"))
    before = Statement.objects.get()
    page = client.get(COOKS).content.decode()
    assert "Cooks sing</textarea>" in page
    assert '<option value="es" selected>' in page
    client.post(COOKS, sent("Cooks whistle"))
    after = Statement.objects.get()
    assert (after.public_id, after.text, after.language) == (before.public_id, "Cooks whistle", "en")
    assert not Tombstone.objects.exists()
    # After a release also a line that goes, not one that comes.
    Release.objects.create(campaign=person.campaign, number="1.0", salt="x")
    client.post(COOKS, sent("Cooks whistle", "Cooks sing"))
    assert Statement.objects.get().public_id == before.public_id
    client.post(COOKS, sent("Cooks sing"))
    assert Tombstone.objects.get().row == before.public_id
    assert Statement.objects.get().text == "Cooks sing"
    second = Statement.objects.get().public_id
    # Nothing comes to mind: that is remembered, and stores no words.
    assert client.post(COOKS, sent("", nothing="1")).url == POETS
    assert set(Tombstone.objects.values_list("row", flat=True)) == {before.public_id, second}
    assert Statement.objects.get().text == ""
    assert Statement.objects.get().public_id != second
    assert "Nothing came to mind" in client.get(SURVEY).content.decode()


@pytest.mark.parametrize(
    ("lines", "more", "sentence"),
    [
        (["Cooks sing"], {"nothing": "1"}, "empty the lines first"),
        (["Cooks sing"] * (MOST_LINES + 1), {}, f"Please write at most {MOST_LINES} lines."),
        (["Cooks sing", "a" * (MAX_LENGTH + 3)], {}, "3 characters too long"),
        (["", "\u200b"], {}, "Please write at least one line"),
    ],
)
def test_what_is_refused_is_named_and_nothing_is_lost(person, as_person, lines, more, sentence):
    page = as_person(person).post(COOKS, sent(*lines, **more))
    assert page.status_code == 200
    assert sentence in page.content.decode()
    typed = "\n".join(lines).strip("\n\u200b")
    assert f"{typed}</textarea>" in page.content.decode()
    assert not Statement.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_export_feeds_curate_one_statement_a_line(person, as_person, tmp_path):
    client = as_person(person)
    client.post(COOKS, sent("Cooks love salt", "Cooks sing at work"))
    client.post(POETS, sent("", language="", nothing="1"))
    export_campaign(person.campaign, tmp_path / "out")
    table = tmp_path / "out" / "statements.csv"
    found = read_statements(table, RowColumns("text", "question"))
    row = Statement.objects.get(question="cooks").public_id
    assert [(one.statement_id, one.text) for one in found if one.text] == [
        (f"{row}-1", "Cooks love salt"),
        (f"{row}-2", "Cooks sing at work"),
    ]
    assert {(one.question.axis, one.language) for one in found if one.text} == {("profession", "en")}
    assert "| languages | en |" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
