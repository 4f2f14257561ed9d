"""What the stories show, in sentences for somebody who must decide about a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.stories.associations.discover import NOT_WITHIN, UNTESTED_WITHIN
from endoxa.instruments.stories.harm.ratings import HARMFUL, PEOPLE, THRESHOLD
from endoxa.instruments.stories.options import Discovery
from endoxa.instruments.stories.report.harm import harm_title
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.sources import CLAIMED, POOLED
from endoxa.report.document import Finding, Section
from endoxa.report.families import Used
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
MOST_NAMED = 5
"""Models or languages without associations that are named; more are counted."""
WITHIN = {
    NOT_WITHIN: ("is not distinguishable from chance", "are not distinguishable from chance"),
    UNTESTED_WITHIN: ("cannot be tested", "cannot be tested"),
}
"""Why associations of all languages together are unclear, of one and of several."""


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


def headline(results: StoryResults) -> Section:
    """How many associations, shared by how many models, how many of them harmful, how many in one language only."""
    return Section(
        anchor="headline",
        title="What the stories show",
        findings=(
            *_associations(results),
            *_unclear(results),
            *_shared(results),
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
        **_number(results),
    )


def _number(results: StoryResults) -> dict[str, Any]:
    """How many associations the stories of the only model hold, beside what tests find where there is nothing."""
    tested = results.tested.filter(POOLED)
    families, rows = int(tested["families"].sum()), _pooled(results).height
    if len(results.searched) != 1 or not families or (results.discovered.height and not rows):
        return {}
    expected = float((tested["families"] * tested["alpha"]).sum())
    return {
        "number": count(rows),
        "meaning": f"association{'s' * (rows != 1)} beyond chance. With nothing to find: 0 (any at all in at most "
        f"{decimal(expected, 1 if expected >= 1 else 2)} of {plural(families, 'family', 'families')} of tests, on "
        "average).",
    }


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
    together = ", all languages of a model together" if len(results.searched_languages) > 1 else ""
    where = f"in the stories of {plural(models, 'model')}{together}"
    if rows.height:
        numbers = {"associations": rows.height, "models": models}
        sentence = f"{plural(rows.height, 'association')} {where}"
        by_model = results.claimed.filter(POOLED).height
        if by_model != rows.height:
            numbers["by_model"] = by_model
            sentence += f" ({count(by_model)} counted model by model)"
        if rows["paper_rule"].null_count() < rows.height:
            passing = rows.filter(pl.col("paper_rule") == 1).height
            numbers |= {"paper_rule": passing, "least_lift": 2}
            rule = "the article's stricter rule (medium or large effect, lift of at least 2)"
            passes = "passes" if passing <= 1 else "pass"
            sentence += f"; {count(passing) if passing else 'none'} of them {passes} {rule}"
        yield Finding(f"{sentence}.", (numbers,))
    elif not (results.discovered.filter(POOLED).height or results.unrecorded):
        tests = tests_of(results.tested.filter(POOLED))
        numbers = tests | {"models": models}
        if not tests["tables"]:
            reason = why_untested(tests)
            comma = "," if together else ""
            yield Finding(
                f"Associations {where}{comma} cannot be tested: {reason}.",
                (numbers | {"verdict": UNTESTED, "reason": reason},),
            )
            return
        further = f" {plural(tests['untested'], 'further table')} could not be tested."
        yield Finding(
            f"No association was found {where}, in {plural(tests['tables'], 'table')} that "
            f"{'was' if tests['tables'] == 1 else 'were'} tested.{further if tests['untested'] else ''}",
            (numbers,),
        )


def _unclear(results: StoryResults) -> Iterator[Finding]:
    """How many associations only the test of all languages together finds, model by model."""
    rows = results.discovered.filter(~CLAIMED, POOLED) if results.searched else results.discovered.clear()
    further = "further " if results.claimed.filter(POOLED).height else ""
    for (reason,), alike in rows.group_by(["reason"], maintain_order=True):
        n, single = alike.height, alike.height == 1
        counted = {"unclear": n, "reason": reason}
        are = "is" if single else "are"
        if reason not in WITHIN:
            what = f"{plural(n, further + 'association')} {are} unclear and not counted"
            yield Finding(f"{what}: {reason}." if reason else f"{what}.", (counted,))
            continue
        # The tests within languages: of a cell and of its table, the one that is farther from a claim.
        default = Discovery().alpha
        alphas = results.tested.filter(POOLED).unique("model", keep="last")
        alpha = pl.col("model").replace_strict(alphas["model"], alphas["alpha"], default=default)
        estimates = alike.select(
            "verdict",
            "reason",
            value="lift",
            neutral=pl.lit(1.0),
            p_value="stratified_p_value",
            p_adjusted=pl.max_horizontal("stratified_p_adjusted", "table_stratified_p_adjusted"),
            confidence=1 - alpha.cast(pl.Float64),
        )
        yield Finding(
            f"{plural(n, further + 'association')} that the test of all languages together finds "
            f"{are} unclear and not counted: within languages {'it' if single else 'they'} "
            f"{WITHIN[str(reason)][not single]}.",
            (counted, *estimates.rows(named=True))
            if reason == NOT_WITHIN
            else (counted | {"verdict": UNTESTED},),
        )


def _shared(results: StoryResults) -> Iterator[Finding]:
    """How many associations every model has, and those in whose stories none was found."""
    models, rows = len(results.searched), _pooled(results)
    if models < 2:
        return
    pooled, tested = results.discovered.filter(POOLED), results.tested.filter(POOLED)
    if rows.height:
        reach = rows["models"].list.len()
        numbers = {"every": int((reach == models).sum()), "one": int((reach == 1).sum()), "models": 1}
        every = f"Found in every model: {count(numbers['every'])}"
        if not numbers["every"]:
            every = "No association is found in every model"
        only = f"; in one model only: {count(numbers['one'])}" if numbers["one"] else ""
        yield Finding(f"{every}{only}.", (numbers,))
    elif pooled.is_empty():
        return
    absent = [model for model in results.searched if model not in pooled["model"]]
    yield from _without(
        {results.label(model): tested.filter(pl.col("model") == model) for model in absent},
        "in the stories of",
    )


def _without(absent: Mapping[str, pl.DataFrame], where: str) -> Iterator[Finding]:
    """Where no association was found although tables were tested, and where none could be tested."""
    tests = {name: tests_of(tested) for name, tested in absent.items()}
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
        reason = why_untested(tests_of(pl.concat(absent[name] for name in untested)))
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
    rated = results.associations.drop_nulls("harmful")
    if results.harm is None or rated.is_empty():
        return
    harmful = rated.filter(pl.col("harmful") == HARMFUL).height
    rule = f"at least half of the models that rated give them a median of {THRESHOLD:g} of 5 or more"
    if results.harm.judges == PEOPLE:
        rule = f"their median rating is at least {THRESHOLD:g} of 5"
    share = harmful / rated.height
    called = f"{count(harmful)} ({percent(share)}) {'is' if harmful == 1 else 'are'} called harmful: {rule}."
    if not harmful:
        called = f"none is called harmful; harmful means that {rule}."
    yield Finding(
        f"Of {plural(rated.height, 'association')} that {results.harm.judges} rated, {called}",
        ({"rated": rated.height, "harmful": harmful, "share": share, "threshold": THRESHOLD},),
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
        only = f", {which}found in one language only; the others may have too few stories to show {them}"
        yield Finding(
            f"{what}{only if single else ''}.",
            ({"languages": len(languages), "associations": rows.height, "single": single},),
        )
    showing = set(results.claimed["aggregation"])
    tested = {code: results.tested.filter(pl.col("aggregation") == code) for code in languages}
    absent = {language_name(code): rows for code, rows in tested.items() if code not in showing}
    yield from _without(absent, "in")


def chance_findings(results: StoryResults) -> Iterator[Finding]:
    """How many families hold an association, and how many would if there were nothing to find."""
    together = "With all languages of a model together, " if results.searched_languages else ""
    for rule, where in ((POOLED, together), (~POOLED, "In single languages, ")):
        tested = results.tested.filter(rule)
        families, hits = int(tested["families"].sum()), int(tested["families_found"].sum())
        if not families:
            continue
        expected = float((tested["families"] * tested["alpha"]).sum())
        alphas = tested["alpha"].unique().sort().to_list()
        digits = 1 if expected >= 1 else 2
        numbers = {"families": families, "found": hits, "expected": round(expected, digits)}
        yield Finding(
            f"{where}{plural(families, 'family', 'families')} of tests {'was' if families == 1 else 'were'} made "
            f"(one base attribute of a model against all others), and {count(hits) if hits else 'none'} "
            f"{'hold' if hits > 1 else 'holds'} an association. If there were nothing to find, at most "
            f"{decimal(expected, digits)} would on average (false-discovery rate {', '.join(map(rate, alphas))}).",
            (numbers, *({"alpha": alpha} for alpha in alphas)),
        )


def families_used(results: StoryResults) -> list[Used]:
    """The families of tests behind the associations and the differences of protagonists."""
    tests = tests_of(results.tested)

    def stated(number: int, untested: int = 0) -> pl.DataFrame:
        """A table that stands for so many tests, and for so many that could not be made."""
        made = [{TESTS: number, "verdict": ""}] if number or untested else []
        schema = {TESTS: pl.Int64, "verdict": pl.String}
        return pl.DataFrame([*made, *([{TESTS: 0, "verdict": UNTESTED}] * untested)], schema=schema)

    used: list[Used] = [
        (STORY_TABLES, stated(tests["tables"], tests["untested"]), ""),
        (STORY_CELLS, stated(tests["cells"]), ""),
    ]
    if tests["within"]:
        used.append((STORY_TABLES_WITHIN, stated(tests["within"]), ""))
        used.append((STORY_CELLS_WITHIN, stated(tests["cells_within"]), ""))
    for (by,), differences in results.differences.group_by(["by"], maintain_order=True):
        used.append((PROTAGONISTS, differences, f"{by}s"))
    return used
