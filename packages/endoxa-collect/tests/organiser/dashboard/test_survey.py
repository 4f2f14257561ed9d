"""Live figures of a campaign of questions: people, answers and countries, and nothing of small groups."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from endoxa_collect.contributor.survey import save_answer
from endoxa_collect.models import Role, Statement
from endoxa_collect.organiser.figures import count_survey
from endoxa_collect.small_cells import OTHERS, counted

pytestmark = pytest.mark.slow

QUESTIONS = [
    {"name": name, "axis": "country", "text": {"en": f"What is said of {name}?"}}
    for name in ("food", "music", "work")
]


@pytest.fixture
def river(make_campaign):
    return make_campaign(cards=False, survey=True, questions=QUESTIONS)


@pytest.fixture
def pages(client, river, make_account):
    client.force_login(make_account("ana", river, Role.ORGANISER))

    def read():
        cache.clear()
        names = ("dashboard", "dashboard_live", "projector", "projector_live")
        return [client.get(reverse(f"organiser:{name}", args=["river"])).content.decode() for name in names]

    return read


@pytest.fixture
def answer(river, make_person):
    """Somebody from these countries answers the first questions; "" says that nothing comes to mind."""

    def told(name, *lines, origins=("AR",)):
        person = make_person(river, name, origins=list(origins))
        for question, line in zip(river.settings.questions, lines, strict=False):
            save_answer(person, question, [line] if line else [], "en")

    return told


def test_planted_answers_are_counted(river, answer):
    for number in range(6):
        answer(f"ar{number}", "People drink mate", "People sing")
    for number in range(5):
        answer(f"cl{number}", "People drink tea", "", origins=["CL", "AR"])
    answer("pe", "People cook well", "", "People work", origins=["PE"])
    answer("nobody", "", "")
    figures = count_survey(river, timezone.now())
    assert (figures["people"], figures["answers"]) == (12, {"food": 12, "music": 6, "work": None})
    # Who is from Peru stands together with those from Chile, the smallest of the others.
    assert figures["countries"] == [("AR", 10), (OTHERS, 5)]


def test_nothing_is_shown_of_four_people_but_of_five(river, answer, pages):
    for name in ("one", "two", "three", "four"):
        answer(name, "People drink mate")
    assert count_survey(river, timezone.now()) is None
    for page in pages():
        assert "Shown once 5 people have answered." in page
        assert "Argentina" not in page
    answer("five", "People drink mate")
    for page in pages():
        for words in ("Argentina", "What is said of food?", "5 answers"):
            assert words in page
        assert not any(str(row.person_id) in page or row.text in page for row in Statement.objects.all())


@given(st.dictionaries(st.sampled_from(["", *"ABCDEF"]), st.sets(st.integers(1, 15), min_size=1), max_size=7))
def test_every_row_has_five_people_behind_it(come):
    people = {code: {UUID(int=number) for number in numbers} for code, numbers in come.items()}
    rows = dict(counted(people))
    assert all(number >= 5 for number in rows.values())
    assert all(number == len(people[code]) for code, number in rows.items() if code != OTHERS)
    # Nor can fewer be told from a total.
    rest = set().union(*(people[code] for code in people.keys() - (rows.keys() - {OTHERS})))
    assert not rows or len(rest) == rows.get(OTHERS, 0)
