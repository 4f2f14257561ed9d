"""The tables of an export before they are counted: people, pairs, and answers, which are declared once.

Exports read answers from the database, patches cut them. What people without a key may not have is said in one place
(`without_key`), for both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import polars as pl
from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Coalesce

from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings, ProfileField
from endoxa_collect.cards.conduct import conduct_of
from endoxa_collect.cards.counts import roots_of
from endoxa_collect.export.columns import OTHER, OWN, POLARITIES, PROFILE, SHARED_TIERS, schema_of
from endoxa_collect.models import (
    CLOSED,
    Campaign,
    Card,
    CardState,
    Mention,
    MixedKind,
    Moderation,
    Pair,
    Person,
    Rating,
    Source,
    Statement,
    Tombstone,
    answers_of,
)
from endoxa_collect.sampler.slots import CANDIDATE
from endoxa_collect.small_cells import LEAST, Row, merge_small_cells
from endoxa_collect.withdrawals import Keys


def published_people(
    campaign: Campaign, keys: Keys, *, unmerged: bool = False, without: Set[UUID] = frozenset()
) -> pl.DataFrame:
    """What is said of each person of a campaign but those `without`: one key and a few coarse columns.

    `rater` is empty for people from countries that fewer than `LEAST` share: which pairs they were shown, and whether
    these were about their own country, would say where they are from. Their answers cannot be linked to each other.
    `country` holds every origin that they had when they answered: cards about their own country would tell of one that
    they took back.

    `unmerged`: as they are, for restricted releases and for sums.
    """
    settings = campaign.settings
    everybody = Person.objects.filter(campaign=campaign).order_by("pk")
    people = [person for person in everybody if person.pk not in without]
    conduct = conduct_of(campaign)
    least = 1 if unmerged else LEAST
    answered = _origins_when_answering(campaign)
    merged = merge_small_cells(
        [_cells(person, {*person.origins, *answered[person.pk]}, settings) for person in people], least
    )
    interviews = _interviews(people, merged, least) if settings.interviewers else [()] * len(people)
    rows = []
    for person, cells, interview in zip(people, merged, interviews, strict=True):
        key, alone = keys.rater(person.pk), keys.respondent(person.pk)
        linked = (key, key) if cells[0] != OTHER else ("", alone)
        classes = conduct[person.pk].classes() if person.pk in conduct else ("", "", "")
        rows.append((str(person.pk), *linked, *cells, *classes, *interview))
    profile = [PROFILE + field.name for field in settings.profile]
    names = ["person", "rater", "respondent", "country", *profile, "consent"]
    names += ["speeding", "straight_lining", "nonresponse"]
    names += ["mode", "interviewer"] if settings.interviewers else []
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def people_rows(people: pl.DataFrame, settings: CampaignSettings) -> pl.DataFrame:
    """The table of people who have a key."""
    return _declared("people", settings, people.filter(pl.col("rater") != ""))


def _origins_when_answering(campaign: Campaign) -> Mapping[UUID, set[str]]:
    """Countries that were each person's own when they rated a pair about it, or got it as one about their own."""
    rated = Rating.objects.filter(person__campaign=campaign, in_group=True)
    drawn = Card.objects.filter(campaign=campaign, tier=OWN, state__in=CLOSED)
    origins: defaultdict[UUID, set[str]] = defaultdict(set)
    for person, country in (
        *rated.values_list("person", "pair__country").distinct(),
        *drawn.values_list("person", "country").distinct(),
    ):
        origins[person].add(country)
    return origins


def _cells(person: Person, origins: Collection[str], settings: CampaignSettings) -> tuple[str, ...]:
    declared = (_answer(person.extras, field) for field in settings.profile)
    return ("; ".join(sorted(origins)), *declared, str(person.consent_version))


