"""What the stories show, in sentences for somebody who must decide about a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.stories.associations.discover import NOT_WITHIN, TALLIED, UNTESTED_WITHIN
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
MOST_NAMED = 5
"""Models or languages without associations that are named; more are counted."""


def rate(alpha: float) -> str:
    """A false-discovery rate as '5 %'."""
    return f"{100 * alpha:g}\u00a0%"


def tests_of(tested: pl.DataFrame) -> dict[str, int]:
    """Numbers of tests in some rows of `StoryResults.tested`."""
    return {name: int(tested[name].sum()) for name in TALLIED}


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
    families, _, expected = _expected(results.tested.filter(POOLED))
    rows = _pooled(results).height
    if len(results.searched) != 1 or not families or (results.discovered.height and not rows):
        return {}
    chance = (
        f"any at all in at most {expected} of {plural(families, 'family', 'families')} of tests, on average"
    )
    return {
        "number": count(rows),
        "meaning": f"association{'s' * (rows != 1)} beyond chance. With nothing to find: 0 ({chance}).",
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
        by_model = results.claimed.filter(POOLED).height
        numbers = {"associations": rows.height, "models": models, "by_model": by_model}
        sentence = f"{plural(rows.height, 'association')} {where}"
        if by_model != rows.height:
            sentence += f" ({count(by_model)} counted model by model)"
        if rows["paper_rule"].null_count() < rows.height:
            passing = rows.filter(paper_rule=1).height
            numbers |= {"paper_rule": passing, "least_lift": 2}
            rule = "the article's stricter rule (medium or large effect, lift of at least 2)"
            sentence += (
                f"; {count(passing) if passing else 'none'} of them pass{'es' * (passing <= 1)} {rule}"
            )
        yield Finding(f"{sentence}.", (numbers,))
    elif not (results.discovered.filter(POOLED).height or results.unrecorded):
        tests = tests_of(results.tested.filter(POOLED))
        further = f" {plural(tests['untested'], 'further table')} could not be tested."
        yield _none_found(
            f"{where}{',' if together and not tests['tables'] else ''}",
            tests,
            {"models": models},
            f".{further}" if tests["untested"] else "",
        )


def _none_found(where: str, tests: Mapping[str, int], numbers: Mapping[str, int], more: str = "") -> Finding:
    """That no association was found although tables were tested, or why none could be tested."""
    if tests["tables"]:
        tables = f"{plural(tests['tables'], 'table')} that {'was' if tests['tables'] == 1 else 'were'} tested"
        return Finding(f"No association was found {where}, in {tables}{more or '.'}", ({**tests, **numbers},))
    reason = TOO_FEW_STORIES
    if tests["few_prompts"]:
        only = tests["few_prompts"] == tests["untested"]
        reason = TOO_FEW_PROMPTS if only else "too few stories or prompts"
    row = {**tests, **numbers, "verdict": UNTESTED, "reason": reason}
    return Finding(f"Associations {where} cannot be tested: {reason}.", (row,))


def _unclear(results: StoryResults) -> Iterator[Finding]:
    """How many associations only the test of all languages together finds, model by model."""
    rows = results.discovered.filter(~CLAIMED, POOLED) if results.searched else results.discovered.clear()
    further = "further " if results.claimed.filter(POOLED).height else ""
    default = Discovery().alpha
    alphas = results.tested.filter(POOLED).unique("model", keep="last")
    alpha = pl.col("model").replace_strict(alphas["model"], alphas["alpha"], default=default)
    # The tests within languages: of a cell and of its table, the one that is farther from a claim.
    estimates = rows.select(
        "verdict",
        "reason",
        value="lift",
        neutral=pl.lit(1.0),
        p_value="stratified_p_value",
        p_adjusted=pl.max_horizontal("stratified_p_adjusted", "table_stratified_p_adjusted"),
        confidence=1 - alpha.cast(pl.Float64),
    )
    for (reason,), alike in estimates.group_by(["reason"], maintain_order=True):
        counted = {"unclear": alike.height, "reason": reason}
        if reason == UNTESTED_WITHIN:
            counted["verdict"] = UNTESTED
        which = f"{plural(alike.height, further + 'association')} of all languages together"
        yield Finding(
            f"Unclear and not counted: {which}{f': {reason}' if reason else ''}.",
            (counted, *(alike.rows(named=True) if reason == NOT_WITHIN else ())),
        )


def _shared(results: StoryResults) -> Iterator[Finding]:
    """How many associations every model has, and those in whose stories none was found."""
    models, rows = len(results.searched), _pooled(results)
    pooled, tested = results.discovered.filter(POOLED), results.tested.filter(POOLED)
    if models < 2 or pooled.is_empty():
        return
    if rows.height:
        reach = rows["models"].list.len()
        every, single = (int((reach == number).sum()) for number in (models, 1))
        sentence = (
            f"Found in every model: {count(every)}" if every else "No association is found in every model"
        )
        only = f"; in one model only: {count(single)}" if single else ""
        yield Finding(f"{sentence}{only}.", ({"every": every, "single": single, "models": 1},))
    yield from _without(
        {
            results.label(model): tested.filter(model=model)
            for model in results.searched
            if model not in pooled["model"]
        },
        "in the stories of",
    )


def _without(absent: Mapping[str, pl.DataFrame], where: str) -> Iterator[Finding]:
    """Where no association was found although tables were tested, and where none could be tested."""
    tests = {name: tests_of(tested) for name, tested in absent.items()}
    silent = [name for name, numbers in tests.items() if numbers["tables"]]
    untested = [name for name, numbers in tests.items() if numbers["untested"] and not numbers["tables"]]
    unknown = [name for name, numbers in tests.items() if not (numbers["tables"] or numbers["untested"])]
    few = "; with few stories only strong associations are found."
    for names, more in ((silent, few), (untested, "")):
        if names:
            every = tests_of(pl.concat(absent[name] for name in names))
            left = {"names": len(names), "left": len(names) - MOST_NAMED}
            yield _none_found(f"{where} {_some(names)}", every, left, more)
    if unknown:
        yield Finding(
            f"No association was given {where} {_some(unknown)}; whether any could be tested is not recorded.",
            ({"left": len(unknown) - MOST_NAMED},),
        )


def _some(names: Sequence[str]) -> str:
    more = [f"{count(len(names) - MOST_NAMED)} more"] if len(names) > MOST_NAMED else []
    return listed([*names[:MOST_NAMED], *more])


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
    showing, tested = set(results.claimed["aggregation"]), results.tested
    yield from _without(
        {language_name(code): tested.filter(aggregation=code) for code in languages if code not in showing},
        "in",
    )


def chance_findings(results: StoryResults) -> Iterator[Finding]:
    """How many families hold an association, and how many would if there were nothing to find."""
    together = "With all languages of a model together, " if results.searched_languages else ""
    for rule, where in ((POOLED, together), (~POOLED, "In single languages, ")):
        tested = results.tested.filter(rule)
        families, hits, expected = _expected(tested)
        if not families:
            continue
        alphas = tested["alpha"].unique().sort().to_list()
        numbers = {"families": families, "found": hits, "expected": float(expected)}
        yield Finding(
            f"{where}{plural(families, 'family', 'families')} of tests {'was' if families == 1 else 'were'} made "
            f"(one base attribute of a model against all others), and {count(hits) if hits else 'none'} "
            f"hold{'s' * (hits <= 1)} an association. If there were nothing to find, at most {expected} would on "
            f"average (false-discovery rate {', '.join(map(rate, alphas))}).",
            (numbers, *({"alpha": alpha} for alpha in alphas)),
        )


def _expected(tested: pl.DataFrame) -> tuple[int, int, str]:
    """Families of tests, those that hold an association, and at most how many would on average without any effect."""
    expected = float((tested["families"] * tested["alpha"]).sum())
    numbers = tests_of(tested)
    return numbers["families"], numbers["families_found"], decimal(expected, 1 if expected >= 1 else 2)


def families_used(results: StoryResults) -> list[Used]:
    """The families of tests behind the associations and the differences of protagonists."""
    tests = tests_of(results.tested)
    used: list[Used] = []
    for family, number, untested in (
        (STORY_TABLES, tests["tables"], tests["untested"]),
        (STORY_CELLS, tests["cells"], 0),
        (STORY_TABLES_WITHIN, tests["within"], 0),
        (STORY_CELLS_WITHIN, tests["cells_within"], 0),
    ):
        if tests["within"] or family in (STORY_TABLES, STORY_CELLS):
            # A row that stands for so many tests, and one for each that could not be made.
            made = [{TESTS: number, "verdict": ""}] if number or untested else []
            rows = [*made, *([{TESTS: 0, "verdict": UNTESTED}] * untested)]
            used.append((family, pl.DataFrame(rows, schema={TESTS: pl.Int64, "verdict": pl.String}), ""))
    for (by,), differences in results.differences.group_by(["by"], maintain_order=True):
        used.append((PROTAGONISTS, differences, f"{by}s"))
    return used
