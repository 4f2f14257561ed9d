"""The end of keeping: after the campaign's retention date nobody's answers can be linked to a person any more."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from uuid import uuid4

from endoxa.collect.audit import record
from endoxa.collect.cards.locking import afterwards, locked
from endoxa.collect.models import Campaign, Card, CardState, JoinCode, Person, State
from endoxa.collect.privacy.erasing import erase_traces
from endoxa.errors import UserError

_EXPIRED = "expired-"


@dataclass(frozen=True)
class Expired:
    """How many people lost their link, and how many unanswered cards went."""

    people: int = 0
    cards: int = 0


def expire(campaign: Campaign, today: date) -> Expired:
    """Once the retention date is over: close the campaign and cut the link between people and their answers.

    The hashes of cookie and receipt code, what people said about themselves beside their countries of origin,
    and cards without an answer are removed. Origins stay, because in-group and out-group ratings rest on
    them and exports merge rare ones. After that nobody can withdraw, since nobody can be recognised: consent says so
    before. Nothing happens before the date, and the second call finds nothing to do.

    Raises:
        UserError: the campaign has no retention date, or one that is no date.
    """
    if today <= retention_date(campaign):
        return Expired()
    with locked(campaign.pk) as found:
        people = list(Person.objects.filter(campaign=found).exclude(receipt_hash__startswith=_EXPIRED))
        for person in people:
            _cut_link(person)
        unanswered = Card.objects.filter(
            campaign=found, state__in=(CardState.OPEN, CardState.LAPSED), mention_rows=None
        )
        cards, _ = unanswered.delete()
        JoinCode.objects.filter(campaign=found).update(revoked=True)
        found.state = State.CLOSED
        found.save(update_fields=["state"])
        expired = Expired(len(people), cards)
        if expired != Expired():
            record(found, None, "retention", **asdict(expired))
            afterwards(erase_traces)
    return expired


def expire_all(today: date) -> Expired:
    """Do the same for every campaign that has a retention date; what went in all of them."""
    done = []
    for campaign in Campaign.objects.all():
        with suppress(UserError):
            done.append(expire(campaign, today))
    return Expired(sum(one.people for one in done), sum(one.cards for one in done))


def retention_date(campaign: Campaign) -> date:
    """The last day on which people's link to their answers is kept.

    Raises:
        UserError: there is none.
    """
    text = campaign.settings.retention
    try:
        return date.fromisoformat(text)
    except ValueError:
        given = f"its retention, '{text}', is no date" if text else "it has no retention date"
        raise UserError(
            f"Nothing was removed from campaign '{campaign.slug}': {given} (write 2027-12-31 in its settings)."
        ) from None


def _cut_link(person: Person) -> None:
    # No hash looks like these; the columns must be unique.
    person.secret_hash, person.receipt_hash = f"{_EXPIRED}{uuid4().hex}", f"{_EXPIRED}{uuid4().hex}"
    person.connections, person.languages, person.topic_optouts, person.extras = [], [], [], {}
    person.save()