def _interviews(people: Sequence[Person], merged: Sequence[Row], least: int) -> list[Row]:
    """Mode and interviewer of each person, given up for all whose other cells are the same where fewer share one.

    They are no cells of `merge_small_cells`, so that nobody loses the country for a rare interviewer.
    """
    alike: defaultdict[Row, Counter[str]] = defaultdict(Counter)
    for person, cells in zip(people, merged, strict=True):
        alike[cells][person.interviewer] += 1

    def said(person: Person, cells: Row) -> Row:
        alone = alike[cells][""]
        named = {name: count for name, count in alike[cells].items() if name}
        if any(0 < n < least for n in (alone, sum(named.values()))):
            return (OTHER, OTHER)
        if not person.interviewer:
            return ("self", "")
        return ("interview", person.interviewer if min(named.values()) >= least else OTHER)

    return [said(person, cells) for person, cells in zip(people, merged, strict=True)]


def _answer(extras: Mapping[str, Any], field: ProfileField) -> str:
    """What was chosen among the choices that the campaign declares now; anything else stays here."""
    answer = extras.get(field.name, "")
    chosen = answer if isinstance(answer, list) else [answer]
    return "; ".join(sorted(str(value) for value in chosen if value in field.choices or value == OTHER))


def read_pool(campaign: Campaign, without: Set[int] = frozenset()) -> pl.DataFrame:
    """The pairs that an export shows: key, public id (`shown`), and that of the pair it counts for (`root`).

    Without those that contributors do not see (pending, hidden), and those `without`.
    """
    rows = Pair.objects.filter(campaign=campaign).values_list("pk", "public_id", "moderation")
    pairs = {pk: (str(name), moderation) for pk, name, moderation in rows}
    above = roots_of(campaign.pk)
    shown = []
    for pk, (name, _) in pairs.items():
        root, moderation = pairs[above.get(pk, pk)]
        if moderation == Moderation.LIVE and above.get(pk, pk) not in without:
            shown.append((pk, name, root))
    return pl.DataFrame(shown, schema={"pair": pl.Int64, "shown": pl.String, "root": pl.String}, orient="row")


def words_without_others(campaign: Campaign, people: Set[UUID]) -> frozenset[int]:
    """Roots of pairs that these people said, and nobody else said or rated."""
    if not people:
        return frozenset()
    pairs = Pair.objects.filter(campaign=campaign)
    roots = roots_of(campaign.pk)
    behind: defaultdict[int, set[UUID]] = defaultdict(set)
    for model in (Mention, Rating):
        for pk, person in model.objects.filter(pair__in=pairs).values_list("pair", "person"):
            behind[roots.get(pk, pk)].add(person)
    said = pairs.filter(mention_rows__person__in=people, source=Source.CONTRIBUTOR).distinct()
    theirs = {roots.get(pk, pk) for pk in said.values_list("pk", flat=True)}
    kept = set(pairs.filter(pk__in=theirs).exclude(source=Source.CONTRIBUTOR).values_list("pk", flat=True))
    return frozenset(pk for pk in theirs - kept if behind[pk] <= people)


@dataclass(frozen=True)
class Table:
    """Answers of one kind.

    Attributes:
        fields: the field of each column that is exported as it is stored.
        shown: the column that names the pair before merging.
        order: the last answer of a person about a pair (and the columns `each`) is the one that counts.
        fixed: columns that are the same in every row.
    """

    fields: Mapping[str, str]
    shown: str = "shown_id"
    order: tuple[Any, ...] = ("created_at", "pk")
    each: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)


def given(campaign: Campaign) -> dict[str, QuerySet[Any]]:
    """All answers of a campaign that say something, by table; of lists and comparisons without rows of reports."""
    answers = answers_of(person__campaign=campaign)
    return answers | {"mixed": answers["mixed"].filter(card__state=CardState.ANSWERED)}


