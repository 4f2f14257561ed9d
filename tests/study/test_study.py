"""The study file from `init` to finished runs: simulated models, every instrument, stops, changes, budget."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import endoxa as ex
from collect_support import commands
from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import Strengths
from endoxa.runs.asking import cost
from endoxa.runs.options import Allowed
from endoxa.runs.run import read_run
from endoxa.study.begin import init_study
from endoxa.study.compare.run import compare_studies
from endoxa.study.file import read_study
from endoxa.study.items import build_items, read_associations
from endoxa.study.report import write_study
from endoxa.study.run import (
    _within_budget,
    detectable_correlation,
    detectable_mean,
    plan_study,
    require_current,
    run_study,
    steps,
    total_cost,
)

PARTS_NAMES = ("pairs", "tests", "questions", "stories", "choices")
IDENTITIES = ("women", "men", "Muslims", "Christians", "students", "immigrants")
SAID = {
    "women": ("gentle", "kind", "patient", "poor"),
    "men": ("strong", "loud", "brave", "unemployed"),
    "Muslims": ("generous", "strong", "married", "honest"),
    "Christians": ("kind", "rich", "calm", "married"),
    "students": ("lazy", "poor", "clever", "loud"),
    "immigrants": ("brave", "honest", "poor", "rude"),
}


def associations(folder: Path) -> Path:
    rows = [(identity, attribute, "group") for identity in IDENTITIES for attribute in SAID[identity]]
    path = folder / "associations.csv"
    pl.DataFrame(rows, schema=["identity", "attribute", "axis"], orient="row").write_csv(path)
    return path


def edit(study: Path, old: str, new: str) -> None:
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> Path:
    """A small study that nobody has run."""
    folder = tmp_path_factory.mktemp("study")
    init_study(folder / "study", associations(folder), (), ())
    edit(folder / "study", 'map = "stories.csv"', 'per_cell = 2\nmap = "stories.csv"')
    edit(folder / "study", "framings = 4", "framings = 2")
    edit(folder / "study", "per_association = 4", "per_association = 1")
    return folder / "study"


@pytest.fixture(scope="module")
def finished(begun, tmp_path_factory) -> Path:
    """The same, run once."""
    folder = tmp_path_factory.mktemp("finished") / "study"
    shutil.copytree(begun, folder)
    run_study(read_study(folder))
    return folder


@pytest.fixture
def study(finished, tmp_path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(finished, tmp_path / "study"))


def records(folder: Path) -> dict[str, pl.DataFrame]:
    return {path.parent.name: pl.read_parquet(path) for path in folder.glob("runs/*/records.parquet")}


def test_init_gives_ids_and_suggests_what_stories_can_show(begun):
    table = pl.read_csv(begun / "associations.csv")
    assert table["association_id"].n_unique() == table.height == 24
    cells = pl.read_csv(begun / "stories.csv").filter(pl.col("base_value") != "")
    said = set(cells.select("identity", "base_value", "attribute", "compared_value").iter_rows())
    assert ("women", "woman", "poor", "poor") in said
    assert ("Muslims", "Muslim", "married", "married") in said
    assert ("men", "man", "unemployed", "unemployed") in said
    assert not {attribute for _, _, attribute, _ in said} & {"gentle", "kind", "clever"}


@pytest.mark.slow
def test_every_item_knows_its_association(finished):
    known = set(pl.read_csv(finished / "associations.csv")["association_id"])
    study = read_study(finished)
    made = {each.part.name: each for each in build_items(study, read_associations(study))}
    assert made.keys() == set(PARTS_NAMES)
    assert all(each.ids and set(each.ids) <= known for each in made.values())
    assert made["pairs"].count == 2 * len(made["pairs"].ids)
    found = records(finished)
    assert set(found["pairs"]["association_id"]) == set(made["pairs"].ids)
    assert set(found["questions"]["association_id"]) == set(made["questions"].ids)
    carried = "".join(found["profiles"]["associations"].drop_nulls().unique())
    assert all(name in carried for name in made["stories"].ids)
    tests = pl.read_csv(finished / "runs" / "tests" / "estimates.csv")
    assert set(tests["association_id"]) == set(made["tests"].ids)


@pytest.mark.slow
def test_records_have_the_planted_strengths(begun, tmp_path):
    """The mean difference of a pair is its planted strength where parts do not scatter."""
    folder = Path(shutil.copytree(begun, tmp_path / "study"))
    edit(folder, 'pairs = "sim/latent"', 'pairs = "sim/latent?scatter=0&mean=1"')
    for part in PARTS_NAMES[1:]:
        edit(folder, f'{part} = "sim/latent"\n', "")
    run_study(read_study(folder))
    planted = Strengths(mean=1, scatter=0)
    strengths = records(folder)["pairs"].select("association_id", pl.col("score_more") - pl.col("score_less"))
    for name, value in strengths.iter_rows():
        assert value == pytest.approx(planted.of(name, "pairs"), abs=1e-6)


@pytest.mark.slow
def test_a_finished_study_is_left_alone_and_a_changed_setting_reruns_only_what_depends_on_it(study):
    before = {path.name: read_run(path)["finished"] for path in (study / "runs").iterdir()}
    assert all(one.what == "was complete" for one in run_study(read_study(study))[1])
    edit(study, "per_association = 1", "per_association = 2")
    edit(study, "repeats = 1", "repeats = 2")
    done = {one.name: one for one in run_study(read_study(study))[1]}
    anew = {name for name, one in done.items() if one.what == "begun anew"}
    assert anew == {"questions", "choices", "stories", "profiles"}
    for name in before.keys() - anew:
        assert read_run(study / "runs" / name)["finished"] == before[name]
    # Back to what it was: the earlier answers are there.
    edit(study, "per_association = 2", "per_association = 1")
    edit(study, "repeats = 2", "repeats = 1")
    done = {one.name: one for one in run_study(read_study(study))[1]}
    assert all(one.what == "was complete" for one in done.values())
    assert read_run(study / "runs" / "questions")["finished"] == before["questions"]
    assert {path.name for path in (study / "earlier").iterdir()} == {f"{name}-2" for name in anew}


@pytest.mark.slow
def test_a_model_is_added_without_measuring_the_others_again(study):
    edit(study, "[[models]]", '[[models]]\nname = "second"\nquestions = "sim/biased"\n\n[[models]]')
    with pytest.raises(UserError, match="a model is not measured"):
        require_current(read_study(study))
    done = {one.name: one for one in run_study(read_study(study))[1]}
    assert not any(one.what == "begun anew" for one in done.values())
    found = records(study)["questions"]
    assert found["model"].value_counts()["count"].n_unique() == 1
    assert set(found["model"]) == {"sim/latent", "sim/biased"}


@pytest.mark.slow
def test_a_moved_study_is_current_and_what_is_not_current_is_refused(study, tmp_path):
    study = Path(shutil.move(study, tmp_path / "elsewhere"))
    names = [step.name for step in require_current(read_study(study))[1]]
    assert names == ["pairs", "tests", "questions", "stories", "profiles", "choices"]
    assert all(one.what == "was complete" for one in run_study(read_study(study))[1])
    edit(study, "seed = 0", "seed = 1")
    with pytest.raises(UserError, match=r"not that of the study file any more .*seed was 0, is now 1"):
        require_current(read_study(study))
    # Neither decides records of pairs, which are not measured again; their estimates are made anew.
    edit(study, "confidence = 0.95", "confidence = 0.9")
    run_study(read_study(study))
    assert len(require_current(read_study(study))[1]) == 6
    table = pl.read_csv(study / "associations.csv").head(20)
    table.write_csv(study / "associations.csv")
    with pytest.raises(UserError, match=r"any more .*data was"):
        require_current(read_study(study))
    shutil.rmtree(study / "runs" / "pairs")
    with pytest.raises(UserError, match=r"'pairs' of .* is not finished"):
        require_current(read_study(study))
    with pytest.raises(UserError, match=r"is not finished\. Run it: endoxa study run"):
        write_study(read_study(study), tmp_path / "study.html")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('associations = "associations.csv"', 'associations = "../outside.toml"'),
        ('associations = "associations.csv"', 'associations = "link.csv"'),
        ('map = "stories.csv"', 'map = "{outside}"'),
        ('map = "stories.csv"', 'map = "stories.csv"\nfiles = ["stories.csv", "../outside.toml"]'),
        ("[pairs]", '[pairs]\ntemplates = "{outside}"'),
        ("[questions]", '[questions]\nprompts = "{outside}"'),
    ],
)
def test_a_file_outside_of_the_study_is_read_only_if_the_command_names_it(begun, tmp_path, old, new):
    folder, outside = Path(shutil.copytree(begun, tmp_path / "study")), tmp_path / "outside.toml"
    (folder / "link.csv").symlink_to(outside)
    edit(folder, old, new.format(outside=outside))
    with pytest.raises(UserError, match="not in the folder of the study"):
        read_study(folder)
    read_study(folder, Allowed(files=(outside,)))


@pytest.mark.slow
def test_the_budget_is_one_for_all_runs(study, monkeypatch):
    """What other runs cost counts; free models need no budget."""
    edit(study, "# budget = 10.0", "budget = 0.5")
    run_study(read_study(study))  # simulated models cost nothing
    path = study / "runs" / "profiles" / "run.json"
    facts = json.loads(path.read_text())
    facts["usage"]["sim/reader-a"] |= {"most_cost_usd": 0.4}
    path.write_text(json.dumps(facts))
    monkeypatch.setattr(cost, "JOURNAL", "no-journal")
    assert total_cost(read_study(study)) == pytest.approx(0.4)
    edit(study, 'questions = "sim/latent"', 'questions = "openai/gpt-4o-mini"')
    step = next(one for one in steps(read_study(study)) if one.name == "questions")
    assert _within_budget(read_study(study), step).max_cost == pytest.approx(0.1)
    edit(study, "budget = 0.5", "budget = 0.4")
    with pytest.raises(UserError, match=r"budget of \$0.4 is used up"):
        _within_budget(read_study(study), step)


@pytest.mark.slow
def test_the_plan_counts_what_is_asked(begun):
    _, rows = plan_study(read_study(begun))
    by_name = {row.name: row for row in rows}
    assert list(by_name) == ["pairs", "tests", "questions", "stories", "profiles", "choices"]
    assert by_name["pairs"].items == 48
    assert by_name["pairs"].calls == 0
    assert by_name["questions"].calls == by_name["questions"].items
    assert by_name["profiles"].calls == 3 * 2 * by_name["stories"].items  # three readers, two questions each
    assert all(row.dollars == 0.0 for row in rows)


def test_what_can_be_detected_agrees_with_published_tables():
    # Cohen 1988, table 2.4.1: paired differences; n = 34 finds d = 0.5 with power 0.8 at 0.05, two-sided.
    assert detectable_mean(np.ones(34)) == pytest.approx(0.5, abs=0.01)
    # The same, clustered: fewer effective observations, larger effects.
    assert detectable_mean(np.full(7, 5)) > detectable_mean(np.ones(35))
    assert np.isnan(detectable_mean(np.array([1])))
    # Cohen 1988, table 3.4.1: n = 84 or 85 finds r = 0.3, n = 29 finds r = 0.5.
    assert detectable_correlation(84) == pytest.approx(0.30, abs=0.005)
    assert detectable_correlation(29) == pytest.approx(0.50, abs=0.01)
    assert np.isnan(detectable_correlation(4))


@pytest.mark.slow
def test_each_instrument_gets_the_models_that_it_can_take(tmp_path):
    models = ("hf/org/small", "openai/gpt-4o-mini", "sim/biased", "sim/teller", "st/org/encoder")
    init_study(tmp_path / "study", associations(tmp_path), models, ("en",))
    made = {model.name: model for model in read_study(tmp_path / "study").models}
    reached = {name: {part for part in PARTS_NAMES if model.reached(part)} for name, model in made.items()}
    assert reached == {
        "small": {"pairs", "tests"},
        "gpt-4o-mini": {"questions", "stories", "choices"},
        "sim/biased": {"questions", "choices"},
        "sim/teller": {"stories"},
        "encoder": {"tests"},
    }


@pytest.mark.slow
def test_a_new_study_leaves_out_instruments_that_can_make_no_item(tmp_path: Path) -> None:
    table = tmp_path / "fr.csv"
    rows = "les gens de Chine,boivent du thé,fr\nles gens du Chili,mangent tard,fr\n"
    table.write_text(f"identity,attribute,language\n{rows}", encoding="utf-8")
    _, with_cells, unused = init_study(tmp_path / "study", table, (), ())
    assert with_cells == ()
    assert set(unused) == {"tests", "stories"}
    assert "no known antonym" in unused["tests"]
    study = read_study(tmp_path / "study")
    made = build_items(study, read_associations(study))
    assert {each.part.name: len(each.ids) for each in made} == {"pairs": 2, "questions": 2, "choices": 2}


@pytest.mark.slow
def test_a_planted_change_of_one_instrument_is_found_between_two_studies(finished, study, tmp_path):
    same = compare_studies([finished, study])
    assert set(same.instruments) >= {"sentence pairs", "association tests", "questions"}
    assert all(each.estimates.identical for each in same.contrasts)
    assert "no change of" in same.page().title
    edit(study, 'pairs = "sim/latent"', 'pairs = "sim/latent?mean=-6"')
    shutil.rmtree(study / "runs" / "pairs")
    with pytest.raises(UserError, match="Finish it: endoxa study run"):
        compare_studies([finished, study])
    for part in ("questions", "choices"):
        edit(study, f'{part} = "sim/latent"\n', "")
    run_study(read_study(study))
    found = compare_studies([finished, study])
    claimed = {
        (row["instrument"], row["measure"], row["verdict"])
        for row in found.rows()
        if row["verdict"] in ("above", "below")
    }
    assert claimed == {("sentence pairs", "preference_ratio", "below")}, str(found)
    assert " lowers the share of pairs whose stereotypical sentence is preferred" in found.sentence
    assert 'id="parts-sentence-pairs"' in found.save(tmp_path / "page.html").read_text()
    assert f"Not compared, because only {found.labels[0]} has it: questions." in found.alone
    assert found.changes.filter(instrument="sentence pairs").height > 1


@pytest.mark.slow
def test_python_has_the_same_steps(tmp_path):
    table = pl.read_csv(associations(tmp_path)).head(6)
    begun = ex.study_init(tmp_path / "study", source=table, model="sim/latent", language="en")
    assert "study.toml" in str(begun)
    for part in PARTS_NAMES[1:]:
        edit(tmp_path / "study", f'{part} = "sim/latent"\n', "")
    assert ex.study_run(tmp_path / "study", plan=True).tables["plan"]["items"].to_list() == [24]
    done = ex.study_run(tmp_path / "study", progress=False).tables
    [folder] = done["runs"].filter(name="pairs")["folder"]
    assert ex.read_run(folder).records.height == 24
    assert done["effects"].height > 0


@pytest.mark.slow
def test_killed_at_any_moment_it_continues_and_every_item_is_there_once(begun, finished, tmp_path):
    folder = Path(shutil.copytree(begun, tmp_path / "study"))
    words = ("study", "run", str(folder))
    running = commands.start(commands.COMMAND, *words, env=dict(os.environ), log=tmp_path / "log")
    while not (folder / "runs" / "profiles" / "journal.sqlite").exists():
        assert not running.wait(0.05), "it ended before it was killed"
    running.kill()
    run_study(read_study(folder))
    expected, found = records(finished), records(folder)
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        assert found[name].equals(table), name
    assert not (folder / "earlier").exists()
