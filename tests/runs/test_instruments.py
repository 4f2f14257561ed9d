"""Every instrument, ours and the toy, runs through the same battery; run folders behave the same for all."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import pytest

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import write_tests
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.instruments.choices.build import build_choices
from endoxa.instruments.choices.items import write_items
from endoxa.instruments.choices.options import ChoiceOptions, ChoiceSettings
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.instruments.reports import write_report
from endoxa.instruments.stories.instrument import STORIES, ExtractSettings, HarmSettings, StoriesSettings
from endoxa.runs.folder import JOURNAL, DifferentRunError, differences
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import read_run, run
from endoxa.schema import AssociationTest, TermSet
from endoxa.schema.options import ASKING, Option
from endoxa.testing.plugins import check_instrument, records
from endoxa.testing.toy import LETTERS, LetterJournal, ToySettings
from support.harm_samples import associations, write_associations
from support.qa_questions import questions, write
from support.story_runs import prompts
from support.story_runs import write as write_prompts

pytestmark = pytest.mark.slow

HEADER = "item_id,sent_more,sent_less,direction,axis,language,identity,attribute_more,attribute_less\n"
PAIRS_CSV = HEADER + "".join(
    f"p{k},Bakers are {word}.,Bakers are not {word}.,stereo,work,en,Bakers,{word},not {word}\n"
    for k, word in enumerate(("patient", "loud", "kind", "slow"))
)


@pytest.fixture
def with_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is registered like an instrument of another package."""
    toy = EntryPoint("letters", "endoxa.testing.toy:LETTERS", "endoxa.instruments")

    def points(group: str) -> list[EntryPoint]:
        return [*entry_points(group=group), *([toy] if group == "endoxa.instruments" else [])]

    monkeypatch.setattr("endoxa.registry.entry_points", points)
    monkeypatch.setattr(INSTRUMENTS, "_things", None)
    monkeypatch.setattr(INSTRUMENTS, "_points", None)


def lines(folder: Path) -> Path:
    path = folder / "text.txt"
    path.write_text("A banana\nno fruit\n", encoding="utf-8")
    return path


def test_the_toy_passes_the_battery(with_toy: None, tmp_path: Path) -> None:
    settings = ToySettings(data=str(lines(tmp_path)), models=("toy/a",))
    other = settings.model_copy(update={"limit": 1})
    check_instrument(LETTERS, settings, other, "toy/n", tmp_path)
    found = pl.read_csv(tmp_path / "run" / "estimates.csv").select("model", "name", "value", "verdict")
    assert found.rows() == [
        ("toy/a", "share", 0.5, "cannot-be-tested"),
        ("toy/n", "share", 1.0, "cannot-be-tested"),
    ]


def test_an_instrument_of_another_package_is_compared_gated_and_has_a_page(
    with_toy: None, tmp_path: Path
) -> None:
    """Ten identities with ten attributes; x stands in all lines, y in none, z in every second one."""
    data = tmp_path / "crossed.txt"
    rows = [f"i{k} {'z' * ((k + m) % 2)} x a{m}" for k in range(10) for m in range(10)]
    data.write_text("\n".join(rows), encoding="utf-8")
    for letter in "xyz":
        run(LETTERS, toy(data, f"toy/{letter}"), tmp_path / letter)
    comparison = ex.compare(tmp_path / "z", tmp_path / "y")
    (change,) = comparison.contrasts[0].bias
    assert (change.measure, change.before, change.after, change.verdict) == ("share", 0.5, 0.0, "below")
    assert comparison.items["after"].to_list() == ["0"] * 50
    assert "y lowers share by 0.500 (95 % interval 0.390 to 0.610)" in comparison.sentence
    page = write_report([tmp_path / "x", tmp_path / "z"], tmp_path / "page.html").read_text(encoding="utf-8")
    assert "toy/x stands in most lines: in 100% of 100 lines" in page
    assert ex.gate(tmp_path / "z", tmp_path / "x", margin=0.1).verdict == "worse"
    assert ex.gate(tmp_path / "x", tmp_path / "y", margin=0.1).verdict == "pass"
    with pytest.raises(
        UserError, match="endoxa probe pairs, qa, extract, harm, embeddings, choices or letters"
    ):
        ex.compare(tmp_path / "none", tmp_path / "x")


class WithAnOptionMore(ToySettings):
    """An option that somebody adds, and nothing else."""

    lead: Annotated[bool, Option("Put a question first.", ASKING)] = False
    jobs: Annotated[int, Option("Lines at a time.", ASKING, decides=False)] = 1


