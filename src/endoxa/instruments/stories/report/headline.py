"""What the stories show, in sentences for somebody who must decide about a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.stories.associations.discover import NOT_WITHIN, UNTESTED_WITHIN
from endoxa.instruments.stories.harm.panel import HARMFUL, PEOPLE, THRESHOLD
from endoxa.instruments.stories.options import PUBLISHED, Discovery
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import CLAIMED, POOLED
from endoxa.instruments.stories.report.words import value_field
from endoxa.report.document import Finding, Section
from endoxa.report.families import Used
from endoxa.report.tables import Table, table_of, text_field
from endoxa.report.words import count, decimal, language_name, listed, percent, plural
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
        families, hits = int(tested["families"].sum()), int(tested["families_found"].sum())
        if not families:
            continue
        expected = float((tested["families"] * tested["alpha"]).sum())
        alphas = ", ".join(rate(alpha) for alpha in tested["alpha"].unique().sort())
        digits = 1 if expected >= 1 else 2
        yield Finding(
            f"{where}{plural(families, 'family', 'families')} of tests {'was' if families == 1 else 'were'} made "
            f"(one base attribute of a model against all others), and {count(hits) if hits else 'none'} "
            f"{'hold' if hits > 1 else 'holds'} an association. If there were nothing to find, at most "
            f"{decimal(expected, digits)} would on average (false-discovery rate {alphas}).",
            (
                {"families": families, "found": hits, "expected": round(expected, digits)},
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
    return table_of(
        "What was tested",
        results.tested,
        (
            text_field("model", lambda row: results.label(row["model"])),
            text_field("languages", lambda row: language_name(row["aggregation"])),
            value_field("base attributes", "families"),
            value_field("with an association", "families_found"),
            value_field("tables"),
            value_field("could not be tested", "untested"),
            value_field("kept"),
            value_field("decided within sampling error", "open"),
            value_field("prompts as units", "by_prompts"),
            value_field("false-discovery rate", "alpha", rate),
        ),
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
    for (by,), differences in results.differences.group_by(["by"], maintain_order=True):
        used.append((PROTAGONISTS, differences, f"{by}s"))
    return used


def _frame(tests: int, untested: int = 0) -> pl.DataFrame:
    """A table that stands for so many tests, and for so many that could not be made."""
    rows: Mapping[str, list[object]] = {
        TESTS: [tests, *([0] * untested)] if tests or untested else [],
        "verdict": ["", *([UNTESTED] * untested)] if tests or untested else [],
    }
    return pl.DataFrame(rows, schema={TESTS: pl.Int64, "verdict": pl.String})


MOST_NAMED = 5
"""Models or languages without associations that are named; more are counted."""
WITHIN = {
    NOT_WITHIN: ("is not distinguishable from chance", "are not distinguishable from chance"),
    UNTESTED_WITHIN: ("cannot be tested", "cannot be tested"),
}
"""Why associations of all languages together are unclear, of one and of several."""


def headline(results: StoryResults) -> Section:
    """How many associations, shared by how many models, how many of them harmful, how many in one language only."""
    return Section(
        anchor="headline",
        title="What the stories show",
        findings=(
            *_associations(results),
            *_harmful(results),
            *_languages(results),
            *chance_findings(results),
        ),
        notes=(
            "An association says that stories about people with one trait give them another trait more often "
            "than other stories of the same model do, beyond chance. It says how a model tells stories, not how "
            "people are.",
        )
        if results.searched or results.searched_languages
        else (),
    )


def _associations(results: StoryResults) -> Iterator[Finding]:
    """Associations of all languages together; without any, whether they could have been found."""
    if not results.searched:
        return
    rows = results.associations.filter(pl.col("models").list.len() > 0)
    if rows.height:
        models = len(results.searched)
        numbers = {"associations": rows.height, "models": models}
        what, where = plural(rows.height, "association"), plural(models, "model")
        sentence = f"{what} in the stories of {where}{_together(results)}"
        by_model = results.claimed.filter(POOLED).height
        if by_model != rows.height:
            numbers["by_model"] = by_model
            sentence += f" ({count(by_model)} counted model by model)"
        if rows["paper_rule"].null_count() < rows.height:
            numbers["paper_rule"] = rows.filter(pl.col("paper_rule") == 1).height
            rule = "the article's stricter rule (medium or large effect, lift of at least 2)"
            passes = "passes" if numbers["paper_rule"] <= 1 else "pass"
            sentence += f"; {_or_none(numbers['paper_rule'])} of them {passes} {rule}"
            numbers["least_lift"] = 2
        yield Finding(f"{sentence}.", (numbers,))
    elif not (results.discovered.filter(POOLED).height or results.unrecorded):
        yield _nothing(results)
    yield from _unclear(results)
    yield from _shared(results, rows)


def _or_none(n: int) -> str:
    return count(n) if n else "none"


def _together(results: StoryResults) -> str:
    return ", all languages of a model together" if len(results.searched_languages) > 1 else ""


def _nothing(results: StoryResults) -> Finding:
    """No association: in the tables that were tested, or because none could be tested."""
    tests = tests_of(results.tested.filter(POOLED))
    where = f"in the stories of {plural(len(results.searched), 'model')}{_together(results)}"
    numbers = tests | {"models": len(results.searched)}
    if not tests["tables"]:
        reason = why_untested(tests)
        row = numbers | {"verdict": UNTESTED, "reason": reason}
        comma = "," if _together(results) else ""
        return Finding(f"Associations {where}{comma} cannot be tested: {reason}.", (row,))
    untested = (
        f" {plural(tests['untested'], 'further table')} could not be tested." if tests["untested"] else ""
    )
    return Finding(
        f"No association was found {where}, in {plural(tests['tables'], 'table')} that "
        f"{'was' if tests['tables'] == 1 else 'were'} tested.{untested}",
        (numbers,),
    )


def _unclear(results: StoryResults) -> Iterator[Finding]:
    """How many associations only the test of all languages together finds, model by model."""
    rows = results.discovered.filter(~CLAIMED, POOLED)
    further = "further " if results.claimed.filter(POOLED).height else ""
    for (reason,), alike in rows.group_by(["reason"], maintain_order=True):
        n, single = alike.height, alike.height == 1
        counted = {"unclear": n, "reason": reason}
        if reason not in WITHIN:
            what = f"{plural(n, further + 'association')} {'is' if single else 'are'} unclear and not counted"
            yield Finding(f"{what}: {reason}." if reason else f"{what}.", (counted,))
            continue
        yield Finding(
            f"{plural(n, further + 'association')} that the test of all languages together finds "
            f"{'is' if single else 'are'} unclear and not counted: within languages {'it' if single else 'they'} "
            f"{WITHIN[str(reason)][not single]}.",
            (counted, *_within(alike, results))
            if reason == NOT_WITHIN
            else (counted | {"verdict": UNTESTED},),
        )


def _within(rows: pl.DataFrame, results: StoryResults) -> Iterator[dict[str, Any]]:
    """The tests within languages, as estimates: of a cell and of its table, the one that is farther from a claim."""
    alphas = {row["model"]: row["alpha"] for row in results.tested.filter(POOLED).iter_rows(named=True)}
    for row in rows.iter_rows(named=True):
        p_values = (row["stratified_p_adjusted"], row["table_stratified_p_adjusted"])
        yield {
            "value": row["lift"],
            "neutral": 1.0,
            "p_value": row["stratified_p_value"],
            "p_adjusted": max((p for p in p_values if p is not None), default=None),
            "confidence": 1 - alphas.get(row["model"], Discovery().alpha),
            "verdict": row["verdict"],
            "reason": row["reason"],
        }


def _shared(results: StoryResults, rows: pl.DataFrame) -> Iterator[Finding]:
    models = len(results.searched)
    if models < 2:
        return
    reach = rows["models"].list.len()
    if rows.height:
        numbers = {"every": int((reach == models).sum()), "one": int((reach == 1).sum()), "models": 1}
        every = f"Found in every model: {count(numbers['every'])}"
        only = f"in one model only: {count(numbers['one'])}"
        if not numbers["every"]:
            every = "No association is found in every model"
        yield Finding(f"{every}; {only}." if numbers["one"] else f"{every}.", (numbers,))
    elif not results.discovered.filter(POOLED).height:
        return
    showing = set(results.discovered.filter(POOLED)["model"])
    absent = [model for model in results.searched if model not in showing]
    tested = results.tested.filter(POOLED)
    yield from _without(
        [(results.label(model), tested.filter(pl.col("model") == model)) for model in absent],
        "in the stories of",
    )


def _without(absent: Sequence[tuple[str, pl.DataFrame]], where: str) -> Iterator[Finding]:
    """Where no association was found although tables were tested, and where none could be tested."""
    tests = {name: tests_of(tested) for name, tested in absent}
    silent = [name for name, numbers in tests.items() if numbers["tables"]]
    untested = [name for name, numbers in tests.items() if numbers["untested"] and not numbers["tables"]]
    unknown = [name for name, numbers in tests.items() if not (numbers["tables"] or numbers["untested"])]
    if silent:
        tables = sum(tests[name]["tables"] for name in silent)
        yield Finding(
            f"No association was found {where} {_some(silent)}, in {plural(tables, 'table')} that "
            f"{'was' if tables == 1 else 'were'} tested; with few stories only strong associations are found.",
            ({"tables": tables, "silent": len(silent), "left": len(silent) - MOST_NAMED},),
        )
    if untested:
        reason = why_untested(tests_of(pl.concat([tested for name, tested in absent if name in untested])))
        row = {"left": len(untested) - MOST_NAMED, "verdict": UNTESTED, "reason": reason}
        yield Finding(f"Associations {where} {_some(untested)} cannot be tested: {reason}.", (row,))
    if unknown:
        yield Finding(
            f"No association was given {where} {_some(unknown)}; whether any could be tested is not recorded.",
            ({"left": len(unknown) - MOST_NAMED},),
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return listed([*names[:MOST_NAMED], *([f"{count(more)} more"] if more > 0 else [])])


def _harmful(results: StoryResults) -> Iterator[Finding]:
    if results.harm is None:
        return
    rated = results.associations.drop_nulls("harmful")
    if rated.height < 1:
        return
    harmful = rated.filter(pl.col("harmful") == HARMFUL).height
    rule = (
        f"their median rating is at least {THRESHOLD:g} of 5"
        if results.harm.judges == PEOPLE
        else f"at least half of the models that rated give them a median of {THRESHOLD:g} of 5 or more"
    )
    text = (
        f"Of {plural(rated.height, 'association')} that {results.harm.judges} rated, {count(harmful)} "
        f"({percent(harmful / rated.height)}) {'is' if harmful == 1 else 'are'} called harmful: {rule}."
    )
    if not harmful:
        text = (
            f"Of {plural(rated.height, 'association')} that {results.harm.judges} rated, none is called harmful; "
            f"harmful means that {rule}."
        )
    yield Finding(
        text,
        (
            {
                "rated": rated.height,
                "harmful": harmful,
                "share": harmful / rated.height,
                "threshold": THRESHOLD,
            },
        ),
    )


def _languages(results: StoryResults) -> Iterator[Finding]:
    languages = results.searched_languages
    if len(languages) < 2:
        return
    rows = results.associations.filter(pl.col("languages").list.len() > 0)
    if rows.height:
        single = rows.filter(pl.col("languages").list.len() == 1).height
        what = f"Each of {count(len(languages))} languages alone: {plural(rows.height, 'association')}"
        which = "" if rows.height == 1 else f"{count(single)} of them "
        them = "it" if single == 1 else "them"
        only = (
            f", {which}found in one language only; the others may have too few stories to show {them}"
            if single
            else ""
        )
        yield Finding(
            f"{what}{only}.",
            ({"languages": len(languages), "associations": rows.height, "single": single},),
        )
    showing = set(results.claimed["aggregation"])
    absent = [code for code in languages if code not in showing]
    yield from _without(
        [(language_name(code), results.tested.filter(pl.col("aggregation") == code)) for code in absent],
        "in",
    )
