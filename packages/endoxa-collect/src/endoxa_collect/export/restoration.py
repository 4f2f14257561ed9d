"""Import an export as a campaign, for research on a copy: a database that holds what the tables hold.

Not a backup: cookies, receipt codes, exact times, pending pairs and cards without an answer are in no export. People
whose rows cannot be linked have stand-ins. Exported again (`imported=True`), the copy gives the same tables, byte for
byte.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import polars as pl
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Field, Model
from django.utils import timezone

from endoxa.errors import UserError
from endoxa_collect.cards.counts import recount
from endoxa_collect.export.columns import OTHER, POLARITIES, PROFILE
from endoxa_collect.export.folder import About, read_export
from endoxa_collect.export.people import CONDUCT, UNKNOWN_REGION, UNKNOWN_VERSION
from endoxa_collect.models import (
    Campaign,
    Card,
    CardState,
    HurtAnswer,
    Mention,
    MixedAnswer,
    MixedCard,
    Moderation,
    Pair,
    Person,
    Rating,
    SettingsVersion,
    Skip,
    Source,
    State,
    Statement,
    Tombstone,
)
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS

Pairs = Mapping[str, Pair]
"""Pairs by their public id."""

_Row = dict[str, Any]

_BATCH = 500
"""Rows that are updated in one statement."""

_NEGATIVE = {word: negative for negative, word in POLARITIES.items()}


@dataclass
class Placed:
    """People by their key, and stand-ins, handed out so that none answers twice for one pair."""

    campaign: Campaign
    people: dict[str, Person]
    stand_ins: list[Person] = field(default_factory=list)
    used: Counter[tuple[str, str]] = field(default_factory=Counter)

    def person(self, key: str, table: str, pair: str = "") -> Person:
        """The person with a key; without one, a stand-in that has no row for this pair in this table yet."""
        if key:
            if key not in self.people:
                self.people[key] = self._stand_in(UUID(key))
            return self.people[key]
        place = self.used[table, pair]
        self.used[table, pair] += 1
        while len(self.stand_ins) <= place:
            self.stand_ins.append(self._stand_in(uuid4()))
        return self.stand_ins[place]

    def _stand_in(self, pk: UUID) -> Person:
        made = _person(self.campaign, pk, OTHER, origins=[UNKNOWN_REGION])
        made.save(force_insert=True)
        return made


def place_people(campaign: Campaign, people: pl.DataFrame) -> Placed:
    """Make the people of the table of people."""
    listed = []
    for row in people.iter_rows(named=True):
        extras = {
            name.removeprefix(PROFILE): value.split("; ")
            for name, value in row.items()
            if name.startswith(PROFILE) and value
        }
        origins = row["country"].split("; ") if row["country"] else []
        person = _person(campaign, UUID(row["rater"]), row["consent"], origins=origins, extras=extras)
        person.conduct = [row[name] for name in CONDUCT]
        listed.append(person)
    made = Person.objects.bulk_create(listed)
    return Placed(campaign, {str(person.pk): person for person in made})


def _person(
    campaign: Campaign,
    pk: UUID,
    consent: str,
    *,
    origins: Sequence[str],
    extras: Mapping[str, object] | None = None,
) -> Person:
    """A person whom no cookie and no receipt code opens."""
    return Person(
        pk=pk,
        campaign=campaign,
        secret_hash=f"imported-{pk.hex}",
        receipt_hash=f"imported-{pk.hex}",
        ui_language="en",
        consent_version=UNKNOWN_VERSION if consent == OTHER else int(consent),
        consent_language="en",
        consent_hour=timezone.now().replace(minute=0, second=0, microsecond=0),
        profile_done=True,
        origins=list(origins),
        extras=dict(extras or {}),
    )


def add_pairs(campaign: Campaign, pairs: pl.DataFrame, mentions: pl.DataFrame) -> Pairs:
    """Pairs, and a shell for each that was merged into one: of its own words only mentions are exported."""
    spoken = dict(mentions.select("said_id", "language").iter_rows())
    roots = Pair.objects.bulk_create(
        Pair(
            campaign=campaign,
            public_id=row["association_id"],
            country=row["country"],
            attribute=row["attribute"],
            key=row["association_id"],
            language=row["language"],
            topic=row["topic"],
            negative=_NEGATIVE.get(row["polarity"]),
            source=row["origin"],
            moderation=Moderation.LIVE,
            calibration=row["calibration"],
            need=CANDIDATE if row["candidate"] else NEEDS,
        )
        for row in pairs.iter_rows(named=True)
    )
    shells = Pair.objects.bulk_create(
        Pair(
            campaign=campaign,
            public_id=merged,
            country=root.country,
            attribute="",
            key=merged,
            language=spoken.get(merged, root.language),
            source=Source.CONTRIBUTOR,
            moderation=Moderation.MERGED,
            merged_into=root,
        )
        for root, merged_ids in zip(roots, pairs["merged_ids"], strict=True)
        for merged in merged_ids.split()
    )
    return {str(pair.public_id): pair for pair in (*roots, *shells)}


def add_ratings(ratings: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Ratings with their cards; those that were rated again come first, so that the same ones count."""
    rows = ratings.sort("hour", "counted", "row_id").to_dicts()
    cards = _add_cards(rows, "ratings", pairs, placed, CardState.ANSWERED)
    Rating.objects.bulk_create(
        Rating(
            public_id=row["row_id"],
            card=card,
            person=card.person,
            pair=card.pair,
            value=row["value"],
            in_group=bool(row["in_group"]),
            surplus=row["surplus"],
            created_at=moment_of(row["hour"]),
        )
        for row, card in zip(rows, cards, strict=True)
    )


