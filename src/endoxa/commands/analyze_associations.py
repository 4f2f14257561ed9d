"""`endoxa analyze associations`: associations between attribute values in stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.verbs import Outcome, argument, print_lines, table
from endoxa.instruments.stories.options import Discovery
from endoxa.schema import ALL
from endoxa.schema.options import OUTPUT, Option
from endoxa.stats.verdicts import ABOVE, UNTESTED

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from endoxa.instruments.stories.associations import Discovered
    from endoxa.sources.stereotales import Profiles

SHOWN = 10
"""Associations printed."""
PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")


def written(associations: pl.DataFrame, out: Path) -> str:
    """Number of associations written, and how many of them are unclear."""
    unclear = associations.filter(associations["verdict"] != ABOVE)
    sentence = f"{len(associations)} associations written to {out}"
    if unclear.is_empty():
        return sentence
    reasons = ", ".join(f"{n} {reason}" for reason, n in Counter(unclear["reason"]).most_common())
    return f"{sentence}; {len(unclear)} of them are unclear ({reasons})"


def discovered_lines(profiles: Profiles, discovered: Discovered, alpha: float) -> Iterator[str | Table]:
    """Counts of rows and tests, and the strongest associations."""
    from endoxa.instruments.stories.associations import nothing_known
    from endoxa.report.words import plural

    nothing = int(nothing_known(profiles)["nothing_known"].sum())
    parts = [f"{profiles.unusable} without a usable profile"] if profiles.unusable else []
    if nothing:
        which = plural(nothing, "other" if parts else "story", None if parts else "stories")
        parts.append(f"no attribute could be read in {which} (usually refusals)")
    rows = plural(profiles.rows, "row")
    yield f"{rows}: {'; '.join(parts)}." if parts else f"{rows}."
    if profiles.duplicates:
        yield (
            f"Warning: {plural(profiles.duplicates, 'story', 'stories')} with the same prompt, model, language and "
            "repeat as another. All are counted. Check for duplicate rows or a missing column 'repeat'."
        )
    if profiles.not_text:
        yield f"{plural(profiles.not_text, 'value')} not text in the JSON; converted to text."
    yield from _tested(discovered, alpha)
    claimed = discovered.associations.filter(discovered.associations["verdict"] == ABOVE)
    if not claimed.is_empty():
        yield _strongest(claimed, several=len(profiles.models) > 1)


def _tested(discovered: Discovered, alpha: float) -> Iterator[str]:
    from endoxa.instruments.stories.associations import tally
    from endoxa.report.words import plural

    counts = tally(discovered.tables, discovered.associations, alpha)
    tables, untested, kept, unstable, by_prompts = (
        int(counts[name].sum()) for name in ("tables", "untested", "kept", "open", "by_prompts")
    )
    if not tables:
        yield f"Nothing could be tested ({plural(untested, 'table')}): {_why_untested(counts)}."
        return
    yield (
        f"{plural(tables, 'table')} tested, {kept} kept"
        + (f"; {untested} could not be tested" if untested else "")
        + (f"; {plural(unstable, 'decision')} could change with more draws." if unstable else ".")
    )
    if by_prompts:
        yield f"{plural(by_prompts, 'table')} with several stories per prompt: tested with prompts as units."


def _why_untested(counts: pl.DataFrame) -> str:
    """Why no table could be tested."""
    untested, few_prompts = int(counts["untested"].sum()), int(counts["few_prompts"].sum())
    stories = "a table needs at least two base values with ten stories each, and two compared values"
    prompts = "too few prompts for a p-value below the false-discovery rate"
    if not few_prompts:
        return stories
    return prompts if few_prompts == untested else f"{stories}; {few_prompts} of them have {prompts}"


def _strongest(claimed: pl.DataFrame, *, several: bool) -> Table:
    """The associations of the most models, or the strongest ones of a single model."""
    import polars as pl

    alone = claimed["aggregation"].unique().to_list() != [ALL]
    shown = claimed.group_by(PARTS).agg(
        pl.col("model").n_unique(), pl.col("aggregation").n_unique(), pl.col("lift").median()
    )
    return table(
        f"Found in the most models, of {shown.height:,} found"
        if several
        else f"The strongest of {shown.height:,} found",
        ("when a prompt names", "stories have", "models", *(["languages"] if alone else []), "lift"),
        [
            (
                f"{row['base_attribute']}: {row['base_value']}",
                f"{row['compared_attribute']}: {row['compared_value']}",
                str(row["model"]),
                *([str(row["aggregation"])] if alone else []),
                f"{row['lift']:.2f}",
            )
            for row in shown.sort(*PARTS)
            .sort("model", "lift", descending=True, maintain_order=True)
            .head(SHOWN)
            .iter_rows(named=True)
        ],
        texts=2,
        wrap=True,
    )


def associations(
    stories: Annotated[
        Path,
        argument(
            "Table of stories with profiles, or a run folder of `endoxa probe extract`.", metavar="FILE|RUN"
        ),
    ],
    *,
    out: Annotated[Path, Option("Associations: .csv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")],
    tables: Annotated[
        Path | None, Option("Also write every table that was tested.", OUTPUT, table=True)
    ] = None,
    differences: Annotated[
        Path | None,
        Option(
            "Also write differences in protagonists between models, languages and themes.", OUTPUT, table=True
        ),
    ] = None,
    settings: Discovery,
) -> Outcome:
    """Find values that occur together in stories more often than chance, for each model (and language).

    Step 1 tests a table of the prompts' values against each other attribute; step 2 tests each cell of the tables
    kept. Where a prompt has several stories, prompts are the units. Tables of several languages are also tested
    within languages. Settings and the number of tests are written beside the table (FILE.analysis.json), and into the
    run folder, where the report reads them.

    \b
    Examples:
      endoxa analyze associations out/s2 -o assoc.csv --tables tables.csv
      endoxa analyze associations out/s2 --alpha 0.01 -o assoc.csv
      endoxa analyze associations stories.parquet --by language -o by_language.csv
    """  # noqa: D301
    from endoxa.instruments.stories.associations import discover, tally
    from endoxa.instruments.stories.associations.discover import (
        Companion,
        companion_of,
        discover_in,
        write_companion,
    )
    from endoxa.runs.progress import shown
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table
    from endoxa.sources.stereotales import read_profiles

    require_apart([companion_of(out), tables, differences], [stories])
    with shown("families") as progress:
        profiles = read_profiles(stories)
        if stories.is_dir():  # for the same settings they are stored there
            discovered = discover_in(stories, profiles, settings, progress)
        else:
            discovered = discover(profiles, settings, progress)
    write_table(discovered.associations, out)
    counts = tally(discovered.tables, discovered.associations, settings.alpha)
    write_companion(out, Companion(settings, str(stories), profiles.duplicates, counts))
    if tables is not None:
        write_table(discovered.tables, tables)
    lines = [
        *discovered_lines(profiles, discovered, settings.alpha),
        written(discovered.associations, out),
    ]
    if differences is not None:
        lines.append(_write_differences(stories, profiles, settings, differences))
    print_lines(lines)
    return Outcome()


def _write_differences(stories: Path, profiles: Profiles, settings: Discovery, output: Path) -> str:
    from endoxa.instruments.stories.associations.discover import differences_in
    from endoxa.instruments.stories.associations.permutations import every_difference, protagonists_by_story
    from endoxa.instruments.stories.report.sources import themes
    from endoxa.report.words import plural
    from endoxa.sources.frames import write_table

    def by_story() -> pl.DataFrame:
        return protagonists_by_story(profiles, themes([stories]))

    table = (
        differences_in(stories, by_story, settings)
        if stories.is_dir()
        else every_difference(by_story(), confidence=settings.confidence, seed=settings.seed)
    )
    write_table(table, output)
    above, untested = (int((table["verdict"] == verdict).sum()) for verdict in (ABOVE, UNTESTED))
    tests = plural(len(table) - untested, "test")
    left = f"; {untested} cannot be tested" if untested else ""
    return f"{plural(above, 'difference')} beyond chance in protagonists in {tests}{left}: {output}"
