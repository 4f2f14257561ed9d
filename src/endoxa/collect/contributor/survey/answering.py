"""Keeping what a person answered: one row a person and question."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from endoxa.collect.campaign.settings import SurveyQuestion
from endoxa.collect.cards.locking import afterwards, locked
from endoxa.collect.models import Person, Statement
from endoxa.collect.privacy.erasing import erase_traces
from endoxa.collect.withdrawals.listing import What, noted
from endoxa.collect.withdrawals.tombstones import bury


def save_answer(person: Person, question: SurveyQuestion, lines: Sequence[str], language: str) -> None:
    """Store an answer, one statement a line, in the place of an earlier one. No lines: nothing comes to mind.

    An answer that was taken back may stand in a release or a backup, so that its row is named as withdrawn; so is one
    that lost a line after a release. Nothing is stored for somebody who has left meanwhile.
    """
    text = "\n".join(lines)
    with locked(person.campaign_id) as campaign:
        if not Person.objects.filter(pk=person.pk).exists():
            return
        earlier = Statement.objects.filter(person=person, question=question.name).first()
        released = campaign.releases.perhaps_out().exists()
        if earlier is not None and _takes_back(earlier, lines, released=released):
            with noted(campaign, What.ANSWER):
                bury(campaign, "statements", [earlier.public_id], timezone.now())
            earlier.delete()
            afterwards(erase_traces)
        Statement.objects.update_or_create(
            person=person,
            question=question.name,
            defaults={"campaign": campaign, "axis": question.axis, "language": language, "text": text},
        )


def _takes_back(earlier: Statement, lines: Sequence[str], *, released: bool) -> bool:
    said = set(filter(None, earlier.text.split("\n")))
    return bool(said) if not lines else released and not said <= set(lines)
