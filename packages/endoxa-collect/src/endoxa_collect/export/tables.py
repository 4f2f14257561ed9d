"""All tables of an export at one moment, what was left out, and the statistics of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import polars as pl
from django.db import connection, transaction

from endoxa_collect.cards.conduct import left_out as left_out_people
from endoxa_collect.export import rows
from endoxa_collect.export.columns import OTHER, TABLES
from endoxa_collect.export.folder import LeftOut
from endoxa_collect.models import AuditEntry, Campaign, Pair
from endoxa_collect.privacy import erase_traces
from endoxa_collect.small_cells import LEAST
from endoxa_collect.terms import waiting_for_consent, words_of_nobody_else
from endoxa_collect.withdrawals import Keys


def counted_pairs(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The table of pairs, its figures made from the other tables.

    Args:
        frames: ratings, mentions, skips and people as exported; pairs with at least what is stored of them.
    """
    mentions, mixed = frames["mentions"].filter("counted"), frames["mixed"].filter("counted")
    homes = frames["people"].select("rater", home="country").filter(~pl.col("home").is_in(["", OTHER]))
    said_in = mentions.join(homes, on="rater").group_by("association_id", "home").agg(n=pl.len())
    compared = mixed.filter(pl.col("answer").is_in(["more", "less"])).group_by("association_id")
    figures = (
        mentions.group_by("association_id").agg(support=pl.len()),
        _recognition(frames["ratings"]),
        frames["skips"].group_by("association_id").agg(skips=pl.len()),
        _heard(mixed),
        compared.agg(compared=pl.len(), compared_more=(pl.col("answer") == "more").sum()),
        said_in.filter(pl.col("n") >= LEAST)
        .group_by("association_id")
        .agg(region=pl.col("home").sort().str.join("; ")),
    )
    pairs = frames["pairs"]
    for figure in figures:
        names = [name for name in figure.columns if name != "association_id"]
        pairs = pairs.drop(names).join(figure, on="association_id", how="left")
    # Where nobody answered, counts are 0; means and shares are empty.
    pairs = pairs.select(pl.col(column.name).cast(column.kind) for column in TABLES["pairs"])
    return pairs.with_columns(pl.col(pl.Int64).fill_null(0), pl.col("region").fill_null("")).sort(
        "association_id"
    )


def _recognition(ratings: pl.DataFrame) -> pl.DataFrame:
    """Ratings of each pair: mean, variance, Hajek means with weights 1/propensity (Hajek 1971), split by group."""
    value, weight = pl.col("value"), 1 / pl.col("propensity")
    weighed = weight.sum()
    inside, outside = pl.col("in_group"), ~pl.col("in_group")
    return (
        ratings.filter("counted")
        # Sums of fractions depend on their order.
        .sort("row_id")
        .group_by("association_id", maintain_order=True)
        .agg(
            ratings=pl.len(),
            mean=value.mean(),
            variance=value.var(ddof=0),
            weighted_mean=(value * weight).sum() / weighed,
            knowers=(value > 1).mean(),
            weighted_knowers=((value > 1) * weight).sum() / weighed,
            in_group_ratings=inside.sum(),
            in_group_mean=value.filter(inside).mean(),
            out_group_ratings=outside.sum(),
            out_group_mean=value.filter(outside).mean(),
            _weighed=weighed,
        )
        .with_columns(
            pl.when(pl.col("ratings") > 1).then("variance").alias("variance"),
            # Without any propensity there is nothing to weigh by.
            *(
                pl.when(pl.col("_weighed") > 0).then(name).alias(name)
                for name in ("weighted_mean", "weighted_knowers")
            ),
        )
        .drop("_weighed")
    )


def _heard(mixed: pl.DataFrame) -> pl.DataFrame:
    """Share of people who ticked each pair on a list, with its 95 % interval (Wilson 1927)."""
    z = 1.959963984540054
    n, share = pl.col("listed"), pl.col("heard_share")
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (share * (1 - share) / n + z**2 / (4 * n**2)).sqrt()
    return (
        mixed.filter(pl.col("kind") == "heard")
        .group_by("association_id")
        .agg(listed=pl.len(), heard_share=(pl.col("answer") == "heard").mean())
        # Rounding could put the ends just outside of 0 and 1.
        .with_columns(heard_low=(middle - half).clip(0, 1), heard_high=(middle + half).clip(0, 1))
    )


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside belongs together; nothing may be written inside.

    On SQLite an ordinary transaction would take the write lock at once (see `settings`), and people in the room would
    wait for the export. Inside another transaction, that one counts. Who left meanwhile is erased afterwards.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
                erase_traces(0)  # at once or not at all: this is no more than reading
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


@dataclass(frozen=True)
class Tables:
    """The tables by name, and what was left out."""

    frames: Mapping[str, pl.DataFrame]
    left_out: LeftOut


def read_tables(campaign: Campaign, keys: Keys, *, unmerged: bool = False) -> Tables:
    """The tables of a campaign as they are at this moment.

    Args:
        campaign: which.
        keys: makes the keys of people.
        unmerged: nothing of people is merged, for restricted releases.
    """
    with snapshot():
        waiting = waiting_for_consent(campaign, of_a_release=True)
        aside, ruled = left_out_people(campaign)
        out = aside | ruled
        people = rows.published_people(campaign, keys, unmerged=unmerged, without=waiting | out)
        hidden = words_of_nobody_else(campaign, waiting) | rows.words_without_others(campaign, out)
        pool = rows.read_pool(campaign, hidden)
        frames = {
            "pairs": rows.pair_rows(campaign, pool),
            "people": rows.people_rows(people, campaign.settings),
            **{
                name: rows.answer_rows(campaign, name, pool, people, unmerged=unmerged)
                for name in rows.TABLES
            },
            "statements": rows.statement_rows(campaign, people),
            "withdrawals": rows.withdrawal_rows(campaign, keys.salt),
        }
        frames["pairs"] = counted_pairs(frames)
        given = rows.given(campaign)
        counted = {name: answers.filter(person__in=out).count() for name, answers in given.items()}
        left_out = LeftOut(
            aside=len(aside),
            ruled=len(ruled),
            excluded=sum(counted.values()),
            people=people.filter(rater="").height,
            merged=people.filter(pl.any_horizontal(pl.all() == OTHER)).height,
            pairs=Pair.objects.filter(campaign=campaign).count() - pool.height,
            waiting_for_consent=len(waiting - out),
            withdrawn=AuditEntry.objects.filter(campaign=campaign, action="withdrawal").count(),
            **{name: given[name].count() - counted[name] - frames[name].height for name in rows.TABLES},
        )
        return Tables(frames, left_out)
