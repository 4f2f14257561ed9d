"""Names of models, published tables and figures of the report of questions, from frames made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.questions.estimates import QaAnalysis
from endoxa.instruments.questions.estimates.analysis import IDENTITY_TYPES
from endoxa.instruments.questions.estimates.debias import DEBIAS_TYPES
from endoxa.instruments.questions.estimates.estimates import COUNT_TYPES, ESTIMATE_TYPES
from endoxa.instruments.questions.estimates.measures import CELL, MEASURES
from endoxa.instruments.questions.estimates.names import COMPARISON_TYPES
from endoxa.instruments.questions.report.axes import average_of_cells, averages
from endoxa.instruments.questions.report.compared import conditions_compared
from endoxa.instruments.questions.report.headline import headline
from endoxa.instruments.questions.report.published import (
    ALL_READ,
    paper_tables,
    value_with_sd,
    wide_table,
)
from endoxa.instruments.questions.report.results import (
    QaResults,
    results_of,
)
from endoxa.instruments.reports import write_report
from endoxa.report.labels import ModelName, name_models, read_labels
from endoxa.report.tables import latex, markdown
from endoxa.runs.options import ReportOptions
from support.report_qa_samples import HOSTILE, Lean, qa_folder, questions, records

GPT_4O = {
    ("Nationality", "ambig"): (0.950, 0.002, 0.035, 0.001, 0.676, 0.032),
    ("Name", "ambig"): (0.966, 0.003, 0.006, 0.003, 0.156, 0.065),
    ("Nationality", "disambig"): (0.964, 0.001, -0.002, 0.001, -0.002, 0.001),
    ("Name", "disambig"): (0.994, 0.002, -0.001, 0.002, -0.001, 0.002),
}
"""The row of GPT-4o in Tables 1 to 5 of Pelosio et al. (2025): accuracy, bias score, unscaled, each mean and sd."""

COUNTS = [name for name, kind in COUNT_TYPES.items() if kind == pl.Int64]

UNITS = {"clusters": 25, "groups": 30, "attributes": 0, "sampled": "both"}


def estimate(**values: Any) -> dict[str, Any]:
    """A cell with its counts, its verdict, and its measures by their names (`bias_score_low`)."""
    row: dict[str, Any] = dict.fromkeys(COUNTS, 0)
    row |= {"data": "Town", "category": "Town", "model": "openai/gpt-4o", "protocol": "baseline"}
    row |= {
        "context_condition": "ambig",
        "n_asked": 100,
        "n_read": 100,
        "n": 100,
        "seeds": 3,
        "confidence": 0.95,
    }
    row |= {"verdict": "cannot-be-tested", "reason": "3 templates, at least 6 needed"}
    return row | {"lean": values.get("bias_score"), **UNITS} | values


def long(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a cell in the table of estimates."""
    about = {name: row[name] for name in (*CELL, "n", "seeds", "confidence", *UNITS)}
    ends = ("low", "high", "mean", "sd", "bound_low", "bound_high", "reason")

    def of(name: str) -> dict[str, Any]:
        return {"name": name, "value": row.get(name), **{end: row.get(f"{name}_{end}") for end in ends}}

    tested = {"neutral": 0.0, "verdict": row["verdict"], "reason": row["reason"]}
    return [about | of("lean") | tested, *(about | of(name) | {"verdict": ""} for name in MEASURES)]


def made(
    rows: list[dict[str, Any]],
    retention: Sequence[dict[str, Any]] = (),
    differences: Sequence[dict[str, Any]] = (),
) -> QaResults:
    """Results with these estimates; the answers behind them are only there to be named."""
    estimates = pl.DataFrame([one for row in rows for one in long(row)], schema=ESTIMATE_TYPES)
    models, data = (estimates[name].unique(maintain_order=True) for name in ("model", "data"))
    asked = records(questions()[:2], dict.fromkeys(models, Lean()))
    analysis = QaAnalysis(
        estimates,
        pl.DataFrame([{name: row[name] for name in COUNT_TYPES} for row in rows], schema=COUNT_TYPES),
        pl.DataFrame(list(retention), schema=COMPARISON_TYPES),
        pl.DataFrame(schema=DEBIAS_TYPES),
        pl.DataFrame(list(differences), schema=COMPARISON_TYPES),
        pl.DataFrame(schema=IDENTITY_TYPES),
    )
    answers = pl.concat([asked.with_columns(data=pl.lit(name)) for name in data])
    return results_of(answers, analysis, {}, (), 0.95)


