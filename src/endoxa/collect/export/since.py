"""What became of a campaign since a release: who and what went, and what a new export would not say any more."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import polars as pl

from endoxa.collect.export.columns import OTHER
from endoxa.collect.export.people import Published, published_people
from endoxa.collect.export.pool import Pool, read_pool
from endoxa.collect.export.rows import pair_rows, withdrawal_rows
from endoxa.collect.export.snapshot import snapshot
from endoxa.collect.models import Campaign
from endoxa.collect.withdrawals.keys import Keys


@dataclass(frozen=True)
class Since:
    """A campaign now, as a patch has to know it. People go by the keys that they have in the release.

    Attributes:
        withdrawals: the table of withdrawals.
        pool: which pair each one counts for.
        pairs: the table of pairs, without figures.
        rare: the columns of each person that a new export would give up.
        respondents: the key in the survey of whoever has none elsewhere.
    """

    withdrawals: pl.DataFrame
    pool: Pool
    pairs: pl.DataFrame
    rare: Mapping[str, Set[str]]
    respondents: Mapping[str, str]

    @property
    def gone(self) -> frozenset[str]:
        """Ids of all rows that were withdrawn."""
        return frozenset(self.withdrawals["row_id"])

    def left_without_key(self, frames: Mapping[str, pl.DataFrame]) -> int:
        """People who left after an export was made and had no key in it; at most so many.

        Whoever leaves has two keys on the list (`tombstones.bury_keys`). Who joined after the export and left again is
        counted, too: better too many than that somebody hides among people who are gone.
        """
        new = self.withdrawals.join(frames["withdrawals"], on="row_id", how="anti").filter(table="people")
        with_key = frames["people"].filter(pl.col("rater").is_in(new["row_id"].to_list()))
        return new.height // 2 - with_key.height


def since_release(campaign: Campaign, salt: str) -> Since:
    """A campaign as it is at this moment, for a release with this salt."""
    keys = Keys(salt)
    with snapshot():
        people, pool = published_people(campaign, keys), read_pool(campaign)
        return Since(
            withdrawals=withdrawal_rows(campaign, salt),
            pool=pool,
            pairs=pair_rows(campaign, pool),
            rare={keys.rater(pk): _rare(one) for pk, one in people.items()},
            respondents={keys.rater(pk): keys.respondent(pk) for pk in people},
        )


def _rare(one: Published) -> frozenset[str]:
    told = {"country": one.country, "consent": one.consent, **one.profile}
    return frozenset(name for name, cell in told.items() if cell == OTHER)
