"""Names of models in the report of questions, and tables for papers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.reports import write_report
from endoxa.report.labels import ModelName, name_models, read_labels
from support.report_qa_samples import HOSTILE, Lean, qa_folder, questions, records

pytestmark = pytest.mark.slow


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


def test_names_cannot_turn_the_text_around_them() -> None:
    turned = "openai/a\u202egnp.exe"
    names = name_models([turned, "openai/a\u202cgnp.exe", "\u2066"], {})
    assert [name.label for name in names.values()] == ["agnp.exe", "agnp.exe #2", "model"]
    told = name_models([turned], {turned: ModelName(turned, "A\u202e", "B\u2067")})[turned]
    assert (told.label, told.provider) == ("A", "B")
