"""What the answers show, in sentences for somebody who must decide about an assistant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from operator import itemgetter

import polars as pl

from endoxa.instruments.questions.headline import (
    ASKED,
    AT_CHANCE,
    GUESSING,
    competence_warnings,
    competences,
    read_of_all,
    units_of,
)
from endoxa.instruments.questions.report.compared import names_compared
from endoxa.instruments.questions.report.results import (
    AMBIGUOUS,
    CONTEXTS,
    CONTEXTS_FIELD,
    OVER,
    SPOKEN_CONDITIONS,
    UNITS_FIELD,
    QaResults,
    by_contexts,
    in_order,
    lean_name,
    leans,
    reasons,
    stereotyped,
    unsure,
)
from endoxa.report import estimates as say
from endoxa.report.claims import P_ADJUSTED, Row, chip, corrected
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.estimates import FEW
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, decimal, listed, percent, percent_interval, plural
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FEW_DATA = 2
"""Data sets whose leans are dots; more make a map of models and data sets."""
SINGLE = {
    ABOVE: "{who} leans towards the stereotype",
    BELOW: "{who} leans against the stereotype",
    UNCLEAR: "{who} shows no lean that is distinguishable from chance",
    UNTESTED: "a lean of {who} cannot be tested",
}
"""The verdict on the only model, in the title."""


def headline(results: QaResults, warnings: Sequence[Finding] = ()) -> Section:
    """Does each model lean where nothing is said, is it right where something is, and do names change that.

    Args:
        results: of the page.
        warnings: what must be known before any lean is read, beside which answers are at chance.
    """
    at_chance = [competence for competence in competences(results.estimates) if competence.at_chance]
    options = {"guessing": GUESSING, "options": round(1 / GUESSING)}
    numbers = tuple(asdict(competence) | options for competence in at_chance)
    chance = [Finding(text, numbers) for text in competence_warnings(at_chance, results.label)]
    competent, single = better_than_guessing(results), main_lean(results)
    rows = competent.main(competent.overall)
    meaning = "in ambiguous contexts, from −1 to 1: above 0 towards the stereotype, in"
    return Section(
        anchor="headline",
        title="What the answers show",
        findings=(*chance, *warnings, *_findings(competent, rows.rows(named=True))),
        figures=tuple(_figures(competent, rows)),
        tables=(_table(results, [competence.cell for competence in at_chance]),),
        notes=(
            *((reading(results, map_drawn=len(results.data) > FEW_DATA),) if rows.height else ()),
            "In ambiguous contexts the text does not say who is meant, so the right answer is that it cannot be known. "
            "There a lean is the bias score: stereotyped answers minus other persons named, divided by all answers "
            "read. In disambiguated contexts the text says who is meant. There a lean is the accuracy gap: accuracy "
            "where the right answer agrees with the stereotype minus accuracy where it does not, within templates. "
            "Both are 0 without a lean, above 0 towards the stereotype, below 0 against it. They rest on answers that "
            "were read, to items whose stereotyped option is known; accuracy gaps on templates with items of both "
            "kinds. Where these are not all answers, the table says how many of all they are. Units are templates and "
            "the groups or attributes that several templates share, not single questions; with fewer than six groups a "
            "statement is about these groups as they are, with fewer than six templates about these templates only. "
            "A lean is claimed where the test is significant after correction over all leans.",
        ),
        number=decimal(single["value"]) if single else "",
        meaning=f"{lean_name(single)} {meaning} {plural(single['n'], 'answer')}. Without a lean: 0."
        if single
        else "",
    )


def reading(results: QaResults, *, map_drawn: bool) -> str:
    """How to read dots or a map of leans."""
    if map_drawn:
        return (
            "Blue cells lean towards the stereotype, orange ones against it (significant after correction); grey cells "
            "are not distinguishable or cannot be tested. Models are sorted by their mean lean."
        )
    return (
        "Right of the line: towards the stereotype; left: against it. A filled dot is a lean that is significant after "
        f"correction; bars are {results.level} intervals {OVER}."
    )


def lean_map(results: QaResults, rows: pl.DataFrame, column: str, name: str, title: str) -> Figure:
    """Models against what a column names (data sets, categories), in the order of their mean leans."""
    means = rows.group_by("line", maintain_order=True).agg(pl.col("value").mean())
    lines = means.sort("value", descending=True, nulls_last=True, maintain_order=True)["line"]
    kind = replace(leans(results), name=itemgetter("line"))
    return say.claims_map(kind, rows, lambda row: str(row[column]), lines, name=name, title=title)


def _figures(results: QaResults, rows: pl.DataFrame) -> Iterator[Figure]:
    """Dots of leans by kind of contexts; of many data sets maps."""
    if len(results.data) <= FEW_DATA:
        yield from by_contexts(leans(results), rows, "leans")
        return
    for condition, spoken in SPOKEN_CONDITIONS.items():
        cells = rows.filter(context_condition=condition).drop_nulls("value")
        if cells.height:
            yield lean_map(results, cells, "data", f"leans-{spoken}", f"Leans in {spoken} contexts")


def _findings(results: QaResults, rows: Sequence[Row]) -> Iterator[Finding]:
    """A sentence for each of few models and data sets in each kind of context; of many how many lean where to."""
    kind = leans(results)
    for condition, where in CONTEXTS.items():
        of_contexts = [row for row in rows if row["context_condition"] == condition]
        data, few = list(dict.fromkeys(row["data"] for row in of_contexts)), len(of_contexts) <= FEW
        if few:
            yield from (say.sentence(kind, row) for row in of_contexts)
        elif len(data) > FEW:
            models = len({row["model"] for row in of_contexts})
            scope = f"{where} over {models} models and {len(data)} data sets, "
            finding = say.summary(kind, of_contexts, scope, "results")
            yield replace(finding, rests_on=({"models": models, "data": len(data)}, *finding.rests_on))
        else:
            for name in data:
                of_data = [row for row in of_contexts if row["data"] == name]
                yield say.summary(replace(kind, name=itemgetter("line")), of_data, f"{where} with {name}, ")
        yield from names_compared(results, condition, few=few)


def title(results: QaResults) -> str:
    """The verdict on answers where the text does not say who is meant (else on the others), as the title of a page."""
    competent = better_than_guessing(results)
    rows = competent.main(competent.overall).rows(named=True)
    at_chance = any(competence.at_chance for competence in competences(results.estimates))
    if not rows and at_chance:
        return "The answers are not better than guessing: they say nothing about bias"
    if not rows:
        return f"Answers to questions about people: {listed(list(results.data))}"
    condition = next(name for name in CONTEXTS if any(row["context_condition"] == name for row in rows))
    shown = [row for row in rows if row["context_condition"] == condition]
    where = f"Where the text {'does not say' if condition == AMBIGUOUS else 'says'} who is meant"
    if len(shown) == 1:
        return f"{where}, {SINGLE[shown[0]['verdict']].format(who=shown[0]['line'])}"
    noun = "models" if len({row["data"] for row in shown}) == 1 else "results"
    finding = say.title(leans(results), shown, f"{noun} better than guessing" if at_chance else noun)
    return f"{where}, {finding[:1].lower()}{finding[1:]}"


def main_lean(results: QaResults) -> Row | None:
    """The lean of the only model with the only data, where the text does not say who is meant; None without one."""
    competent = better_than_guessing(results)
    rows = competent.main(competent.overall).filter(context_condition=AMBIGUOUS)
    if rows.height != 1 or len(results.names) > 1 or rows["value"][0] is None:
        return None
    return rows.row(0, named=True)


def lead(results: QaResults) -> str:
    """The bias score of the only model with its interval, and how many answers leave open who is meant; or empty."""
    row = main_lean(results)
    if row is None:
        return ""
    score = f"{lean_name(row).capitalize()} {decimal(row['value'])} over {units_of(row)}"
    left_open, those = row["n_read"] - row["n_persons"], f"the {count(row['n_persons'])} that name a person"
    asked = "" if row["n_read"] == row["n_asked"] else f"; {count(row['n_asked'])} were asked for"
    return (
        f"{say.lead(leans(results), row, score)}{corrected(row)}{unsure(row)} {percent(left_open / row['n_read'])} of "
        f"the answers{' that were read' if asked else ''} leave open who is meant, which is right here "
        f"({count(left_open)} of {count(row['n_read'])}{asked}).{stereotyped(row, those)}"
    )


def better_than_guessing(results: QaResults) -> QaResults:
    """The results without leans of models whose answers are at chance."""
    cells = [competence.cell for competence in competences(results.estimates) if competence.at_chance]
    dropped = pl.DataFrame(cells, schema=dict.fromkeys(ASKED, pl.String), orient="row")
    leans, identities = (
        frame.join(dropped, on=ASKED, how="anti", maintain_order="left")
        for frame in (results.leans, results.identities)
    )
    return replace(results, leans=leans, identities=identities)


def _table(results: QaResults, at_chance: Collection[tuple[str, str, str]]) -> Table:
    """Every lean beside the accuracy, the greatest lean of each data set and kind of context first.

    Args:
        results: of the page.
        at_chance: data sets, models and protocols whose answers are at chance; they get no lean.
    """
    kind = leans(results)

    def where(row: Row) -> str:
        return f"{row['line']}, {row['data']}, {CONTEXTS_FIELD.cell(row)}"

    chance = pl.concat_str(ASKED, separator="\t").is_in(["\t".join(cell) for cell in at_chance])
    rows = results.overall.with_columns(
        pl.when(~chance).then(pl.col("value", "low", "high", "p_adjusted", "verdict")), chance=chance
    ).sort(
        pl.col("context_condition"),
        in_order("data", results.data),
        -pl.col("value"),
        nulls_last=True,
        maintain_order=True,
    )
    return table_of(
        "Leans (bias score in ambiguous contexts, accuracy gap in disambiguated ones) and accuracy",
        rows,
        (
            text_field("model", "line"),
            text_field("data") if len(results.data) > 1 else None,
            CONTEXTS_FIELD,
            number_field("value", shown=decimal),
            number_field(f"{results.level} interval", kind.ends),
            text_field("verdict", lambda row: AT_CHANCE if row["chance"] else chip(row)),
            P_ADJUSTED,
            number_field("accuracy", shown=percent),
            number_field(
                "its interval", lambda row: percent_interval(row["accuracy_low"], row["accuracy_high"])
            ),
            UNITS_FIELD,
            number_field("answers", lambda row: read_of_all(row, "n")),
        ),
        most_open=60,
        notes=tuple(reasons(rows.filter(verdict=UNTESTED), where)),
    )
