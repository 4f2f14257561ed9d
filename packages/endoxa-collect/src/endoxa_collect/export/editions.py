"""What anybody may see: figures and data of editions, from the suppressed tables of exports and never counted live.

An edition is a public release, or, before there is one, the figures of a day. Both are made from tables as a release
has them, so no public figure says what the release hides. Within an edition nothing changes. Where somebody withdrew, a
published release is patched, as `collect export --patch` does, on the next day; its page hides words that are gone at
once. Figures of a day are made anew only once `LEAST` people joined or left since: two looks never differ by one
person.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
from django.db.models import QuerySet
from django.utils import timezone

from endoxa.errors import UserError
from endoxa.stats.intervals import wilson
from endoxa_collect.cards.locking import Cache, locked
from endoxa_collect.export.columns import OTHER, POLARITIES
from endoxa_collect.export.tables import Tables, read_tables
from endoxa_collect.models import AuditEntry, Campaign, Edition, Person, Release
from endoxa_collect.small_cells import LEAST, RATERS, counted
from endoxa_collect.withdrawals import Keys, new_salt

_MOST_PAIRS = 10


def figures_of(tables: Tables, k: int) -> dict[str, Any]:
    """The figures of an edition, from its tables: each of them can be counted again from a release.

    Args:
        tables: as a release has them.
        k: ratings that each pair was to get.

    Returns:
        `people`, `answered` (those of them who rated, wrote or added something; who has no key counts), `pairs`,
        `ratings`; `origins`, people by country as the table of people has it, small ones together; `rated` and `about`,
        pairs with ratings, by country; `heard`, pairs that most of those asked had heard, the surest first.
    """
    frames, without_key = tables.frames, tables.left_out.people
    people = frames["people"]
    active = pl.concat(
        [frames["ratings"]["rater"], frames["mentions"]["rater"], frames["statements"]["respondent"]]
    )
    origins = Counter(people["country"].to_list())
    origins[OTHER] += without_key
    rated = frames["pairs"].filter((pl.col("ratings") > 0) & ~pl.col("candidate"))
    return {
        "people": people.height + without_key,
        "answered": people.filter(pl.col("rater").is_in(active.to_list())).height + without_key,
        "pairs": frames["pairs"].height,
        "ratings": frames["ratings"].height,
        "rated": rated.height,
        "counted": int(rated["ratings"].sum()),
        "origins": merged(origins),
        "about": _about(rated, frames["ratings"]),
        "heard": _heard(rated, max(RATERS, k)),
    }


def merged(people: Mapping[str, int]) -> list[tuple[str, int]]:
    """People by country, small ones put together (`small_cells`)."""
    return counted(
        {country: {(country, n) for n in range(number)} for country, number in people.items()}, OTHER
    )


def _about(rated: pl.DataFrame, ratings: pl.DataFrame) -> list[tuple[str, int]]:
    """Rated pairs by country; countries with few pairs, or few raters that can be told apart, stand together."""
    raters = (
        ratings.join(rated.select("association_id", "country"), on="association_id")
        .filter(pl.col("rater") != "")
        .group_by("country")
        .agg(raters=pl.col("rater").n_unique())
    )
    # Each rating of a pair is of another person, with a key or without.
    enough = {
        *raters.filter(pl.col("raters") >= LEAST)["country"],
        *rated.filter(pl.col("ratings") >= LEAST)["country"],
    }
    pairs = Counter(rated["country"].to_list())
    kept = {country: n for country, n in pairs.items() if n >= LEAST and country in enough}
    others = pairs.total() - sum(kept.values())
    ranked = sorted(kept.items(), key=lambda item: (-item[1], item[0]))
    return [*ranked, *([(OTHER, others)] if others >= LEAST else [])]


def _heard(rated: pl.DataFrame, least: int) -> list[dict[str, Any]]:
    """Pairs judged not to hurt, with `least` ratings, that more than half had heard, the surest first."""
    rows = rated.filter(
        (pl.col("polarity") == POLARITIES[False]) & (pl.col("ratings") >= least) & (pl.col("knowers") > 0.5)
    )
    listed = [
        {
            "pair": row["association_id"],
            "country": row["country"],
            "attribute": row["attribute"],
            "language": row["language"],
            "heard": round(row["knowers"] * row["ratings"]),
            "people": row["ratings"],
        }
        for row in rows.iter_rows(named=True)
    ]
    listed.sort(key=lambda row: (-wilson(row["heard"], row["people"], 0.95).low, row["pair"]))
    return listed[:_MOST_PAIRS]


def same(release: Release) -> QuerySet[Edition]:
    """The editions that a patch takes the place of: those with the same salt."""
    editions = Edition.objects.filter(release__campaign=release.campaign, release__salt=release.salt)
    return editions.exclude(release=release)


def keep(release: Release, folder: Path, tables: Tables) -> None:
    """Keep the edition of a public release, within its transaction; a patch takes the place of what it patches."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(folder.iterdir()):
            zipped.write(path, f"{release.campaign.slug}-{release.number}/{path.name}")
    before = same(release)
    published = before.filter(published=True).exists()
    figures = figures_of(tables, release.campaign.settings.sampler.k)
    before.update(archive=b"", published=False)
    Edition.objects.create(
        campaign=release.campaign,
        release=release,
        figures=figures,
        archive=archive.getvalue(),
        published=published,
    )


