"""What was tested behind the associations: sentences, a table, and the families of tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from endoxa.instruments.stories.options import PUBLISHED
from endoxa.instruments.stories.report.found import POOLED
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.report.document import Finding
from endoxa.report.families import Used
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, decimal, language_name, plural
from endoxa.runs.families import (
    PROTAGONISTS,
    STORY_CELLS,
    STORY_CELLS_WITHIN,
    STORY_TABLES,
    STORY_TABLES_WITHIN,
    TESTS,
)
from endoxa.stats.verdicts import UNTESTED

TOO_FEW_STORIES = "no table has two base values with ten stories each and two compared values"
TOO_FEW_PROMPTS = "there are too few prompts for a p-value below the false-discovery rate"
COUNTED = (
    *("families", "families_found", "tables", "untested", "few_prompts", "kept", "cells", "by_prompts"),
    *("within", "cells_within"),
)


def rate(alpha: float) -> str:
    """A false-discovery rate as '5 %'."""
    return f"{100 * alpha:g}\u00a0%"


def tests_of(tested: pl.DataFrame) -> dict[str, int]:
    """Numbers of tests in some rows of `StoryResults.tested`."""
    return {name: int(tested[name].sum()) for name in COUNTED}


def why_untested(tests: Mapping[str, int]) -> str:
    """Why no table could be tested."""
    if not tests["few_prompts"]:
        return TOO_FEW_STORIES
    return TOO_FEW_PROMPTS if tests["few_prompts"] == tests["untested"] else "too few stories or prompts"


def chance_findings(results: StoryResults) -> Iterator[Finding]:
    """How many families hold an association, and how many would if there were nothing to find."""
    together = "With all languages of a model together, " if results.searched_languages else ""
    for rule, where in ((POOLED, together), (~POOLED, "In single languages, ")):
        tested = results.tested.filter(rule)
        families, found = int(tested["families"].sum()), int(tested["families_found"].sum())
        if not families:
            continue
        expected = float((tested["families"] * tested["alpha"]).sum())
        alphas = ", ".join(rate(alpha) for alpha in tested["alpha"].unique().sort())
        digits = 1 if expected >= 1 else 2
        yield Finding(
            f"{where}{plural(families, 'family', 'families')} of tests {'was' if families == 1 else 'were'} made "
            f"(one base attribute of a model against all others), and {count(found) if found else 'none'} "
            f"{'hold' if found > 1 else 'holds'} an association. If there were nothing to find, at most "
            f"{decimal(expected, digits)} would on average (false-discovery rate {alphas}).",
            (
                {"families": families, "found": found, "expected": round(expected, digits)},
                *({"alpha": alpha} for alpha in tested["alpha"].unique()),
            ),
        )


def prompt_findings(results: StoryResults) -> Iterator[Finding]:
    """Where prompts are the units, and where the published pooled test alone decides."""
    tests = tests_of(results.tested)
    if tests["by_prompts"]:
        n = tests["by_prompts"]
        yield Finding(
            f"In {plural(n, 'table')} a prompt has several stories: prompts, not stories, are the units of "
            f"{'its tests' if n == 1 else 'their tests'}.",
            (tests,),
        )
    if tests["within"] and any(
        source.settings and source.settings.pooled == PUBLISHED for source in results.sources
    ):
        yield Finding(
            "Associations of all languages together are claimed by the published pooled test alone: differences "
            "between languages may explain them."
        )


def tested_table(results: StoryResults) -> Table:
    """Families and tables of each model and aggregation."""
    rows = tuple(
        (
            results.label(row["model"]),
            language_name(row["aggregation"]),
            *(
                count(row[name])
                for name in ("families", "families_found", "tables", "untested", "kept", "open", "by_prompts")
            ),
            rate(row["alpha"]),
        )
        for row in results.tested.iter_rows(named=True)
    )
    names = (
        "base attributes",
        "with an association",
        "tables",
        "could not be tested",
        "kept",
        "decided within sampling error",
        "prompts as units",
        "false-discovery rate",
    )
    return Table(
        "What was tested",
        (Column("model"), Column("languages"), *(Column(name, numeric=True) for name in names)),
        rows,
        folded=True,
    )


def families_used(results: StoryResults) -> list[Used]:
    """The families of tests behind the associations and the differences of protagonists."""
    tests = tests_of(results.tested)
    used: list[Used] = [
        (STORY_TABLES, _frame(tests["tables"], tests["untested"]), ""),
        (STORY_CELLS, _frame(tests["cells"]), ""),
    ]
    if tests["within"]:
        used += [
            (STORY_TABLES_WITHIN, _frame(tests["within"]), ""),
            (STORY_CELLS_WITHIN, _frame(tests["cells_within"]), ""),
        ]
    for (by,), own in results.differences.group_by(["by"], maintain_order=True):
        used.append((PROTAGONISTS, own, f"{by}s"))
    return used


def _frame(tests: int, untested: int = 0) -> pl.DataFrame:
    """A table that stands for so many tests, and for so many that could not be made."""
    rows: Mapping[str, list[object]] = {
        TESTS: [tests, *([0] * untested)] if tests or untested else [],
        "verdict": ["", *([UNTESTED] * untested)] if tests or untested else [],
    }
    return pl.DataFrame(rows, schema={TESTS: pl.Int64, "verdict": pl.String})
