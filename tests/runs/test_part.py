"""A part of the items: a stratified sample is the same in any order, and every page and headline names it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.items import chunks
from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.names.build import build_names
from endoxa.instruments.questions.probe.jobs import items
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.runs.folder import DifferentRunError
from endoxa.runs.options import RunSettings
from endoxa.runs.run import run
from endoxa.sources.bbq.rows import write_items
from support.name_samples import bank, question
from support.qa_questions import questions, write

PAIRS_OF_THREE_AXES = [
    f"{axis},{group},{group} people are {word}.,{group} people are not {word}."
    for axis, groups, words in (
        ("age", ("Old", "Young"), 30),
        ("region", tuple(f"Group{k}" for k in range(6)), 5),
        ("work", ("Baker",), 2),
    )
    for group in groups
    for word in (f"w{k}" for k in range(words))
]


def test_a_sample_of_pairs_has_every_axis_and_does_not_depend_on_their_order(tmp_path: Path) -> None:
    rows, path = list(PAIRS_OF_THREE_AXES), tmp_path / "pairs.csv"
    sampled = []
    for _ in range(2):
        path.write_text("\n".join(["axis,identity,sent_more,sent_less", *rows]), encoding="utf-8")
        settings = PairsSettings(data=str(path), sample=20, seed=3)
        sampled.append([item for chunk in chunks(path, settings) for item in chunk.items])
        random.Random(1).shuffle(rows)
    first, second = ({item["sent_more"] for item in items} for items in sampled)
    assert first == second
    axes = pl.DataFrame(sampled[0])["axis"].value_counts()
    assert dict(axes.iter_rows()) == {"age": 13, "region": 6, "work": 1}  # of 92 pairs: 60, 30, 2
    assert len({item["identity"] for item in sampled[0]}) == 9


@pytest.mark.slow
def test_a_sample_of_questions_is_named_everywhere_and_is_the_identity_of_its_run(tmp_path: Path) -> None:
    data = write(tmp_path / "questions.jsonl", questions(120))
    settings = QaSettings(data=str(data), models=("sim/biased",), sample=40, seed=1)
    out = tmp_path / "run"
    done = run(replace(QUESTIONS, report=None), settings, out)
    assert (done.counts["items"], done.counts["available"]) == (40, 120)
    part = "stratified sample of 40 of 120 items (seed 1)"
    assert part in QUESTIONS.headline_of(out).title
    for name in ("page.html", "table.tex"):
        assert CliRunner().invoke(app, ["report", str(out), "-o", str(tmp_path / name)]).exit_code == 0
        assert part in (tmp_path / name).read_text(encoding="utf-8")
    with pytest.raises(DifferentRunError, match="sample was 40, is now 41"):
        run(QUESTIONS, settings.model_copy(update={"sample": 41}), out)


def test_a_sample_is_drawn_anew_where_its_file_has_changed(tmp_path: Path) -> None:
    settings = QaSettings(data=str(tmp_path / "questions.jsonl"), sample=10)
    for count in (40, 20, 8):
        write(tmp_path / "questions.jsonl", questions(count))
        taken = [item.item_id for item in items(settings)]
        assert len(taken) == min(10, count)
        assert taken == [item.item_id for item in items(settings)]
        assert {*taken} <= {item.item_id for item in items(settings, part=False)}


@pytest.mark.slow
def test_a_sample_with_names_has_the_questions_of_the_sample_without(tmp_path: Path) -> None:
    """Both sides have the same questions, in each variant."""
    rows = [
        question(f"A Veldish man met a Tamori man on day {n}.", number=n, question_index=str(n % 8))
        for n in range(48)
    ]
    data, named = tmp_path / "groups.jsonl", tmp_path / "names.jsonl"
    write_items(rows, data)
    write_items(build_names(rows, bank(), variants=2).records, named)
    settings = QaSettings(data=str(data), models=("sim/biased",), sample=16, seed=5)
    with_names = settings.model_copy(update={"names": str(named)})
    taken = [item.example_id for item in items(settings)]
    assert len(taken) == 16
    assert Counter(item.example_id for item in items(with_names)) == dict.fromkeys(taken, 2)


@pytest.mark.slow
def test_a_plan_warns_where_the_first_questions_are_of_too_few_templates(tmp_path: Path) -> None:
    data = write(tmp_path / "questions.jsonl", questions(120))
    plan = QUESTIONS.plan(QaSettings(data=str(data), models=("sim/biased",), limit=3))
    assert "nothing could be tested" in plan.note
    assert "--sample N" in plan.note
    sampled = QUESTIONS.plan(QaSettings(data=str(data), models=("sim/biased",), sample=60)).note
    assert "(5 templates, at least 6 needed)" in sampled  # all that the data has
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("\n".join(["axis,identity,sent_more,sent_less", *PAIRS_OF_THREE_AXES]), encoding="utf-8")
    assert "1 identity, at least 6 needed" in PAIRS.plan(PairsSettings(data=str(pairs), limit=20)).note


def test_limit_and_sample_exclude_each_other() -> None:
    with pytest.raises(UserError, match="Give only one of the two"):
        RunSettings(limit=3, sample=4)
