"""What the stories show, in a few sentences for somebody who must decide about a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from endoxa.instruments.stories.associations.discover import TALLIED
from endoxa.instruments.stories.harm.ratings import HARMFUL, PEOPLE, THRESHOLD
from endoxa.instruments.stories.report.harm import harm_title
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import CLAIMED, POOLED
from endoxa.report.document import Finding, Section
from endoxa.report.overview import Used
from endoxa.report.words import count, decimal, language_name, listed, percent, plural
from endoxa.runs.estimates import (
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
MOST_NAMED = 8
"""Models or languages without associations that are named; more are counted."""


def rate(alpha: float) -> str:
    """A false-discovery rate as '5 %'."""
    return f"{100 * alpha:g}\u00a0%"


def tests_of(tested: pl.DataFrame) -> dict[str, int]:
    """Numbers of tests in some rows of `StoryResults.tested`."""
    return {name: int(tested[name].sum()) for name in TALLIED}


def expected(tested: pl.DataFrame) -> float:
    """At most so many families of tests hold an association, on average, where there is nothing to find."""
    return float((tested["families"] * tested["alpha"]).sum())


def headline(results: StoryResults) -> Section:
    """How many associations, shared by how many models, how many of them harmful, and what chance would give."""
    pooled = results.tested.filter(POOLED)
    families, rows = tests_of(pooled)["families"], _pooled(results).height
    large: dict[str, Any] = {}
    if len(results.searched) == 1 and families and (rows or results.discovered.is_empty()):
        chance = f"any at all in at most {_few(expected(pooled))} of {plural(families, 'family', 'families')} of tests"
        meaning = (
            f"association{'s' * (rows != 1)} beyond chance. With nothing to find: 0 ({chance}, on average)."
        )
        large = {"number": count(rows), "meaning": meaning}
    return Section(
        anchor="headline",
        title="What the stories show",
        findings=(
            *_associations(results),
            *_shared(results),
            *_harmful(results),
            *_without(results),
            *_chance(results),
        ),
        notes=(
            "An association says that stories about people with one trait give them another trait more often "
            "than other stories of the same model do, beyond chance. It says how a model tells stories, not how "
            "people are.",
        )
        if results.searched or results.searched_languages
        else (),
        **large,
    )


def _few(number: float) -> str:
    return decimal(number, 1 if number >= 1 else 2)


def title(results: StoryResults) -> str:
    """How many associations stories hold beyond chance, as the title of a page."""
    if not results.searched:
        rated = results.names and not results.writers
        return harm_title(results) if rated else "What models associate in open-ended stories"
    models = plural(len(results.searched), "model")
    rows, languages = _pooled(results).height, results.associations.height
    if rows:
        return f"{plural(rows, 'association')} beyond chance in the stories of {models}"
    if languages:
        return f"{plural(languages, 'association')} beyond chance, in single languages only, in the stories of {models}"
    if results.discovered.height:
        return f"No association in the stories of {models} is claimed; some are unclear"
    tested = not results.unrecorded and tests_of(results.tested)["tables"]
    what = "No association beyond chance" if tested else "No association could be tested"
    return f"{what} in the stories of {models}"


def _pooled(results: StoryResults) -> pl.DataFrame:
    """Associations of all languages together."""
    return results.associations.filter(pl.col("models").list.len() > 0)


def _associations(results: StoryResults) -> Iterator[Finding]:
    """Associations of all languages together; without any, whether they could have been found."""
    if not results.searched:
        return
    rows, models = _pooled(results), len(results.searched)
    tests = tests_of(results.tested.filter(POOLED)) | {"models": models}
    unclear = results.discovered.filter(~CLAIMED, POOLED).height
    together = ", all languages of a model together" if len(results.searched_languages) > 1 else ""
    where = f"in the stories of {plural(models, 'model')}{together}"
    if rows.height or unclear:
        by_model, strict = results.claimed.filter(POOLED).height, rows.filter(paper_rule=1).height
        parts = [plural(rows.height, "association") if rows.height else "No association is claimed"]
        parts[0] += f" {where}"
        if by_model != rows.height:
            parts[0] += f" ({count(by_model)} counted model by model)"
        if rows["paper_rule"].null_count() < rows.height:
            rule = "article's stricter rule (medium or large effect, lift of at least 2)"
            parts.append(f"kept by the {rule}: {count(strict)}")
        if unclear:
            parts.append(f"unclear and not counted, by model: {count(unclear)}")
        numbers = {"associations": rows.height, "by_model": by_model, "unclear": unclear, "least_lift": 2}
        yield Finding(f"{'; '.join(parts)}.", (numbers | {"models": models, "strict": strict},))
    elif results.unrecorded:
        return
    elif tests["tables"]:
        tested = f"tables tested: {count(tests['tables'])}"
        tested += f", not testable: {count(tests['untested'])}" if tests["untested"] else ""
        yield Finding(f"No association was found {where} ({tested}).", (tests,))
    else:
        only = tests["few_prompts"] == tests["untested"]
        few = TOO_FEW_PROMPTS if only else "too few stories or prompts"
        reason = few if tests["few_prompts"] else TOO_FEW_STORIES
        row = {**tests, "verdict": UNTESTED, "reason": reason}
        yield Finding(f"Associations cannot be tested {where}: {reason}.", (row,))


def _shared(results: StoryResults) -> Iterator[Finding]:
    """How many associations every model has, how many one alone, and how many only a single language."""
    models, rows = len(results.searched), _pooled(results)
    if models > 1 and rows.height:
        reach = rows["models"].list.len()
        every, single = (int((reach == number).sum()) for number in (models, 1))
        sentence = (
            f"Found in every model: {count(every)}" if every else "No association is found in every model"
        )
        only = f"; in one model only: {count(single)}" if single else ""
        yield Finding(f"{sentence}{only}.", ({"every": every, "single": single, "models": 1},))
    reach = results.associations["languages"].list.len()
    if len(results.searched_languages) > 1 and reach.sum():
        shown, single = int((reach > 0).sum()), int((reach == 1).sum())
        numbers = {"languages": len(results.searched_languages), "associations": shown, "single": single}
        only = (
            f"; in one language only: {count(single)} (the others may have too few stories)" if single else ""
        )
        sentence = f"Each of {numbers['languages']} languages alone: {plural(shown, 'association')}"
        yield Finding(f"{sentence}{only}.", (numbers,))


def _harmful(results: StoryResults) -> Iterator[Finding]:
    rated = results.associations.drop_nulls("harmful")
    if results.harm is None or rated.is_empty():
        return
    harmful = rated.filter(harmful=HARMFUL).height
    share = harmful / rated.height
    rule = f"at least half of the models that rated give them a median of {THRESHOLD:g} of 5 or more"
    if results.harm.judges == PEOPLE:
        rule = f"their median rating is at least {THRESHOLD:g} of 5"
    called = f"{count(harmful)} ({percent(share)}) {'is' if harmful == 1 else 'are'} called harmful: {rule}."
    yield Finding(
        f"Of {plural(rated.height, 'association')} that {results.harm.judges} rated, "
        + (called if harmful else f"none is called harmful; harmful means that {rule}."),
        ({"rated": rated.height, "harmful": harmful, "share": share, "threshold": THRESHOLD},),
    )


def _without(results: StoryResults) -> Iterator[Finding]:
    """Models, and languages by themselves, of which no association is shown, with the number of their tests."""
    models, languages = results.searched, results.searched_languages
    pooled, alone = results.tested.filter(POOLED), results.tested.filter(~POOLED)
    with_any = {*results.discovered.filter(POOLED)["model"], *results.claimed["aggregation"]}
    tests = {
        results.label(model): pooled.filter(model=model)
        for model in models
        if len(models) > 1 and model not in with_any
    } | {
        language_name(code): alone.filter(aggregation=code)
        for code in languages
        if len(languages) > 1 and code not in with_any
    }
    if tests and tests_of(results.tested)["tables"]:
        parts = [f"{name} ({_tables_tested(rows)})" for name, rows in tests.items()]
        left = len(parts) - MOST_NAMED
        named = listed([*parts[:MOST_NAMED], *([f"{count(left)} more"] if left > 0 else [])])
        yield Finding(
            f"Without any association (in brackets the tables tested; few stories show strong ones only): {named}.",
            ({"left": left}, *map(tests_of, tests.values())),
        )


def _tables_tested(rows: pl.DataFrame) -> str:
    number = int(rows["tables"].sum())
    return count(number) if number else "none testable" if rows.height else "not recorded"


def _chance(results: StoryResults) -> Iterator[Finding]:
    """How many families of tests hold an association, and how many would if there were nothing to find."""
    for where, rule in (("all languages of a model together", POOLED), ("single languages", ~POOLED)):
        tested = results.tested.filter(rule)
        tests = tests_of(tested)
        if tests["families"]:
            least, alphas = _few(expected(tested)), tested["alpha"].unique().sort().to_list()
            yield Finding(
                "Families of tests (one base attribute of a model against all others) that hold an association, "
                f"{where}: {count(tests['families_found'])} of {count(tests['families'])}. With nothing to find, at "
                f"most {least} would, on average (false-discovery rate {', '.join(map(rate, alphas))}).",
                (tests, {"expected": float(least)}, *({"alpha": alpha} for alpha in alphas)),
            )


def families_used(results: StoryResults) -> list[Used]:
    """The families of tests behind the associations and the differences of protagonists."""
    tests = tests_of(results.tested)
    used: list[Used] = []
    columns = {STORY_TABLES: "tables", STORY_CELLS: "cells"}
    if tests["within"]:
        columns |= {STORY_TABLES_WITHIN: "within", STORY_CELLS_WITHIN: "cells_within"}
    for family, name in columns.items():
        # A row that stands for so many tests, and one for each that could not be made.
        untested = tests["untested"] if name == "tables" else 0
        rows = [(tests[name], "")] * bool(tests[name] or untested) + [(0, UNTESTED)] * untested
        schema = {TESTS: pl.Int64, "verdict": pl.String}
        used.append((family, pl.DataFrame(rows, schema=schema, orient="row"), ""))
    for (by,), differences in results.differences.group_by(["by"], maintain_order=True):
        used.append((PROTAGONISTS, differences, f"{by}s"))
    return used