def add_mentions(mentions: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Mentions; the first of a person comes first, so that the same ones count."""
    rows = mentions.sort("hour", ~pl.col("counted"), "row_id").to_dicts()
    made = Mention.objects.bulk_create(
        Mention(
            public_id=row["row_id"],
            person=placed.person(row["rater"], "mentions", row["association_id"]),
            pair=pairs[row["said_id"]],
            text=row["text"],
            via=row["via"],
            alike_to=pairs.get(row["asked_same_as"]),
            alike=row["same"],
        )
        for row in rows
    )
    _set_times(Mention, made, rows)


def add_skips(skips: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Skips with their cards."""
    rows = skips.to_dicts()
    cards = _add_cards(rows, "skips", pairs, placed, CardState.SKIPPED)
    Skip.objects.bulk_create(
        Skip(
            public_id=row["row_id"],
            card=card,
            person=card.person,
            pair=card.pair,
            reason=row["reason"],
            created_at=moment_of(row["hour"]),
        )
        for row, card in zip(rows, cards, strict=True)
    )


def add_hurt_answers(answers: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """What people said of pairs that nobody had judged, without their cards."""
    HurtAnswer.objects.bulk_create(
        HurtAnswer(
            public_id=row["row_id"],
            person=placed.person(row["rater"], "hurt_answers", row["association_id"]),
            pair=pairs[row["shown_id"]],
            answer=row["answer"],
            created_at=moment_of(row["hour"]),
        )
        for row in answers.iter_rows(named=True)
    )


def add_mixed(mixed: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Answers to lists and comparisons, with a card for each set; one for each row where people have no key."""
    cards: dict[str, MixedCard] = {}
    answers = []
    for row in mixed.sort("hour", "counted", "row_id").to_dicts():
        name = row["set_id"] or str(uuid4())
        if name not in cards:
            person = placed.person(row["rater"], f"mixed {row['kind']}", row["association_id"])
            moment = moment_of(row["hour"])
            cards[name] = MixedCard(
                token=name,
                campaign_id=person.campaign_id,
                person=person,
                kind=row["kind"],
                country=pairs[row["shown_id"]].country,
                propensity=row["propensity"],
                version=row["settings_version"],
                state=CardState.ANSWERED,
                drawn_at=moment,
                closed_at=moment,
            )
        card = cards[name]
        answers.append(
            MixedAnswer(
                public_id=row["row_id"],
                card=card,
                person=card.person,
                pair=pairs[row["shown_id"]],
                position=row["position"],
                answer=row["answer"],
            )
        )
    MixedCard.objects.bulk_create(cards.values())
    MixedAnswer.objects.bulk_create(answers)


def add_statements(campaign: Campaign, statements: pl.DataFrame, placed: Placed) -> None:
    """Answers of the survey, their statements put together again."""
    answers = [lines for _, lines in statements.group_by("row_id", maintain_order=True)]
    rows = [lines.row(0, named=True) for lines in answers]
    made = Statement.objects.bulk_create(
        Statement(
            public_id=row["row_id"],
            campaign=campaign,
            person=placed.person(row["respondent"], "statements"),
            question=row["question"],
            axis=row["axis"],
            language=row["language"],
            text="\n".join(lines.sort("position")["text"]),
        )
        for row, lines in zip(rows, answers, strict=True)
    )
    _set_times(Statement, made, rows)


def _set_times(model: type[Model], made: Sequence[Any], rows: Sequence[_Row]) -> None:
    """Give answers the times of their export: making a row sets its time."""
    for answer, row in zip(made, rows, strict=True):
        answer.created_at = moment_of(row["hour"])
    model._default_manager.bulk_update(made, ["created_at"], batch_size=_BATCH)


def add_tombstones(campaign: Campaign, withdrawals: pl.DataFrame) -> None:
    """The list of withdrawals."""
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    Tombstone.objects.bulk_create(
        Tombstone(campaign=campaign, row=row["row_id"], table=row["table"], withdrawn_hour=hour)
        for row in withdrawals.iter_rows(named=True)
    )


def moment_of(hour: str) -> datetime:
    """The time that `rows.time_of` wrote."""
    moment = datetime.fromisoformat(hour)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _add_cards(
    rows: Sequence[_Row], table: str, pairs: Pairs, placed: Placed, state: CardState
) -> list[Card]:
    """A card for each answer."""
    cards = []
    for row in rows:
        pair, moment = pairs.get(row["shown_id"]), moment_of(row["hour"])
        cards.append(
            Card(
                campaign_id=placed.campaign.pk,
                person=placed.person(row["rater"], table, row["association_id"]),
                pair=pair,
                country=pair.country if pair else "",
                number=0,
                tier=row.get("tier", ""),
                slot=row.get("slot", ""),
                propensity=row["propensity"],
                pool=row.get("pool") or 0,
                late=row.get("late", False),
                revealed=row["revealed"],
                pace=row.get("pace", ""),
                version=row.get("settings_version", 0),
                digest=row.get("settings_digest", ""),
                state=state,
                drawn_at=moment,
                expires_at=moment,
                closed_at=moment,
            )
        )
    return Card.objects.bulk_create(cards)


_COLUMNS: Mapping[str, tuple[type[Model], Mapping[str, str]]] = {
    "pairs": (
        Pair,
        {name: name for name in ("country", "attribute", "language", "topic")} | {"origin": "source"},
    ),
    "ratings": (Card, {"tier": "tier", "slot": "slot", "revealed": "revealed"}),
    "mentions": (Mention, {"text": "text", "via": "via"}),
    "skips": (Skip, {"reason": "reason"}),
    "hurt_answers": (HurtAnswer, {"answer": "answer"}),
    "mixed": (MixedAnswer, {"answer": "answer"}),
    "statements": (Statement, {"question": "question", "axis": "axis", "language": "language"}),
}
"""Columns of the tables with a limited length or a closed list of values, and the fields that hold them."""


def _require_valid(folder: Path, frames: Mapping[str, pl.DataFrame]) -> None:
    """Refuse values that no page of the site could have stored.

    Raises:
        UserError: there is one; it says in which table, row and column.
    """
    for table, (model, columns) in _COLUMNS.items():
        for column, name in columns.items():
            field = model._meta.get_field(name)
            assert isinstance(field, Field)
            values = frames[table][column]
            for value in values.drop_nulls().unique(maintain_order=True).to_list():
                try:
                    if value:
                        field.clean(value, None)
                except ValidationError as problem:
                    row = values.index_of(value)
                    raise UserError(
                        f"{folder}, table {table}, row {(row or 0) + 1}, column '{column}': {value!r} is invalid "
                        f"({' '.join(problem.messages)}) Take the export again."
                    ) from None


def import_campaign(folder: Path) -> Campaign:
    """Read an export into a new, closed campaign of this database.

    Args:
        folder: what `endoxa collect export` wrote.

    Raises:
        UserError: the folder is no export or damaged, its name, settings or values are invalid, it is a restricted
            release, or a campaign of that name is there.
    """
    about, frames = read_export(folder)
    if about.recipient:
        # The copy could be exported again, without the conditions.
        raise UserError(
            f"{folder} is a restricted release, which does not become a campaign again: import a public one, "
            "or restore a backup."
        )
    if Campaign.objects.filter(slug=about.campaign).exists():
        raise UserError(f"This database has a campaign '{about.campaign}' already: import into an empty one.")
    _require_valid(folder, frames)
    try:
        return _imported(about, frames)
    except (IntegrityError, KeyError, ValueError) as problem:
        # A row names another that is not there, a number is out of range, or a name or time is malformed.
        raise UserError(f"{folder} is damaged ({problem}). Take the export again.") from problem


def _imported(about: About, frames: Mapping[str, pl.DataFrame]) -> Campaign:
    with transaction.atomic():
        # It begins at once: nothing in a copy is a rehearsal that could be erased.
        now = timezone.now()
        campaign = Campaign.objects.create(
            slug=about.campaign, state=State.CLOSED, version=about.version, began_at=now, paused_at=now
        )
        content = json.loads(about.settings.model_dump_json())
        SettingsVersion.objects.create(campaign=campaign, number=about.version, content=content)
        placed = place_people(campaign, frames["people"])
        pairs = add_pairs(campaign, frames["pairs"], frames["mentions"])
        add_ratings(frames["ratings"], pairs, placed)
        add_mentions(frames["mentions"], pairs, placed)
        add_skips(frames["skips"], pairs, placed)
        add_hurt_answers(frames["hurt_answers"], pairs, placed)
        add_mixed(frames["mixed"], pairs, placed)
        add_statements(campaign, frames["statements"], placed)
        add_tombstones(campaign, frames["withdrawals"])
        # What is known of each pair stands in the table of pairs; reports, which would count against it, do not.
        recount(campaign, Pair.objects.filter(campaign=campaign, merged_into=None), judged=False)
    return campaign