_CLOSED = Coalesce("card__closed_at", "card__drawn_at")
_TICKED = ExpressionWrapper(Q(answer="heard"), output_field=BooleanField()).asc()
_DRAWN = {"revealed": "card__revealed", "propensity": "card__propensity", "pace": "card__pace"}
TABLES: Mapping[str, Table] = {
    "ratings": Table(
        {
            "value": "value", "surplus": "surplus", "tier": "card__tier", "slot": "card__slot", "pool": "card__pool",
            "late": "card__late", "settings_version": "card__version", "settings_digest": "card__digest", **_DRAWN,
        },
        fixed={"prompted": True},
    ),
    "mentions": Table(
        {"text": "text", "via": "via", "same": "alike", "language": "pair__language", "asked": "alike_to"},
        shown="said_id",
        # What somebody said first is what counts.
        order=("-created_at", "-pk"),
        fixed={"prompted": False},
    ),
    "skips": Table({"reason": "reason", **_DRAWN}, each=("row_id",)),
    "hurt_answers": Table({"answer": "answer"}),
    "mixed": Table(
        {
            "answer": "answer", "position": "position", "set_id": "card__token", "kind": "card__kind",
            "propensity": "card__propensity", "settings_version": "card__version",
        },
        # Within a card what was ticked comes last, so that it is what counts.
        order=("moment", "card_id", _TICKED, "pk"),
        each=("kind",),
    ),
}  # fmt: skip
STATEMENTS = {"question": "question", "axis": "axis", "language": "language", "text": "text"}
"""The same of the open questions, which are about no pair."""

_BLANK = ("tier", "slot", "rater", "set_id", "pace")
_NULL = ("in_group", "propensity", "pool")


def without_key(frame: pl.DataFrame, gone: pl.Expr) -> pl.DataFrame:
    """Take from rows of people without a key what would say where they are from, and answers that do not count."""
    kept = frame.filter(~gone | pl.col("counted")) if "counted" in frame.columns else frame
    there = set(frame.columns)
    return kept.with_columns(
        pl.when(gone).then(pl.col("hour").str.head(len("2026-05-04"))).otherwise("hour").alias("hour"),
        *(pl.when(~gone).then(name).otherwise(pl.lit("")).alias(name) for name in _BLANK if name in there),
        *(pl.when(~gone).then(name).alias(name) for name in _NULL if name in there),
    )


def answer_rows(
    campaign: Campaign, name: str, pool: pl.DataFrame, people: pl.DataFrame, *, unmerged: bool = False
) -> pl.DataFrame:
    """A table of answers of those people about the pairs of the pool."""
    table = TABLES[name]
    fields = {
        "row_id": "public_id",
        "person": "person",
        "pair": "pair",
        "about": "pair__country",
        **table.fields,
    }
    rows = given(campaign)[name].annotate(moment=F("created_at") if name != "mixed" else _CLOSED)
    stored = rows.order_by(*table.order).values_list("moment", *fields.values())
    schema = schema_of(name, campaign.settings) | {"pair": pl.Int64, "asked": pl.Int64}
    known = (
        _frame(("moment", *fields), stored, schema)
        .join(people, on="person", maintain_order="left")
        .join(pool, on="pair", how="left", maintain_order="left")
        .filter(pl.col("pair").is_null() | pl.col("root").is_not_null())
    )
    if name == "mixed":
        sides = pl.col("root").n_unique().over("set_id")
        known = known.filter((pl.col("kind") != MixedKind.COMPARE) | (sides == 2))
    known = known.with_columns(
        pl.col("root").fill_null("").alias("association_id"),
        pl.col("shown").fill_null("").alias(table.shown),
        counted=pl.struct("person", "root", *table.each).is_last_distinct(),
        **{column: pl.lit(value) for column, value in table.fixed.items()},
    )
    if name == "mentions":
        others = pool.select(asked="pair", asked_same_as="shown")
        known = known.join(others, on="asked", how="left", maintain_order="left")
        same = pl.when(pl.col("asked_same_as").is_not_null()).then("same")
        known = known.with_columns(pl.col("asked_same_as").fill_null(""), same=same)
    if name == "ratings":
        home = pl.col("country").str.split("; ").list.contains(pl.col("about"))
        known = known.with_columns(in_group=pl.when(pl.col("country") != "").then(home))
        if not unmerged:
            # Whom it was for says how near a person is who stood in for others.
            shared = pl.col("tier").is_in(list(SHARED_TIERS))
            known = known.with_columns(
                tier=pl.when(shared).then(pl.lit(OTHER)).otherwise("tier"),
                slot=pl.lit(""),
                pool=pl.when(~shared).then("pool"),
            )
        known = known.with_columns(pool=pl.when(pl.col("pool") > 0).then("pool"))
    return _declared(name, campaign.settings, without_key(known, pl.col("rater") == ""))


