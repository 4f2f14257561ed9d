"""Stories of two runs, paired: the same prompt, language and repeat in both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.models.chat.thoughts import without_thoughts
from endoxa.runs.folder import RECORDS, differences
from endoxa.schema.finish import LENGTH, finish_reason
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales import UNKNOWN, Profiles
from endoxa.sources.stereotales.profiles import COLUMNS, PROFILE, REPEAT, decode, profiles_of
from endoxa.study.compare.items import NAN, OTHER, codes
from endoxa.study.compare.runs import Side

SIDES = ("before", "after")
"""Names of the two runs where both are in one table; in this order in `Profiles.models`, too."""
KEYS = ("sample_id", "language", REPEAT)
NOT_OF_READING = ("data", "models", "languages", "limit", "sample", "include_drafts", "seed")
"""Parts of the identity of a run of profiles that say which stories were read, not how."""


NAMED = ("target_attribute", "target_attribute_value")
MEASURED = ("answered", "story_refused", "story_lost", "story_cut_off", "story_words", "story_tokens")
"""What is measured of a story: whether there is one that extractors read; whether it was declined, by most extractors
or by the provider; whether neither (nothing came, an error did, or no extractor's answer could be read); whether it
ended at the limit of tokens; its words, and the tokens that the model wrote, NaN where there are none."""


@dataclass(frozen=True, slots=True)
class PairedStories:
    """Stories of two runs.

    Attributes:
        frame: a row for each pair: `KEYS`, `NAMED`, the scenario; `MEASURED` of both runs, `OTHER` behind the names of
            the second; `same`, whether the text is the same in both; and codes of units, `base values` (attribute and
            value together), `scenarios` (prompts where scenarios are not known) and `prompts`.
        profiles: the stories of both, those of the first run before those of the second in the order of `frame`.
        alone: stories of which the other run has none, by run.
    """

    frame: pl.DataFrame
    profiles: Profiles
    alone: tuple[int, int] = (0, 0)

    def __len__(self) -> int:
        """Pairs."""
        return self.frame.height

    @property
    def prompt(self) -> np.ndarray:
        """Code of the prompt of each pair."""
        return self.frame["prompts"].to_numpy()

    @property
    def comparable(self) -> np.ndarray:
        """Pairs with a story in both runs."""
        return np.asarray(
            self.frame.select(pl.col("answered", f"answered{OTHER}") > 0).to_numpy().all(axis=1)
        )

    @property
    def told(self) -> Profiles:
        """The stories of the pairs with a story in both runs."""
        rows = np.flatnonzero(np.tile(self.comparable, 2))
        columns = ("model", "language", "sample", "base", "base_value", "codes")
        kept = {name: getattr(self.profiles, name)[rows] for name in columns}
        return replace(self.profiles, rows=len(rows), **kept)

    @property
    def identical(self) -> bool:
        """Whether every story of the second run is that of the first, and was read alike."""
        codes = self.profiles.codes
        return bool(self.frame["same"].all() and np.array_equal(codes[: len(self)], codes[len(self) :]))

    def says(self, attribute: str, value: str) -> np.ndarray:
        """Whether each story says it, pairs x runs; one that leaves it open does not."""
        if attribute not in self.profiles.attributes:
            return np.zeros((len(self), 2), dtype=bool)
        place = self.profiles.attributes.index(attribute)
        codes = self.profiles.codes[:, place]
        says: np.ndarray = (codes >= 0) & (codes == self.profiles.code(place, value))
        return says.reshape(2, len(self)).T

    def named(self, attribute: str) -> np.ndarray:
        """Pairs whose prompt names a value of this attribute."""
        unknown = pl.col("target_attribute_value") == UNKNOWN
        named = self.frame.select((pl.col("target_attribute") == attribute) & ~unknown).to_series()
        return np.asarray(named.to_numpy())


def together(sides: Sequence[Side]) -> Profiles:
    """The stories of the prompts that several runs of `endoxa probe extract` hold, and were told in all of them."""
    tables = [_stories(side) for side in sides]
    keys = tables[0].select(KEYS)
    for table in tables:
        keys = keys.join(table.filter(pl.col("answered") > 0), on=KEYS, how="semi")
    # Which model wrote a story is not asked of them.
    chunks = [
        keys.join(table, on=KEYS, maintain_order="left").select(*COLUMNS, pl.col(REPEAT).cast(pl.String))
        for table in tables
    ]
    return profiles_of(chunks, sides[0].run.folder)


def paired_stories(sides: tuple[Side, Side]) -> PairedStories:
    """The stories that two runs of `endoxa probe extract` have for the same prompts.

    Raises:
        UserError: they were read in different ways, have no prompt in common, or one name means two prompts.
    """
    require_read_alike(sides)
    before, after = (side.run.folder for side in sides)
    tables = [_stories(side) for side in sides]
    keys = tables[0].select(KEYS).join(tables[1].select(KEYS), on=KEYS).unique().sort(KEYS)
    if keys.is_empty():
        raise UserError(
            f"'{before}' and '{after}' have no prompt in common, so no story of one can be compared with a story of "
            "the other. Have both models write to the same prompts."
        )
    first, other = (keys.join(table, on=KEYS, how="left", maintain_order="left") for table in tables)
    _require_alike(first, other, before, after)
    alone = (tables[0].height - keys.height, tables[1].height - keys.height)
    return replace(side_by_side(first, other), alone=alone)


def side_by_side(first: pl.DataFrame, other: pl.DataFrame) -> PairedStories:
    """Stories of two runs, a row for each pair, with what became of them (`with_outcomes`)."""
    chunks = [
        table.select(*COLUMNS, pl.col(REPEAT).cast(pl.String)).with_columns(generator_model=pl.lit(side))
        for table, side in zip((first, other), SIDES, strict=True)
    ]
    profiles = profiles_of(chunks, Path(SIDES[0]))
    measured = other.select(pl.col(*MEASURED, "story").name.suffix(OTHER))
    same = pl.col("story").eq_missing(pl.col(f"story{OTHER}")) & (pl.col("story").fill_null("") != "")
    scenario = [name for name in ("scenario",) if name in first.columns]
    both = pl.concat(
        [first.select(*KEYS, *NAMED, *scenario, *MEASURED, "story"), measured], how="horizontal"
    ).with_columns(
        pl.Series("prompts", profiles.sample[: first.height]),
        same=same,
        **{"base values": codes(pl.concat_str(NAMED, separator="\n"))},
    )
    scenarios = codes(pl.col("scenario")) if scenario else pl.col("prompts")
    return PairedStories(both.with_columns(scenarios=scenarios), profiles)


def require_read_alike(sides: tuple[Side, Side]) -> None:
    """Raise where the stories of two runs were read in different ways: that would look like a change of the stories.

    Raises:
        UserError: other extractors, another vocabulary or other settings.
    """
    ways = []
    for facts in (side.run.facts for side in sides):
        identity = {
            name: value for name, value in (facts.get("identity") or {}).items() if name not in NOT_OF_READING
        }
        readers = sorted(entry["name"] for entry in facts.get("models") or ())
        ways.append({"extractors": readers, **identity})
    if changes := differences(ways[0], ways[1]):
        raise UserError(
            f"The stories of '{sides[0].run.folder}' and '{sides[1].run.folder}' were read in different ways: "
            f"{changes[0].replace(' was ', ' is ', 1).replace(', is now ', ' in the first and ', 1)} in the second. "
            "Read both with the same extractors and settings."
        )


def _stories(side: Side) -> pl.DataFrame:
    """Stories of the model of a run, each once, with what became of them."""
    table = versions_apart(pl.scan_parquet(side.run.folder / RECORDS), "generator_model").collect()
    table = table.filter(generator_model=side.model)
    if REPEAT not in table.columns:
        table = table.with_columns(pl.lit(1).alias(REPEAT))
    return with_outcomes(table.unique(KEYS, keep="first", maintain_order=True))


def with_outcomes(table: pl.DataFrame) -> pl.DataFrame:
    """With what became of each story, and how long it is."""
    missing: dict[str, pl.DataType] = {
        "story": pl.String(), "finish": pl.String(), "error": pl.String(), "refusal": pl.Int64(),
        "completion_tokens": pl.Int64(), "n_parsed": pl.Int64(),
    }  # fmt: skip
    filled = table.with_columns(
        pl.lit(None, kind).alias(name) for name, kind in missing.items() if name not in table.columns
    )
    texts = [without_thoughts(text or "") for text in filled["story"]]
    words = pl.Series([len(text.split()) for text in texts], dtype=pl.Float64)
    written = (words > 0) if "story" in table.columns else pl.repeat(value=True, n=table.height, eager=True)
    # A profile that is no object, or says nothing at all, was read from no story.
    decoded = decode(table[PROFILE], ()).columns
    usable = (
        decoded.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
        if decoded.width
        else pl.repeat(value=False, n=table.height, eager=True)
    )
    nothing = json.dumps({decoded.columns[0]: UNKNOWN}) if decoded.width else "{}"
    refused = filled["refusal"].fill_null(0) == 1
    failed = (
        (filled["error"].fill_null("") != "") | ~written | (filled["n_parsed"].fill_null(1) == 0) | ~usable
    )
    readable = ~refused & ~failed
    tokens = pl.col("completion_tokens").cast(pl.Float64)
    return filled.with_columns(
        pl.when(usable).then(PROFILE).otherwise(pl.lit(nothing)).alias(PROFILE),
        answered=readable.cast(pl.Float64),
        story_refused=refused.cast(pl.Float64),
        story_lost=(~refused & failed).cast(pl.Float64),
        story_cut_off=pl.Series([float(finish_reason(end or "") == LENGTH) for end in filled["finish"]]),
        story_words=pl.when(readable & (words > 0)).then(words).otherwise(NAN),
        # A call that failed counted none.
        story_tokens=pl.when(tokens > 0).then(tokens).otherwise(NAN),
    )


def _require_alike(first: pl.DataFrame, other: pl.DataFrame, before: Path, after: Path) -> None:
    """Raise where one name means two prompts.

    Raises:
        UserError: a prompt of one run names another attribute or value than that of the same name in the other.
    """
    differ = pl.any_horizontal(first[name].ne_missing(other[name]) for name in NAMED)
    lone = first.filter(pl.select(differ).to_series())
    if lone.height:
        raise UserError(
            f"The prompt '{lone['sample_id'][0]}' names another attribute in '{after}' than in '{before}'. Compare "
            "runs of the same prompts."
        )
