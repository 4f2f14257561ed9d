"""Queries that are built once give what the same query gives when it is built each time."""

from __future__ import annotations

from uuid import uuid4

from django.db.models import CharField, QuerySet, UUIDField

from endoxa_collect.compiled import compiled
from endoxa_collect.models import Person

MADE = []


@compiled(UUIDField(), CharField())
def _rows(person: object, language: object) -> QuerySet[Person, tuple[object, ...]]:
    MADE.append(person)
    people = Person.objects.filter(pk=person, ui_language=language)
    return people.values_list("ui_language", "pk", "origins", "campaign__slug")


@compiled(UUIDField())
def _people(person: object) -> QuerySet[Person]:
    return Person.objects.select_related("campaign").filter(pk=person)


def test_each_run_has_its_own_values_and_the_columns_keep_their_order(
    campaign, make_person, django_assert_num_queries
):
    MADE.clear()
    first, second = (make_person(campaign, code, ui_language=code) for code in ("es", "ar"))
    for one in (first, second, first):
        assert _rows(one.pk, one.ui_language) == [(one.ui_language, one.pk, ["AR"], campaign.slug)]
    assert _rows(first.pk, "ar") == _rows(uuid4(), "es") == []
    assert len(MADE) <= 1
    with django_assert_num_queries(1):
        (found,) = _people(second.pk)
        assert (found, found.campaign, found.origins) == (second, campaign, ["AR"])
    Person.objects.filter(pk=second.pk).update(origins=["CL"])
    assert _people(second.pk)[0].origins == ["CL"]
