"""What `endoxa analyze associations` prints: what was read, tested and found, and what may not be claimed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE

if TYPE_CHECKING:
    import polars as pl

    from endoxa.analyze.associations import Discovered
    from endoxa.datasets.stereotales import Profiles

SHOWN = 10
PARTS = ("base_attribute", "base_value", "compared_attribute", "compared_value")


def print_found(profiles: Profiles, found: Discovered, alpha: float) -> None:
    """Print what was read, what was left out, what was tested, and the strongest associations."""
    for sentence in (*_read(profiles), *_tested(found, alpha)):
        typer.echo(sentence)
    claimed = found.associations.filter(found.associations["verdict"] == ABOVE)
    if not claimed.is_empty():
        _print_strongest(claimed, several=len(profiles.models) > 1)


def written(associations: pl.DataFrame, out: Path) -> str:
    """How many associations were written, and how many of them may not be claimed."""
    unclear = associations.filter(associations["verdict"] != ABOVE)
    said = f"{len(associations)} associations written to {out}"
    if unclear.is_empty():
        return said
    reasons = ", ".join(
        f"{n} {reason}" for reason, n in unclear["reason"].value_counts(sort=True).iter_rows()
    )
    return f"{said}; {len(unclear)} of them are unclear ({reasons})"


def _read(profiles: Profiles) -> list[str]:
    from endoxa.analyze.associations import overview
    from endoxa.report.words import plural

    nothing = int(overview(profiles)["nothing_known"].sum())
    parts = [f"{profiles.unusable} without a usable profile"] if profiles.unusable else []
    if nothing:
        which = plural(nothing, "other" if parts else "story", None if parts else "stories")
        parts.append(f"in {which} nothing could be read (refusals, as a rule)")
    rows = plural(profiles.rows, "row")
    said = [f"{rows}: {'; '.join(parts)}." if parts else f"{rows}."]
    if profiles.duplicates:
        said.append(
            f"Warning: {plural(profiles.duplicates, 'story', 'stories')} with the prompt, model, language and repeat "
            "of another, all counted: repeats without the column 'repeat', or rows that are in the file twice?"
        )
    if profiles.not_text:
        said.append(f"{plural(profiles.not_text, 'value')} not written as text, taken as the JSON has it.")
    return said


def _tested(found: Discovered, alpha: float) -> list[str]:
    from endoxa.analyze.associations import tally
    from endoxa.report.words import plural

    counts = tally(found.tables, found.associations, alpha)
    tables, untested, kept, unstable, by_prompts = (
        int(counts[name].sum()) for name in ("tables", "untested", "kept", "open", "by_prompts")
    )
    if not tables:
        return [f"Nothing could be tested ({plural(untested, 'table')}): {_why_untested(counts)}."]
    said = [
        f"{plural(tables, 'table')} tested, {kept} kept"
        + (f"; {untested} could not be tested" if untested else "")
        + (f"; {plural(unstable, 'decision')} could change with more draws." if unstable else ".")
    ]
    if by_prompts:
        said.append(
            f"In {plural(by_prompts, 'table')} a prompt has several stories: prompts are the units of their tests."
        )
    return said


def _why_untested(counts: pl.DataFrame) -> str:
    """What all tables lack, or what they need."""
    untested, few_prompts = int(counts["untested"].sum()), int(counts["few_prompts"].sum())
    stories = "a table needs two base values with ten stories each, and two compared values"
    prompts = "too few prompts for a p-value below the false-discovery rate"
    if not few_prompts:
        return stories
    return prompts if few_prompts == untested else f"{stories}; {few_prompts} of them have {prompts}"


def _print_strongest(claimed: pl.DataFrame, *, several: bool) -> None:
    """Print the associations of the most models, or the strongest ones of a single model."""
    import polars as pl
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Found in the most models" if several else "The strongest")
    for name in ("when a prompt names", "stories have"):
        table.add_column(name, overflow="fold")
    alone = claimed["aggregation"].unique().to_list() != [ALL]
    for name in ("models", *(["languages"] if alone else []), "lift"):
        table.add_column(name, justify="right")
    shown = claimed.group_by(PARTS).agg(
        pl.col("model").n_unique(), pl.col("aggregation").n_unique(), pl.col("lift").median()
    )
    for row in shown.sort("model", "lift", descending=True).head(SHOWN).iter_rows(named=True):
        table.add_row(
            escape(f"{row['base_attribute']}: {row['base_value']}"),
            escape(f"{row['compared_attribute']}: {row['compared_value']}"),
            str(row["model"]),
            *([str(row["aggregation"])] if alone else []),
            f"{row['lift']:.2f}",
        )
    Console().print(table)
