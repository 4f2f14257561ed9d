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
from endoxa.instruments.questions.report.axes import average_of_cells
from endoxa.instruments.questions.report.compared import conditions_compared
from endoxa.instruments.questions.report.published import (
    paper_tables,
)
from endoxa.instruments.questions.report.results import (
    QaResults,
    results_of,
)
from endoxa.instruments.reports import write_report
from endoxa.report.labels import ModelName, name_models, read_labels
from endoxa.report.tables import latex, markdown
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


@given(
    st.lists(
        st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40), unique=True, max_size=8
    )
)
def test_every_model_keeps_a_label_of_its_own(models: list[str]) -> None:
    names = name_models(models, {"openai/x": ModelName("openai/x", models[0] if models else "x", "")})
    assert list(names) == models
    assert len({name.label for name in names.values()}) == len(models)
