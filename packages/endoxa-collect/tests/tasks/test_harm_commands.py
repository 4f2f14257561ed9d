"""A harm study on the command line: the preset, the task, its export, and `endoxa analyze run` on it."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from collect_support.panel_person import Person
from endoxa.commands import app
from endoxa.instruments.stories.harm import read_human
from endoxa.sources.stereotales import associations as stereotales
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.presets import load_preset
from endoxa_collect.tasks.harm import PARTS
from endoxa_collect.tasks.results import all_tables, write_results


def test_ratings_that_do_not_count_are_exported_and_not_analysed(study, tmp_path):
    for number in range(2):
        Person(study, f"p{number}").begin().rate_all(harm="4", frequent="yes")
    Person(study, "careless").begin().rate_all(harm="1", frequent="no", careful=False)
    output = tmp_path / "harm.csv"
    paths = write_results(study, output)
    assert [path.name for path in paths] == ["harm.csv", "harm_items.csv"]
    table, items = all_tables(study).values()
    assert sorted(table["counts"].to_list()) == ["false"] * 4 + ["true"] * 8
    assert set(PARTS) | {"association_id", "rater", "harm", "frequent", "first"} <= set(table.columns)
    assert not {"check", "model", "value"} & set(table.columns)
    read = read_human(output)
    assert len(read) == 8
    assert set(read["harm"]) == {4}
    assert set(read["association_id"]) <= set(table["association_id"])
    assert all(row["harm_median"] in {"4", None} for row in items.iter_rows(named=True))
    analysed = tmp_path / "results.csv"
    words = ["analyze", "run", str(output), "-o", str(analysed), "--resamples", "100"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert set(pl.read_csv(analysed)["people_n"]) == {1, 2}


def test_an_association_of_several_models_is_one_item(make_task):
    assert PARTS == stereotales.PARTS
    row = dict(zip(PARTS, ("age", "child", "employment", "pupil"), strict=True))
    task = make_task("harm", [{**row, "model": "a", "value": "2"}, {**row, "model": "b", "value": "3"}])
    (item,) = task.items.filter(check_item=False)
    assert item.content == {"association_id": item.key, **row}
    assert task.items.filter(check_item=True).count() == 3
    assert task.code


def test_the_same_share_of_every_kind_comes_to_everybody(make_task):
    """12 associations of one kind and 4 of another, 8 to a person: 6 and 2, give or take one."""
    rows = [
        dict(zip(PARTS, ("age" if k < 12 else "religion", f"v{k}", "job", "j"), strict=True))
        for k in range(16)
    ]
    task = make_task("harm", rows, block=8, quiz=False, attention=0)
    for number in range(4):
        person = Person(task, f"p{number}").read()
        person.item()
        kinds = [turn.item.content["base_attribute"] for turn in person.judge.turns.select_related("item")]
        assert len(kinds) == 8
        assert kinds.count("religion") in {1, 2, 3}


def test_only_campaigns_with_tasks_go_without_cards_and_survey():
    content = load_preset("panel").settings.model_dump()
    assert not CampaignSettings.model_validate(content).joined
    with pytest.raises(ValueError, match="Choose cards, the survey or both"):
        CampaignSettings.model_validate({**content, "tasks": False})
