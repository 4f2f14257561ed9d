"""`endoxa analyze associations`: associations between attribute values in stories, and what languages share of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl

from endoxa.commands.verbs import TABLES, Outcome, argument
from endoxa.errors import UserError
from endoxa.instruments.stories.associations import Discovered, discover, nothing_known, tally
from endoxa.instruments.stories.associations.discover import (
    Companion,
    companion_of,
    differences_in,
    discover_in,
    write_companion,
)
from endoxa.instruments.stories.associations.permutations import every_difference, protagonists_by_story
from endoxa.instruments.stories.languages import Overlap, analyze_overlap, read_classes, read_groups
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.languages import shared_findings
from endoxa.instruments.stories.report.sources import themes
from endoxa.report.tables import headline_of, number_field, text_field
from endoxa.report.words import decimal, percent, plural
from endoxa.runs.options import DEFAULT_RESAMPLES, Resamples, Resampling
from endoxa.runs.progress import shown
from endoxa.schema import ALL
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, Option
from endoxa.sources.files import require_apart
from endoxa.sources.frames import write_table
from endoxa.sources.stereotales.associations import read_associations
from endoxa.sources.stereotales.profiles import Profiles, read_profiles
from endoxa.sources.tables import TABLE_SUFFIXES, table_columns, table_rows
from endoxa.stats.verdicts import ABOVE

SHOWN = 10
"""Associations printed."""
BESIDE = ("jaccard", "members", "comparison", "shift")
"""Tables of what languages share, beside where each association is found."""
MEMBERS = ("stories", "associations", "exclusive", "missed", "harmful", "missed_harmful")
"""Columns of the table printed."""
PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")


def counted(associations: pl.DataFrame) -> str:
    """How many associations were found, and how many of them are unclear, and why."""
    reasons = Counter(associations.filter(associations["verdict"] != ABOVE)["reason"])
    listed = ", ".join(f"{n} {reason}" for reason, n in reasons.most_common())
    unclear = f"; {reasons.total()} of them are unclear ({listed})" if reasons else ""
    return f"{plural(len(associations), 'association')} found{unclear}."


def discovered_lines(profiles: Profiles, discovered: Discovered, alpha: float) -> Iterator[str | Headline]:
    """Counts of rows and tests, and the strongest associations."""
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

    counts = tally(discovered.tables, discovered.associations, alpha)
    tables, untested, kept, unstable, by_prompts = (
        int(counts[name].sum()) for name in ("tables", "untested", "kept", "open", "by_prompts")
    )
    if not tables:
        yield f"Nothing could be tested ({plural(untested, 'table')}): {_why_untested(counts)}."
        return
    parts = [f"{plural(tables, 'table')} tested, {kept} kept"]
    parts += [f"{untested} could not be tested"] if untested else []
    parts += [f"{plural(unstable, 'decision')} could change with more draws"] if unstable else []
    yield f"{'; '.join(parts)}."
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


def _strongest(claimed: pl.DataFrame, *, several: bool) -> Headline:
    """The associations of the most models, or the strongest ones of a single model."""
    alone = claimed["aggregation"].unique().to_list() != [ALL]
    shown = claimed.group_by(PARTS).agg(
        pl.col("model").n_unique(), pl.col("aggregation").n_unique(), pl.col("value").median()
    )
    first = shown.sort(*PARTS).sort("model", "value", descending=True, maintain_order=True).head(SHOWN)
    title = "Found in the most models, of" if several else "The strongest of"
    fields = (
        text_field("when a prompt names", lambda row: f"{row['base_attribute']}: {row['base_value']}"),
        text_field("stories have", lambda row: f"{row['compared_attribute']}: {row['compared_value']}"),
        number_field("models", "model"),
        number_field("languages", "aggregation") if alone else None,
        number_field("lift", "value", partial(decimal, digits=2)),
    )
    return headline_of(f"{title} {shown.height:,} found", first, fields)


@dataclass(frozen=True, slots=True)
class Sharing:
    """How languages, or models, are compared by the associations found.

    Attributes:
        harm: Harmful associations: table of an analysis of `endoxa probe harm`, or your own.
        groups: Marked and unmarked groups (YAML), with --harm.
    """

    harm: Annotated[Path | None, Option(group=DATA)] = None
    groups: Annotated[Path | None, Option(group=DATA, default="built-in groups")] = None


def associations(
    stories: Annotated[Path, argument(metavar="FILE|RUN")],
    *,
    out: Annotated[Path, TABLES],
    settings: Discovery,
    sharing: Sharing,
    resamples: Resamples = DEFAULT_RESAMPLES,
) -> Outcome:
    """Find values that occur together in stories more often than chance, for each model (and language).

    Step 1 tests a table of the prompts' values against each other attribute; step 2 tests each cell of the tables
    kept. Where a prompt has several stories, prompts are the units. Tables of several languages are also tested
    within languages. Settings and the number of tests are written beside the table (FILE.analysis.json), and into the
    run folder, where the report reads them. Of several languages (--by language), or several models, a folder also
    gets what they share: overlap.csv (where each association is found), overlap_jaccard.csv, overlap_members.csv,
    and with --harm overlap_comparison.csv and overlap_shift.csv.

    \b
    Examples:
      endoxa analyze associations out/s2 -o assoc
      endoxa analyze associations out/s2 --alpha 0.01 -o assoc.csv
      endoxa analyze associations stories.parquet --by language --harm harm/associations.csv -o by_language
      endoxa analyze associations published.json -o between-models

    Options:
        stories: Table of stories with profiles, or a run folder of `endoxa probe extract`; or associations found
            before (table, or StereoTales' JSON), whose languages or models are compared.
    """  # noqa: D301
    how = Resampling(settings.confidence, resamples, settings.seed)
    if sharing.groups is not None and (sharing.harm is None or not settings.by_language):
        raise UserError(
            "--groups needs --harm and --by language: it compares harmful associations by language."
        )
    if (before := _discovered_before(stories)) is not None:
        return Outcome(*_shared(before, None, settings, sharing, how))
    main = out if out.suffix else out / "associations.csv"
    require_apart([main, companion_of(main)], [stories])
    with shown("families") as progress:
        profiles = read_profiles(stories)
        if stories.is_dir():  # for the same settings they are stored there
            discovered = discover_in(stories, profiles, settings, progress)
        else:
            discovered = discover(profiles, settings, progress)
    found = discovered.associations
    tables: dict[str, Any] = {"associations": found, "tables": discovered.tables}
    lines = [*discovered_lines(profiles, discovered, settings.alpha), counted(found)]
    if not out.suffix:
        tables["differences"] = _differences(stories, profiles, settings)
        above = int((tables["differences"]["verdict"] == ABOVE).sum())
        lines.append(f"{plural(above, 'difference')} beyond chance in protagonists.")
        if found.height and len(profiles.languages if settings.by_language else profiles.models) > 1:
            more, of_shared = _shared(found, profiles, settings, sharing, how)
            lines, tables = [*lines, *more], tables | of_shared
    write_table(found, main)
    counts = tally(discovered.tables, found, settings.alpha)
    write_companion(main, Companion(settings, str(stories), profiles.duplicates, counts))
    return Outcome(lines, tables)


def _discovered_before(path: Path) -> pl.DataFrame | None:
    """The associations in a table of them, or None where it holds stories.

    Raises:
        UserError: the table has no rows: the analysis found nothing.
    """
    suffix = path.suffix.lower()
    tabular = path.is_file() and suffix in TABLE_SUFFIXES
    if suffix != ".json" and not (tabular and set(PARTS) <= set(table_columns(path))):
        return None
    if tabular and next(iter(table_rows(path, PARTS)), None) is None:
        raise UserError(f"{path} has no associations. Expected at least one row to compare.")
    return read_associations(path)


def _differences(stories: Path, profiles: Profiles, settings: Discovery) -> pl.DataFrame:
    """Differences in protagonists between models, languages and themes."""
    if stories.is_dir():
        return differences_in(stories, lambda: protagonists_by_story(profiles, themes([stories])), settings)
    by_story = protagonists_by_story(profiles, themes([stories]))
    return every_difference(by_story, confidence=settings.confidence, seed=settings.seed)


def _shared(
    found: pl.DataFrame, profiles: Profiles | None, settings: Discovery, sharing: Sharing, how: Resampling
) -> tuple[list[Any], dict[str, Any]]:
    """What languages (or models) share: lines for the terminal, and tables."""
    by: Literal["language", "model"] = "language" if settings.by_language else "model"
    classes = groups = None
    if sharing.harm is not None:
        classes = read_classes(sharing.harm)
        groups = read_groups(sharing.groups, found) if settings.by_language else None
    analysis = analyze_overlap(found, classes, groups, by=by, profiles=profiles, how=how)
    beside = {f"overlap_{name}": getattr(analysis, name) for name in BESIDE}
    return list(_shared_lines(analysis, by, how.confidence)), {"overlap": analysis.reach, **beside}


def _shared_lines(
    analysis: Overlap, by: Literal["language", "model"], confidence: float
) -> Iterator[str | Headline]:
    """One row per language or model, and summary sentences."""
    present = [name for name in MEMBERS if analysis.members[name].is_not_null().any()]
    title = f"Associations per {by} (missed: share of all associations that were not found)"
    yield headline_of(title, analysis.members, (text_field(by, "member"), *present))
    yield (
        f"{len(analysis.reach)} associations: {len(analysis.universal)} in every {by}, {len(analysis.exclusive)} in "
        f"only one. Not found in another {by} may mean that it has too few stories."
    )
    if analysis.comparison is None:
        yield "Harmful and benign associations were not compared. Name a table of harm ratings with --harm FILE."
    yield from map(str, shared_findings(analysis, percent(confidence, 0), by))