def _judged(data: str, condition: str, score: float) -> dict[str, Any]:
    """What is claimed of a score."""
    if condition == "disambig":
        return {"reason": "answers are wrong in only 5 of 25 templates, at least 6 needed"}
    verdict = "above" if data == "Nationality" else "unclear"
    return {"verdict": verdict, "reason": "", "lean_low": score - 0.01, "lean_high": score + 0.01}


PRINTED = ("accuracy", "bias_score", "bias_unscaled")
GAPS = {
    ("accuracy", "ambig"): (-0.016, -0.026),
    ("accuracy", "disambig"): (-0.030, -0.04),
    ("bias_score", "ambig"): (0.029, 0.019),
    ("bias_score", "disambig"): (-0.001, -0.011),
}
"""Differences of groups and names, and the lower ends of their intervals."""


@pytest.fixture(scope="module")
def published() -> QaResults:
    rows = []
    for (data, condition), numbers in GPT_4O.items():
        values = {
            f"{name}{part}": value
            for name, mean, sd in zip(PRINTED, numbers[::2], numbers[1::2], strict=True)
            for part, value in (("", mean), ("_mean", mean), ("_sd", sd))
        }
        score = values["bias_score"]
        values |= {"bias_score_low": score - 0.01, "bias_score_high": score + 0.01, "n_non_unknown": 5}
        values |= _judged(data, condition, score)
        rows.append(estimate(data=data, context_condition=condition, **values))
    pair = {
        "model": "openai/gpt-4o",
        "protocol": "baseline",
        "original": "Nationality",
        "substituted": "Name",
    }
    retained = pair | UNITS | {"name": "error_retention"}
    ratio = {
        "value": 0.68,
        "low": 0.5,
        "high": 0.9,
        "verdict": "below",
        "neutral": 1.0,
        "n": 770,
        "n_left_out": 0,
    }
    none = {"reason": "no error is there to be retained", "verdict": "cannot-be-tested"}
    ratios = [
        retained | ratio | {"context_condition": "ambig"},
        retained | none | {"context_condition": "disambig"},
    ]
    gaps = [
        pair
        | UNITS
        | {"name": name, "context_condition": condition, "value": gap, "low": low, "high": gap + 0.01}
        | {
            "neutral": 0.0,
            "verdict": "above" if low > 0 else "unclear",
            "n": 770,
            "n_left_out": 3,
            "reason": "",
        }
        for (name, condition), (gap, low) in GAPS.items()
    ]
    return made(rows, ratios, gaps)


def test_the_published_row_is_printed_as_published(published: QaResults) -> None:
    tables = {table.number: table for table in paper_tables(published)}
    shown = {
        number: dict(zip((c.name for c in table.columns[1:]), table.rows[0][1:], strict=True))
        for number, table in tables.items()
    }
    printed = ["0.950 ± 0.002", "0.964 ± 0.001", "0.035 ± 0.001", "−0.002 ± 0.001", "0.676 ± 0.032"]
    assert [shown[number]["Nationality"] for number in range(1, 6)] == printed
    assert [shown[number]["Name"] for number in (1, 3)] == ["0.966 ± 0.003", "0.006 ± 0.003"]
    assert tables[6].rows == (("gpt-4o", "0.680", "0.500 to 0.900", "–", "–"),)
    why = "Cannot be tested: no error is there to be retained (gpt-4o, disambiguated)."
    assert tables[6].notes[-1] == why
    # The average is the mean of the four cells.
    assert average_of_cells(published, "accuracy") == {"openai/gpt-4o": pytest.approx(0.9685)}
    assert average_of_cells(published, "bias_score") == {"openai/gpt-4o": pytest.approx(0.0095)}
    six = tuple(tables.values())
    assert markdown(six).count("**Table ") == latex(six).count(r"\begin{tabular}") == 6
    figures = {figure.name: figure for figure in conditions_compared(published).figures}
    assert "gpt-4o: −0.016" in figures["difference-accuracy-ambiguous"].alt
    assert "gpt-4o: 0.029" in figures["difference-lean-ambiguous"].alt


