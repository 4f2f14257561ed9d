"""Tables of answers, declared once: exports read them from the database, patches cut them.

What people without a key may not have is said in one place (`without_key`), for exports and for patches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import polars as pl
from django.db.models import BooleanField, ExpressionWrapper, F, Model, Q, QuerySet
from django.db.models.functions import Coalesce

from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.export.columns import OTHER, POLARITIES, SHARED_TIERS, schema_of
from endoxa_collect.export.people import Pool, Published
from endoxa_collect.models import (
    Campaign,
    CardState,
    HurtAnswer,
    Mention,
    MixedAnswer,
    MixedKind,
    Moderation,
    Pair,
    Rating,
    Skip,
    Statement,
    Tombstone,
)
from endoxa_collect.sampler.slots import CANDIDATE


@dataclass(frozen=True)
class Table:
    """Answers of one kind.

    Attributes:
        model: where they are stored.
        fields: the field of each column that is exported as it is stored.
        shown: the column that names the pair before merging.
        order: the last answer of a person about a pair (and the columns `each`) is the one that counts.
        fixed: columns that are the same in every row.
    """

    model: type[Model]
    fields: Mapping[str, str]
    shown: str = "shown_id"
    order: tuple[Any, ...] = ("created_at", "pk")
    each: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def answers(self, campaign: Campaign) -> QuerySet[Any]:
        """All of a campaign that say something."""
        rows = self.model._default_manager.filter(person__campaign=campaign)
        if self.model is not MixedAnswer:
            return rows
        return rows.filter(card__state=CardState.ANSWERED).exclude(answer="")


_CLOSED = Coalesce("card__closed_at", "card__drawn_at")
_TICKED = ExpressionWrapper(Q(answer="heard"), output_field=BooleanField()).asc()
_DRAWN = {"revealed": "card__revealed", "propensity": "card__propensity", "pace": "card__pace"}
TABLES: Mapping[str, Table] = {
    "ratings": Table(
        Rating,
        {
            "value": "value", "surplus": "surplus", "tier": "card__tier", "slot": "card__slot", "pool": "card__pool",
            "late": "card__late", "settings_version": "card__version", "settings_digest": "card__digest", **_DRAWN,
        },
        fixed={"prompted": True},
    ),
    "mentions": Table(
        Mention,
        {"text": "text", "via": "via", "same": "alike", "language": "pair__language", "asked": "alike_to"},
        shown="said_id",
        # What somebody said first is what counts.
        order=("-created_at", "-pk"),
        fixed={"prompted": False},
    ),
    "skips": Table(Skip, {"reason": "reason", **_DRAWN}, each=("row_id",)),
    "hurt_answers": Table(HurtAnswer, {"answer": "answer"}),
    "mixed": Table(
        MixedAnswer,
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
    campaign: Campaign, name: str, pool: Pool, people: Mapping[UUID, Published], *, unmerged: bool = False
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
    rows = table.answers(campaign).annotate(moment=F("created_at") if name != "mixed" else _CLOSED)
    stored = rows.order_by(*table.order).values_list("moment", *fields.values())
    schema = schema_of(name, campaign.settings) | {"pair": pl.Int64, "asked": pl.Int64}
    known = (
        _frame(("moment", *fields), stored, schema)
        .join(_people(people), on="person", maintain_order="left")
        .join(_pairs(pool), on="pair", how="left", maintain_order="left")
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
        others = _pairs(pool).select(asked="pair", asked_same_as="shown")
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


def statement_rows(campaign: Campaign, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """A row for each line of an answer to an open question."""
    columns = ("row_id", "moment", "person", *STATEMENTS)
    stored = Statement.objects.filter(campaign=campaign).values_list(
        "public_id", "created_at", "person", *STATEMENTS.values()
    )
    frame = _frame(columns, stored, {"person": pl.String}).join(_people(people, profile=True), on="person")
    lines = frame.with_columns(text=pl.col("text").str.split("\n")).explode("text")
    lines = lines.with_columns(position=pl.int_range(1, pl.len() + 1).over("row_id"))
    lines = lines.with_columns(statement_id=pl.format("{}-{}", "row_id", "position"))
    return _declared("statements", campaign.settings, without_key(lines, pl.col("rater") == ""))


def pair_rows(campaign: Campaign, pool: Pool) -> pl.DataFrame:
    """Live pairs that were not merged away, without their figures (`tables.counted_pairs`)."""
    merged: defaultdict[UUID, list[str]] = defaultdict(list)
    for pk, root in pool.roots.items():
        if pool.names[pk] != root:
            merged[root].append(str(pool.names[pk]))
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
            "merged_ids": " ".join(sorted(merged[pair.public_id])),
            **{
                name: getattr(pair, name)
                for name in ("attribute", "language", "country", "topic", "calibration")
            },
        }
        for pair in live
        if pair.pk in pool.roots
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


def _people(people: Mapping[UUID, Published], *, profile: bool = False) -> pl.DataFrame:
    rows = [
        {"person": str(pk), "rater": who.rater, "respondent": who.respondent, "country": who.country}
        | {"consent": who.consent, **(who.profile if profile else {})}
        for pk, who in people.items()
    ]
    columns = ("person", "rater", "respondent", "country", "consent")
    return pl.DataFrame(rows) if rows else pl.DataFrame(schema=dict.fromkeys(columns, pl.String))


def _pairs(pool: Pool) -> pl.DataFrame:
    rows = [(pk, str(pool.names[pk]), str(root)) for pk, root in pool.roots.items()]
    return pl.DataFrame(rows, schema={"pair": pl.Int64, "shown": pl.String, "root": pl.String}, orient="row")


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
