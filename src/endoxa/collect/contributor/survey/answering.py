"""Keeping what a person answered: one row a person and question."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from endoxa.collect.campaign.settings import SurveyQuestion
from endoxa.collect.cards.locking import locked
from endoxa.collect.models import Person, Statement, Tombstone


def save_answer(person: Person, question: SurveyQuestion, lines: Sequence[str], language: str) -> None:
    """Store an answer, one statement a line, in the place of an earlier one. No lines: nothing comes to mind.

    An answer that was taken back may stand in a release already, so that its row is named as withdrawn. Nothing is
    stored for somebody who has left meanwhile.
    """
    text = "\n".join(lines)
    with locked(person.campaign_id) as campaign:
        if not Person.objects.filter(pk=person.pk).exists():
            return
        earlier = Statement.objects.filter(person=person, question=question.name).first()
        if earlier is not None and earlier.text and not text:
            hour = timezone.now().replace(minute=0, second=0, microsecond=0)
            Tombstone.objects.create(
                campaign=campaign, row=earlier.public_id, table="statements", withdrawn_hour=hour
            )
            earlier.delete()
        Statement.objects.update_or_create(
            person=person,
            question=question.name,
            defaults={"campaign": campaign, "axis": question.axis, "language": language, "text": text},
        )