def statement_rows(campaign: Campaign, people: pl.DataFrame) -> pl.DataFrame:
    """A row for each line of an answer to an open question."""
    columns = ("row_id", "moment", "person", *STATEMENTS)
    stored = Statement.objects.filter(campaign=campaign).values_list(
        "public_id", "created_at", "person", *STATEMENTS.values()
    )
    frame = _frame(columns, stored, {"person": pl.String}).join(people, on="person")
    lines = frame.with_columns(text=pl.col("text").str.split("\n")).explode("text")
    lines = lines.with_columns(position=pl.int_range(1, pl.len() + 1).over("row_id"))
    lines = lines.with_columns(statement_id=pl.format("{}-{}", "row_id", "position"))
    return _declared("statements", campaign.settings, without_key(lines, pl.col("rater") == ""))


def pair_rows(campaign: Campaign, pool: pl.DataFrame) -> pl.DataFrame:
    """Live pairs that were not merged away, without their figures (`tables.counted_pairs`)."""
    merged: defaultdict[str, list[str]] = defaultdict(list)
    for name, root in pool.filter(pl.col("shown") != pl.col("root")).select("shown", "root").iter_rows():
        merged[root].append(name)
    there = set(pool["pair"])
    settings = campaign.settings
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, merged_into=None)
    rows = [
        {
            "association_id": str(pair.public_id),
            "identity": groups.identity(pair.country, pair.language, settings),
            "axis": groups.kind(pair.country, settings),
            "polarity": POLARITIES[pair.negative],
            "source": campaign.slug,
            "origin": pair.source,
            "k": settings.sampler.k,
            "candidate": pair.need == CANDIDATE,
            "merged_ids": " ".join(sorted(merged[str(pair.public_id)])),
            **{
                name: getattr(pair, name)
                for name in ("attribute", "language", "country", "topic", "calibration")
            },
        }
        for pair in live
        if pair.pk in there
    ]
    return _declared("pairs", settings, pl.DataFrame(rows, schema=schema_of("pairs", settings)))


def withdrawal_rows(campaign: Campaign, salt: str) -> pl.DataFrame:
    """Ids of all rows that were ever withdrawn, and keys of people in the release with this salt.

    Keys of other releases would say which rows of these are one person's.
    """
    stones = Tombstone.objects.filter(~Q(table="people") | Q(release__salt=salt), campaign=campaign)
    schema = schema_of("withdrawals", campaign.settings)
    rows = _frame(tuple(schema), stones.values_list("row", "table"), schema)
    return _declared("withdrawals", campaign.settings, rows)


def _frame(columns: tuple[str, ...], rows: Any, kinds: Mapping[str, Any]) -> pl.DataFrame:
    """Stored values: ids as text, moments to the hour."""
    schema = {("hour" if name == "moment" else name): kinds.get(name, pl.String) for name in columns}
    return pl.DataFrame([tuple(map(_plain, row)) for row in rows], schema=schema, orient="row")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:00Z}"
    return str(value) if isinstance(value, UUID) else value


def _declared(name: str, settings: CampaignSettings, frame: pl.DataFrame) -> pl.DataFrame:
    # Ids are random: their order says nothing of who answered when.
    schema = schema_of(name, settings)
    there = set(frame.columns)
    columns = (pl.col(column) if column in there else pl.lit(None).alias(column) for column in schema)
    return frame.select(columns).cast(pl.Schema(schema)).sort(list(schema)[:2])