def test_an_option_that_is_added_without_a_mark_makes_another_run(with_toy: None, tmp_path: Path) -> None:
    """Yesterday's answers never stand for today's settings, though nobody thought of the identity."""
    toy = replace(LETTERS, settings=WithAnOptionMore)
    settings = WithAnOptionMore(data=str(lines(tmp_path)), models=("toy/a",))
    # What was run before the option was there is left as it is.
    run(LETTERS, ToySettings(data=settings.data, models=settings.models), tmp_path / "run")
    assert run(toy, settings.model_copy(update={"jobs": 8, "seed": 5}), tmp_path / "run").was_complete
    with pytest.raises(DifferentRunError, match="lead was false, is now true"):
        run(toy, settings.model_copy(update={"lead": True}), tmp_path / "run")
    sampled = settings.model_copy(update={"sample": 1})
    run(toy, sampled, tmp_path / "sampled")
    with pytest.raises(DifferentRunError, match="seed was 0, is now 5"):
        run(toy, sampled.model_copy(update={"seed": 5}), tmp_path / "sampled")


def pairs(folder: Path, tiny: dict[str, Path]) -> tuple[Any, Any, str]:
    (folder / "pairs.csv").write_text(PAIRS_CSV, encoding="utf-8")
    settings = PairsSettings(data=str(folder / "pairs.csv"), models=(f"hf/{tiny['causal']}",))
    return settings, settings.model_copy(update={"calibrate": False}), f"hf/{tiny['masked']}"


def embeddings(folder: Path, tiny: dict[str, Path]) -> tuple[Any, Any, str]:
    sets = [TermSet(name, tuple(f"{name} {k}" for k in range(3))) for name in ("x", "y", "a", "b")]
    write_tests([AssociationTest("t", *sets)], folder / "tests.json")
    settings = EmbeddingsSettings(data=str(folder / "tests.json"), models=(f"hf/{tiny['masked']}",))
    return settings, settings.model_copy(update={"layer": 0}), f"hf/{tiny['causal']}"


@pytest.mark.parametrize(("name", "prepare"), [("pairs", pairs), ("embeddings", embeddings)])
def test_instruments_with_local_weights_pass_the_battery(
    name: str, prepare: Any, tiny: Any, tmp_path: Path
) -> None:
    check_instrument(INSTRUMENTS.get(name), *prepare(tmp_path, tiny), tmp_path)


def groups() -> pl.DataFrame:
    rows = [("Igbo people", "patient"), ("Hausa people", "calm"), ("Zulu people", "loud")]
    return pl.DataFrame(rows, schema=["identity", "attribute"], orient="row")


def asked(folder: Path) -> dict[str, tuple[Any, Any, str]]:
    """Settings, other settings and a second model for each instrument that asks."""
    biased = QaSettings(data=str(write(folder / "q.jsonl", questions(4))), models=("sim/biased",))
    data = str(write_prompts(folder / "prompts.jsonl", prompts(("age",), scenarios=2)))
    teller = StoriesSettings(data=data, models=("sim/teller",))
    written = run(STORIES, teller, folder / "written").folder
    reader = ExtractSettings(data=str(written), models=("sim/reader-a",))
    rated = str(write_associations(folder / "assoc.csv", associations(6)))
    rater = HarmSettings(data=rated, models=("sim/rater",))
    twice = {"repeats": 2}
    write_items(build_choices(groups(), ChoiceOptions()).items, folder / "d.jsonl")
    decided = ChoiceSettings(data=str(folder / "d.jsonl"), models=("sim/biased",))
    return {
        "qa": (biased, biased.model_copy(update=twice), "sim/perfect"),
        "choices": (decided, decided.model_copy(update=twice), "sim/fair"),
        "stories": (teller, teller.model_copy(update=twice), "sim/teller?error=0.1"),
        "extract": (reader, reader.model_copy(update={"structured": False}), "sim/reader-b"),
        "harm": (rater, rater.model_copy(update=twice), "sim/rater?error=0.1"),
    }


@pytest.mark.parametrize("name", ["qa", "choices", "stories", "extract", "harm"])
def test_instruments_that_ask_pass_the_battery(name: str, tmp_path: Path) -> None:
    check_instrument(INSTRUMENTS.get(name), *asked(tmp_path)[name], tmp_path)


def toy(data: Path, *models: str) -> ToySettings:
    return ToySettings(data=str(data), models=models)