def test_the_headline_has_verdicts_with_their_intervals(published: QaResults) -> None:
    findings = [str(finding) for finding in headline(published).findings]
    over = "over 25 templates x 30 groups (95\u00a0% interval"
    for sentence in (
        "In ambiguous contexts gpt-4o with Nationality leans towards the stereotype: bias score 0.035 "
        f"{over} 0.025 to 0.045; no lean: 0).",
        "In ambiguous contexts gpt-4o with Name: a lean is not distinguishable: bias score 0.006 "
        f"{over} −0.004 to 0.016; no lean: 0).",
        "In ambiguous contexts the bias score of gpt-4o is higher with groups than with names: difference 0.029 "
        "(Nationality minus Name; 770 shared items, 3 items read in one of them only left out) "
        f"{over} 0.019 to 0.039; no difference: 0).",
        "In ambiguous contexts the error rate of gpt-4o is lower with names than with groups: 0.680 times as high "
        f"with names (Name over Nationality; 770 shared items) {over} 0.500 to 0.900; equal: 1).",
        "In disambiguated contexts gpt-4o with Name: cannot be tested (answers are wrong in only 5 of 25 "
        "templates, at least 6 needed). Accuracy gap −0.001 over 25 templates x 30 groups.",
    ):
        assert any(text.startswith(sentence) for text in findings), sentence


def test_undefined_values_are_dashes_with_their_reason() -> None:
    rows = [
        estimate(
            accuracy=1.0,
            accuracy_mean=1.0,
            accuracy_sd=0.0,
            bias_score=0.0,
            bias_unscaled_reason="no answer names a person",
        ),
        estimate(context_condition="disambig", accuracy=1.0, bias_score=0.1),
    ]
    results = made(rows)
    unscaled = paper_tables(results)[4]
    assert unscaled.rows[0][1:] == ("–", "–")
    assert unscaled.notes[-1] == "– undefined: no answer names a person (gpt-4o, Town)."
    other = made([*rows, estimate(model="openai/other", accuracy=0.5)])
    assert average_of_cells(other, "accuracy") == {"openai/gpt-4o": 1.0, "openai/other": None}
    assert averages(other).figures[0].alt.endswith("openai: gpt-4o: 100.0\u00a0%, –; openai: other: n/a, –.")
    (lean,) = headline(made([estimate(accuracy=0.5, n_persons=50, n_non_unknown=3)])).findings
    assert lean.text.startswith(
        "In ambiguous contexts gpt-4o with Town: cannot be tested (3 templates, at least 6 needed). It names "
        "a person in 50.0\u00a0% of its answers (50 of 100)."
    )


def test_a_value_without_an_interval_and_a_model_not_asked_are_explained() -> None:
    why = "all resamples give the same value"
    rows = [
        estimate(bias_unscaled=1.0, bias_unscaled_reason=why),
        estimate(
            model="openai/other", data="Names", bias_unscaled=0.1, bias_unscaled_low=0, bias_unscaled_high=1
        ),
    ]
    (table,) = [table for table in paper_tables(made(rows)) if table.number == 5]
    assert table.rows[0] == ("gpt-4o", "1.000", "–", "–", "–")
    assert table.notes[1:] == (
        f"– beside a value: no interval, because {why} (gpt-4o, Town).",
        "– not asked (gpt-4o, Names and other, Town).",
    )
    certain = estimate(bias_score=1.0, accuracy=0.0, n_persons=100, verdict="above", reason="")
    assert "bias score 1.000 over 25 templates x 30 groups (no interval can be given; no lean: 0)." in str(
        headline(made([certain])).findings[0]
    )


def test_one_seed_has_no_deviation_and_bounds_are_given_where_something_was_not_read() -> None:
    row = estimate(accuracy=0.5, accuracy_mean=0.5, seeds=1)
    assert value_with_sd(long(row)[1]) == "0.500"
    assert "One seed" in paper_tables(made([row]))[0].notes[0]
    rows = [
        estimate(bias_score=0.1, bias_score_bound_low=0.0, bias_score_bound_high=0.2, n_read=97),
        estimate(model="openai/other", bias_score=0.1),
    ]
    accuracy, score = paper_tables(made(rows))[:2]
    assert [row[-1] for row in accuracy.rows] == ["–", ALL_READ]
    assert [row[-1] for row in score.rows] == ["0.000 to 0.200", ALL_READ]


