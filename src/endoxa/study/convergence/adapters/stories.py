"""Stories: how much more often a trait goes with an identity than with others of its kind; a part for each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.schema.stories import STORY_MAP_COLUMNS
from endoxa.sources.files import require_file
from endoxa.sources.frames import read_table
from endoxa.sources.served import versions_apart
from endoxa.sources.stereotales import UNKNOWN
from endoxa.sources.stereotales.profiles import decode
from endoxa.study.convergence.adapters import MEASURED

MAP_COLUMNS = tuple(STORY_MAP_COLUMNS)
NEEDED = (
    "sample_id",
    "generator_model",
    "language",
    "target_attribute",
    "target_attribute_value",
    "extracted_attributes_json",
)
FACETS = ("scenario", "repeat")
"""What parts are: the first of which an association has two."""
_TYPES = {name: pl.Float64 if name == "value" else pl.String for name in MEASURED}


def story_parts(run: Path, story_map: pl.DataFrame) -> pl.DataFrame:
    """Parts of a run of `probe extract`, or of a table of profiles in StereoTales' columns.

    For an association that the map places at (base value, compared value), the value of a part is the share of stories
    about the base value whose compared attribute has the compared value, minus the share among stories about all other
    values of the same base attribute: above 0, the trait goes with the identity more than with others. Stories whose
    compared attribute is unknown are left out, as they are where associations are discovered; a part needs a story on
    both sides. Parts are scenarios; where no association has two of them, repeats.

    Args:
        run: the run folder, or a table of profiles.
        story_map: columns of `schema.stories.STORY_MAP_COLUMNS`; rows that name no cell are left out.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: run or map cannot be used, or no association of the map has stories.
    """
    _check_map(story_map)
    story_map = story_map.filter(pl.all_horizontal(pl.col(name).fill_null("") != "" for name in MAP_COLUMNS))
    stories = _stories(run)
    profiles = decode(stories["extracted_attributes_json"], ()).columns
    facets = [name for name in FACETS if name in stories.columns]
    for facet in facets:
        table = pl.DataFrame(list(_rows(stories, profiles, story_map, facet)), schema=_TYPES)
        most = table.group_by("model", "language", "association_id").len()["len"].to_list()
        if len(table) and (max(most) > 1 or facet == facets[-1]):
            return table
    raise UserError(
        f"'{run}': no association of the story map has stories on both sides. Check base_attribute, base_value, "
        "compared_attribute and compared_value of the map, and that the stories name scenario or repeat."
    )


def _check_map(story_map: pl.DataFrame) -> None:
    missing = [name for name in MAP_COLUMNS if name not in story_map.columns]
    if missing:
        raise UserError(
            f"The story map has no column '{missing[0]}' (found: {', '.join(story_map.columns) or 'none'}). Expected "
            f"{', '.join(MAP_COLUMNS)}."
        )
    twice = story_map.filter(pl.col("association_id").is_duplicated())
    if len(twice):
        raise UserError(
            f"The story map names the association '{twice['association_id'][0]}' twice. Expected one cell for each."
        )


def _stories(run: Path) -> pl.DataFrame:
    """Stories with a profile, all columns text."""
    source = run / "records.parquet" if run.is_dir() else run
    require_file(source)
    wanted = (*NEEDED, *FACETS)
    if source.suffix == ".parquet":
        lazy = pl.scan_parquet(source)
        names = lazy.collect_schema().names()
        missing = [name for name in NEEDED if name not in names]
        if missing:
            raise UserError(f"{source} has no column '{missing[0]}'. Expected profiles of stories.")
        apart = versions_apart(lazy, "generator_model")
        table = apart.select(pl.col(name).cast(pl.String) for name in wanted if name in names).collect()
    else:
        table = read_table(source, NEEDED)
    return table.filter(pl.col("extracted_attributes_json").fill_null("").str.len_chars() > 2)


def _rows(
    stories: pl.DataFrame, profiles: pl.DataFrame, story_map: pl.DataFrame, facet: str
) -> Iterator[dict[str, Any]]:
    for cell in story_map.iter_rows(named=True):
        compared = cell["compared_attribute"]
        if compared not in profiles.columns:
            continue
        written = stories.with_columns(
            hit=profiles[compared] == cell["compared_value"],
            known=profiles[compared].is_not_null() & (profiles[compared] != UNKNOWN),
            about=pl.col("target_attribute_value").str.strip_chars() == cell["base_value"],
            part=pl.col(facet),
        ).filter((pl.col("target_attribute").str.strip_chars() == cell["base_attribute"]) & pl.col("known"))
        by = ["generator_model", "language", "part"]
        shares = (
            written.drop_nulls("part")
            .group_by(by, maintain_order=True)
            .agg(
                own=pl.col("hit").filter(pl.col("about")).mean(),
                others=pl.col("hit").filter(~pl.col("about")).mean(),
            )
        )
        for row in shares.drop_nulls(["own", "others"]).iter_rows(named=True):
            yield {
                "model": row["generator_model"],
                "language": row["language"],
                "association_id": cell["association_id"],
                "part": f"{facet} {row['part']}",
                "value": row["own"] - row["others"],
            }