def of_release(campaign: Campaign) -> Edition | None:
    """The edition of the newest public release."""
    editions = Edition.objects.filter(campaign=campaign, release__isnull=False).defer("archive")
    return editions.select_related("release").order_by("-pk").first()


def of_day(campaign: Campaign) -> Edition:
    """The figures of the day, made now if there are none, or if `LEAST` people joined or left since an earlier day."""
    editions = Edition.objects.filter(campaign=campaign, release=None).order_by("-pk")
    latest = editions.first()
    if latest is not None and not _is_due(campaign, latest.made_at):
        return latest
    figures = figures_of(read_tables(campaign, Keys(new_salt())), campaign.settings.sampler.k)
    with locked(campaign.pk):
        now = editions.first()
        if now is not None and now != latest:
            # Another visitor was faster.
            return now
        editions.delete()
        return Edition.objects.create(campaign=campaign, figures=figures)


def _is_due(campaign: Campaign, made: datetime) -> bool:
    if timezone.localdate(made) >= timezone.localdate():
        return False
    # Times are stored to the hour: rather too few than too many are counted, and the edition stays.
    joined = Person.objects.filter(campaign=campaign, consent_hour__gt=made).count()
    gone = AuditEntry.objects.filter(campaign=campaign, action="withdrawal", at__gt=made).count()
    return joined + gone >= LEAST


def published(campaign: Campaign) -> Edition | None:
    """The newest edition that an organiser published, without the rows that were withdrawn before today.

    It is patched here where that is due: for a visitor, or by the daily `endoxa collect backup DIR --expire`. Of two at
    once one makes the patch, since only one release can have its number.
    """
    editions = Edition.objects.filter(campaign=campaign, published=True).select_related("release")
    latest = editions.defer("archive").order_by("-pk").first()
    if latest is None or timezone.localdate(latest.made_at) >= timezone.localdate():
        return latest
    stones = campaign.tombstones.filter(
        withdrawn_hour__gte=latest.made_at.replace(minute=0, second=0, microsecond=0)
    )
    if not stones.exists() or _CHECKED.is_fresh(latest.pk):
        return latest
    _CHECKED.put(latest.pk, None)
    with suppress(UserError):
        _patch(latest)
    return editions.defer("archive").order_by("-pk").first()


def _patch(edition: Edition) -> None:
    from endoxa_collect.export.run import patch_release

    with TemporaryDirectory() as place, zipfile.ZipFile(io.BytesIO(edition.archive)) as zipped:
        # The archive is our own; it has one folder with files in it.
        zipped.extractall(place)
        folder = Path(place, zipped.namelist()[0].partition("/")[0])
        patch_release(edition.campaign, folder, Path(place, "patch"))


_CHECKED: Cache[int, None] = Cache(600.0)
"""Editions that this process tried to patch lately."""


def card_of(edition: Edition) -> str:
    """The data card of an edition, in Markdown."""
    with zipfile.ZipFile(io.BytesIO(edition.archive)) as zipped:
        name = next(name for name in zipped.namelist() if name.endswith("/README.md"))
        return zipped.read(name).decode("utf-8")