def names(folder: Path) -> list[str]:
    return [model["name"] for model in read_run(folder)["models"]]


def stop_at(step: str) -> Any:
    """Progress that is interrupted when a run begins this step."""

    def stop(what: str, _done: float, _total: int) -> None:
        if what == step:
            raise KeyboardInterrupt

    return stop


def test_a_run_that_counted_nothing_binds_nobody(with_toy: None, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    identity = {"data": "other", "models": [{"name": "toy/b"}], "limit": None}
    stopped = {"kind": "stories", "finished": None, "identity": identity, "settings": {"models": ["toy/b"]}}
    (out / "run.json").write_text(json.dumps(stopped), encoding="utf-8")
    done = run(LETTERS, toy(lines(tmp_path), "toy/a"), out)
    assert done.counts == {"items": 2, "records": 2}
    assert names(out) == ["toy/a"]


@pytest.mark.parametrize("leftover", [JOURNAL, f"{JOURNAL}-wal", ".run.json.123.part"])
def test_a_run_killed_before_its_run_json_begins_again(leftover: str, with_toy: None, tmp_path: Path) -> None:
    """The journal is opened first: a kill between the two must not block the folder for good."""
    out = tmp_path / "run"
    out.mkdir()
    (out / leftover).write_bytes(b"")
    assert run(LETTERS, toy(lines(tmp_path), "toy/a"), out).counts == {"items": 2, "records": 2}


def test_a_model_of_an_unfinished_run_is_never_measured_unasked(with_toy: None, tmp_path: Path) -> None:
    data, out = lines(tmp_path), tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run(LETTERS, toy(data, "toy/a"), out, progress=stop_at("writing records"))
    with pytest.raises(DifferentRunError, match=r"unfinished run of toy/a\. Give toy/a with --model as well"):
        run(LETTERS, toy(data, "toy/n"), out)
    run(LETTERS, toy(data, "toy/n", "toy/a"), out)
    assert names(out) == ["toy/a", "toy/n"]


@pytest.mark.parametrize("others", [("toy/o",), ("toy/o", "toy/n"), ("toy/n", "toy/o")])
def test_an_addition_given_up_leaves_nothing_to_another(
    others: tuple[str, ...], with_toy: None, tmp_path: Path
) -> None:
    data, out, fresh = lines(tmp_path), tmp_path / "run", tmp_path / "fresh"
    run(LETTERS, toy(data, "toy/a"), out)
    with pytest.raises(KeyboardInterrupt):
        run(LETTERS, toy(data, "toy/n"), out, progress=stop_at("writing records"))
    assert names(out) == ["toy/a"]
    assert read_run(out)["finished"]
    run(LETTERS, toy(data, *others), out)
    run(LETTERS, toy(data, "toy/a", *others), fresh)
    assert records(out) == records(fresh)
    assert "adding" not in read_run(out)


@pytest.mark.parametrize(("model", "kept"), [("toy/n", [0, 1, 0, 1]), ("toy/o", [0, 0])])
def test_what_was_added_by_halves_is_kept_for_the_same_model_alone(
    model: str, kept: list[int], with_toy: None, tmp_path: Path
) -> None:
    data, out = lines(tmp_path), tmp_path / "run"
    run(LETTERS, toy(data, "toy/a"), out)
    for name, step in (("toy/n", "writing records"), (model, "reading the data")):
        with pytest.raises(KeyboardInterrupt):
            run(LETTERS, toy(data, name), out, progress=stop_at(step))
    with closing(LetterJournal(out / JOURNAL)) as journal:
        assert [number for _, number, _ in journal.rows()] == kept


def test_a_folder_of_another_kind_is_refused_in_one_sentence(with_toy: None, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(LETTERS, toy(lines(tmp_path), "toy/a"), out)
    data = write_prompts(tmp_path / "p.jsonl", prompts(("age",), 1))
    other = StoriesSettings(data=str(data), models=("sim/teller",))
    with pytest.raises(DifferentRunError) as refused:
        run(STORIES, other, out)
    assert str(refused.value) == f"{out} holds counts of letters: name another folder with --out."


def test_differences_are_shown_where_they_differ() -> None:
    earlier, later = f"{'x' * 100}abc{'y' * 100}", f"{'x' * 100}dbc{'y' * 100}"
    (shown,) = differences({"system": earlier}, {"system": later})
    assert shown == f"system was ...{'x' * 20}abc{'y' * 97}..., is now ...{'x' * 20}dbc{'y' * 97}..."
