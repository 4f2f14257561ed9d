"""Names in place of groups as a condition: the same questions, paired by the question that both come from."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.run import measure
from support.qa_questions import questions, write

VARIANTS = ("1", "2")
pytestmark = pytest.mark.slow


def with_names(row: dict, variant: str) -> dict:
    names = {"harbour": f"Sefi{variant}", "hill": f"Dorn{variant}"}
    texts = {}
    for field in ("context", "ans0", "ans1"):
        text = row[field].replace("The person from the", "Person").replace("a person from the", "person")
        text = text.replace("The one from the", "The one called")
        for group, name in names.items():
            text = text.replace(group, name)
        texts[field] = text
    return {**row, **texts, "names": names, "variant": variant, "built_by": "endoxa build names", "words": ""}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs: groups; names as a way of asking; the file of names as data. The last four questions have no names."""
    home = tmp_path_factory.mktemp("named")
    asked = [{**row, "question_index": str(k // 4 + 1)} for k, row in enumerate(questions(44))]
    data = str(write(home / "questions.jsonl", asked))
    named = [with_names(row, variant) for variant in VARIANTS for row in asked[:40]]
    names = str(write(home / "names.jsonl", named))
    models = ("sim/biased?bias=0.9&ambiguous_unknown=0.1",)
    for name, settings in {
        "groups": QaSettings(data=data, models=models),
        "names": QaSettings(data=data, models=models, names=names),
        "names-data": QaSettings(data=names, models=models),
        "fair": QaSettings(data=data, models=("sim/fair",), names=names),
    }.items():
        measure(QUESTIONS, settings, home / name)
    return home


def test_names_are_paired_with_the_questions_they_were_made_from(folder: Path) -> None:
    found = ex.compare(folder / "groups", folder / "names")
    change = next(each for each in found.contrasts[0].changes if each.measure == "bias_ambig")
    sides = [pl.read_parquet(folder / name / "records.parquet") for name in ("groups", "names")]
    lean = {"stereotyped": 1, "anti-stereotyped": -1, "unknown": 0}
    before, after = (
        side.filter(pl.col("context_condition") == "ambig", pl.col("example_id").cast(int) < 40)
        .filter(pl.col("outcome").is_in(list(lean)))
        .select("example_id", "variant", value=pl.col("outcome").replace_strict(lean))
        for side in sides
    )
    joined = before.join(after, on="example_id", suffix="_names")
    assert joined.height > 30
    assert change.before == pytest.approx(joined["value"].mean())
    assert change.after == pytest.approx(joined["value_names"].mean())
    assert change.n_items == joined.height
    note = "40 questions are paired with their variants (2 each); 4 were asked in one run only"
    assert any(note in text for text in found.contrasts[0].estimates.notes)
    assert found.items["context"].str.contains("from the harbour").all()
    assert ex.compare(folder / "names", folder / "groups").items["context"].str.contains("Sefi").all()
    (apart,) = found.contrasts[0].settings
    assert str(apart).startswith("the names in place of groups (none, now “names.jsonl (")


def test_a_file_of_names_as_data_is_the_same_comparison_and_lost_bias_is_found(folder: Path) -> None:
    condition, other = (ex.compare(folder / "groups", folder / name) for name in ("names", "names-data"))
    assert [change.row for change in condition.contrasts[0].changes] == [
        change.row for change in other.contrasts[0].changes
    ]
    change = ex.compare(folder / "groups", folder / "fair").contrasts[0].changes[0]
    assert (change.measure, change.verdict) == ("bias_ambig", "below")


def test_names_of_other_questions_are_refused(folder: Path, tmp_path: Path) -> None:
    moved = [{**with_names(row, "1"), "example_id": row["example_id"] + 1} for row in questions(8)]
    wrong, models = str(write(tmp_path / "moved.jsonl", moved)), ("sim/fair",)
    settings = QaSettings(data=str(folder / "questions.jsonl"), models=models, names=wrong)
    with pytest.raises(UserError, match="has another context or right answer than the question"):
        measure(QUESTIONS, settings, tmp_path / "run")
    measure(QUESTIONS, QaSettings(data=wrong, models=models), tmp_path / "moved")
    with pytest.raises(UserError, match="not of the questions of the other one"):
        ex.compare(folder / "groups", tmp_path / "moved")
    plain = QaSettings(data=wrong, models=models, names=str(folder / "questions.jsonl"))
    with pytest.raises(UserError, match="has no names in place of groups"):
        measure(QUESTIONS, plain, tmp_path / "plain")