# ------------------------------------------------------------------- Markdown, LaTeX, CSV


def test_tables_for_papers_escape_names(tmp_path: Path) -> None:
    models = {"openai/a_b|c": Lean(), f"hf/{HOSTILE}&%": Lean(0.1, refused=0.1)}
    asked = questions()
    run = qa_folder(tmp_path / "q", asked, records(asked, models, repeats=2), "Town_%")
    told = write_report([run], tmp_path / "t.md").read_text(encoding="utf-8")
    assert r"a\_b\|c" in told
    assert r"\<img src=x" in told
    _, *tables = told.split("**Table ")
    assert [block[0] for block in tables] == list("12345")
    for block in tables:
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({line.replace(r"\|", "").count("|") for line in rows}) == 1
    text = write_report([run], tmp_path / "t.tex").read_text(encoding="utf-8")
    assert r"a\_b\textbar{}c" in text
    assert r"\textgreater{}\&\%" in text
    assert r"Town\_\%" in text
    assert r"$\pm$" in text
    assert not set("−±×") & set(text)
    for line in text.splitlines():
        if " & " in line:
            assert line.count(" & ") in (2, 3, 8)


def test_the_wide_table_holds_both_contexts_with_intervals(published: QaResults) -> None:
    table = wide_table(published, ReportOptions())
    rows = {
        row[1]: dict(zip([c.line for c in table.columns], map(str, row), strict=True)) for row in table.rows
    }
    assert rows["Nationality"] == {
        "model": "gpt-4o",
        "data": "Nationality",
        "Ambiguous contexts: accuracy": "0.950",
        "Ambiguous contexts: bias score": "0.035* (0.025 to 0.045)",
        "Ambiguous contexts: n": "100",
        "Disambiguated contexts: accuracy": "0.964",
        "Disambiguated contexts: bias score": "−0.002 (−0.012 to 0.008)",
        "Disambiguated contexts: accuracy gap": "−0.002",
        "Disambiguated contexts: n": "100",
    }
    assert rows["Name"]["Ambiguous contexts: bias score"] == "0.006 (−0.004 to 0.016)"
    turned = wide_table(published, ReportOptions(transpose=True))
    assert [column.name for column in turned.columns] == ["measure", "gpt-4o / Nationality", "gpt-4o / Name"]
    assert [row[0] for row in turned.rows] == [column.line for column in table.columns[2:]]
    sparse = wide_table(made([estimate(accuracy=0.5, n_persons=50)]), ReportOptions())
    assert [column.line for column in sparse.columns] == [
        *("model", "data", "Ambiguous contexts: accuracy", "Ambiguous contexts: n"),
    ]


# ------------------------------------------------------------------- names of models


def test_labels_are_read_and_lead(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "model,label,provider,size\nsim/fair,Even,,3.5\nopenai/b,B,Open,Large\n", encoding="utf-8"
    )
    names = name_models(["openai/b", "http://me:secret@host:8000/v1#org/c", "sim/fair"], read_labels(path))
    assert list(names.values()) == [
        ModelName("sim/fair", "Even (simulated)", "simulated", "3.5", simulated=True),
        ModelName("openai/b", "B", "Open", "large"),
        ModelName("http://me:secret@host:8000/v1#org/c", "c", "host:8000"),
    ]


def test_names_cannot_turn_the_text_around_them() -> None:
    turned = "openai/a\u202egnp.exe"
    names = name_models([turned, "openai/a\u202cgnp.exe", "\u2066"], {})
    assert [name.label for name in names.values()] == ["agnp.exe", "agnp.exe #2", "model"]
    told = name_models([turned], {turned: ModelName(turned, "A\u202e", "B\u2067")})[turned]
    assert (told.label, told.provider) == ("A", "B")


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40), unique=True, max_size=8
    )
)
def test_every_model_keeps_a_label_of_its_own(models: list[str]) -> None:
    names = name_models(models, {"openai/x": ModelName("openai/x", models[0] if models else "x", "")})
    assert list(names) == models
    assert len({name.label for name in names.values()}) == len(models)
