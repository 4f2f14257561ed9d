"""`endoxa analyze associations`: associations between attribute values in stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from endoxa.commands.verbs import Outcome, argument, print_lines, table
from endoxa.instruments.stories.options import Discovery
from endoxa.schema import ALL
from endoxa.schema.options import ANALYSIS, OUTPUT, Option
from endoxa.stats.verdicts import ABOVE, CLEAR, UNTESTED

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
    from endoxa.instruments.stories.associations import overview
    from endoxa.report.words import plural

    nothing = int(overview(profiles)["nothing_known"].sum())
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
        Path | None,
        argument(
            "Table of stories with profiles, or a run folder of `endoxa probe extract`.", metavar="FILE|RUN"
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None, Option("Associations: .csv, .jsonl or .parquet.", OUTPUT, table=True, short="-o")
    ] = None,
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
    compare: Annotated[
        str | None,
        Option("Compare each association between two models or two languages.", ANALYSIS, metavar="A,B"),
    ] = None,
    comparisons: Annotated[Path | None, Option("Table of --compare.", OUTPUT, table=True)] = None,
    null: Annotated[
        int | None,
        Ge(1),
        Option("Also permute the prompts' values N times: false discoveries.", ANALYSIS),
    ] = None,
    plan: Annotated[
        bool,
        Option("Only print the number of stories needed to detect a lift.", OUTPUT, only_on=True),
    ] = False,
    lift: Annotated[float, Ge(1.01), Option("Lift to detect, with --plan.", ANALYSIS)] = 2.0,
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
      endoxa analyze associations stories.parquet -o assoc.csv --compare gpt-a,gpt-b --comparisons models.csv
      endoxa analyze associations --plan --lift 2
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.instruments.stories.associations import discover, tally
    from endoxa.instruments.stories.associations.discover import (
        Companion,
        companion_of,
        discover_in,
        write_companion,
    )
    from endoxa.instruments.stories.associations.lift import stories_of
    from endoxa.runs.progress import shown
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table
    from endoxa.sources.stereotales import read_profiles

    if plan:
        return Outcome(_plan_lines(lift, settings.alpha))
    if stories is None or out is None:
        raise UserError("Missing FILE|RUN or --out. Run: endoxa analyze associations STORIES -o FILE.")
    if (compare is None) != (comparisons is None):
        raise UserError(
            "--compare and --comparisons must be given together. Name the two sides and the file to write."
        )
    require_apart([companion_of(out), tables, differences, comparisons], [stories])
    sides = None if compare is None else _sides(compare)
    with shown("families") as progress:
        profiles = read_profiles(stories)
        for side in sides or ():
            stories_of(profiles, side)
        if stories.is_dir():  # for the same settings they are stored there
            discovered = discover_in(stories, profiles, settings, progress)
        else:
            discovered = discover(profiles, settings, progress)
    write_table(discovered.associations, out)
    counts = tally(discovered.tables, discovered.associations, settings.alpha)
    write_companion(out, Companion(settings, str(stories), profiles.duplicates, counts))
    if tables is not None:
        write_table(discovered.tables, tables)
    print_lines(list(discovered_lines(profiles, discovered, settings.alpha)))
    print_lines([written(discovered.associations, out)])
    if differences is not None:
        print_lines([_write_differences(stories, profiles, settings, differences)])
    if sides is not None and comparisons is not None:
        print_lines([_compare(profiles, discovered.associations, sides, comparisons, settings)])
    return Outcome() if null is None else Outcome((_null(profiles, settings, null),))


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


def _sides(words: str) -> tuple[str, str]:
    from endoxa.errors import UserError

    names = [name.strip() for name in words.split(",")]
    if len(names) != 2 or names[0] == names[1]:
        raise UserError(
            f"--compare: '{words}' is invalid. Expected two different models or languages, as A,B."
        )
    return names[0], names[1]


def _compare(
    profiles: Profiles, kept: pl.DataFrame, sides: tuple[str, str], output: Path, settings: Discovery
) -> str:
    from endoxa.instruments.stories.associations import compare_associations
    from endoxa.sources.frames import write_table

    a, b = sides
    table = compare_associations(profiles, kept, a, b, confidence=settings.confidence, alpha=settings.alpha)
    write_table(table, output)
    real = int(table["verdict"].is_in(CLEAR).sum())
    untested = int((table["verdict"] == UNTESTED).sum())
    return (
        f"{real} of {len(table)} associations differ between {a} and {b} (alpha {settings.alpha:g}"
        + (f"; {untested} cannot be tested" if untested else "")
        + f"): {output}"
    )


def _null(profiles: Profiles, settings: Discovery, permutations: int) -> str:
    from endoxa.instruments.stories.associations import null_check
    from endoxa.runs.progress import shown

    with shown("permutations") as progress:
        check = null_check(profiles, settings, permutations, progress)
    return (
        f"Null check, {check.permutations} permutations: false discoveries in {check.false_families} of "
        f"{check.families} families ({check.share:.1%}; maximum expected: {settings.alpha:.0%}); "
        f"{check.associations} associations reported."
    )


def _plan_lines(lift: float, alpha: float) -> Iterator[str | Table]:
    """The number of readable stories per base value needed to detect a lift."""
    from endoxa.instruments.stories.associations import stories_needed
    from endoxa.instruments.stories.associations.lift import TABLES

    shapes = ((2, 2), (3, 3), (5, 5), (11, 6), (11, 11))
    rows = []
    for rate in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4):
        needed = [
            stories_needed(base_rate=rate, lift=lift, values=r, columns=c, alpha=alpha) for r, c in shapes
        ]
        rows.append((f"{rate:.2f}", *("impossible" if n is None else f"{n:,}" for n in needed)))
    yield table(
        f"Stories per base value needed to detect a lift of {lift:g} (power 0.8)",
        ("share of the compared value", *(f"{r} x {c}" for r, c in shapes)),
        rows,
        texts=0,
        wrap=True,
    )
    yield (
        f"Assumes one association in one of {TABLES} tables; table and cell must both be significant (alpha "
        f"{alpha:g}). With more associations, fewer stories are needed.\n"
        "Divide by the share of stories in which the attribute can be read. 36 scenarios give 36 stories per base "
        "value; repeats of a prompt count fully only if they are independent."
    )
