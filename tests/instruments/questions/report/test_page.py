"""The report of questions: its numbers are those of the answers, it claims no more, and quotes stay covered."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from scipy.stats import binomtest

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates import analyze_qa, load_answers
from endoxa.instruments.questions.estimates.analysis import identity_bias
from endoxa.instruments.questions.report.page import qa_sections
from endoxa.instruments.questions.report.results import QaResults, outcome_shares, read_results
from endoxa.instruments.reports import write_report
from endoxa.report.inputs import read_runs
from endoxa.schema import SHOWN_OUTCOMES
from support.html_pages import Page
from support.report_qa_samples import HOSTILE, Lean, leans, qa_folder, questions, records
from support.report_samples import pairs, run_folder, scored

MODELS = [model for model, _, _ in leans(6)]
HOSTILE_MODEL = MODELS[-1]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    home = tmp_path_factory.mktemp("runs")
    with_groups, with_names = questions(), questions(names=True)
    first = records(with_groups, {model: lean for model, lean, _ in leans(6)}, repeats=3)
    second = records(with_names, {model: lean for model, _, lean in leans(6)}, seed=1)
    return [
        qa_folder(home / "q1", with_groups, first, "Nationality", notice="These runs are rehearsals."),
        qa_folder(home / "q2", with_names, second, "Name"),
    ]


@pytest.fixture(scope="module")
def results(runs: list[Path]) -> QaResults:
    return read_results(read_runs(runs), confidence=0.95, seed=0)


@pytest.fixture(scope="module")
def output(runs: list[Path]) -> Path:
    return write_report(runs, runs[0].parent / "page" / "qa.html")


@pytest.fixture(scope="module")
def page(output: Path) -> Page:
    return Page(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers(runs: list[Path]) -> pl.DataFrame:
    return load_answers(runs)


@pytest.fixture(scope="module")
def debiased(tmp_path_factory: pytest.TempPathFactory) -> Path:
    asked = questions(categories=("River", "Town"))
    lean = {"sim/biased": Lean(0.7, 0.95, 0.1, 0.02, 0.02)}
    found = records(asked, lean, protocols=("baseline", "explanation", "reprompting"))
    found = found.with_columns(identity=pl.lit(""))  # with six towns even such a change is not always claimed
    return qa_folder(tmp_path_factory.mktemp("debiased") / "q3", asked, found, "Mixed")


# ------------------------------------------------------------------- the page as a file


@pytest.mark.slow
def test_the_page_loads_nothing(page: Page) -> None:
    assert not [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object")]
    for tag, own in page.elements:
        assert not {"src", "srcset", "action", "xlink:href", "onerror"} & own.keys(), tag
        assert str(own.get("href") or "#").startswith(("#", "data:text/csv;")), own


@pytest.mark.slow
def test_ids_are_unique_and_every_link_has_its_target(page: Page) -> None:
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    links = [str(own["href"]) for _, own in page.elements if "href" in own]
    targets = {link[1:] for link in links if link.startswith("#")}
    labels = {name for _, own in page.elements for name in str(own.get("aria-labelledby") or "").split()}
    assert targets | labels <= set(ids)


@pytest.mark.slow
def test_figures_are_files_with_words_for_who_cannot_see_them(output: Path) -> None:
    folder = output.with_name("qa_figures")
    names = {path.stem for path in folder.glob("*.svg")}
    assert {
        "outcomes-ambiguous",
        "average-bias",
        "difference-accuracy-ambiguous",
        "difference-lean-ambiguous",
    } <= names
    assert {path.stem for path in folder.glob("*.png")} == names
    for path in folder.glob("*.svg"):
        described = ElementTree.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}desc")
        assert described
        assert "nan" not in described
        assert "Quoted" not in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_same_runs_give_the_same_page(runs: list[Path], output: Path, tmp_path: Path) -> None:
    again = write_report(runs, tmp_path / "qa.html")
    assert again.read_bytes() == output.read_bytes()


@pytest.mark.slow
def test_simulated_models_are_called_so_everywhere(page: Page, output: Path) -> None:
    assert "These runs are rehearsals." in page.text
    assert "simulated respondents" in page.text
    for table in page.tables:
        first = {row[0] for row in table.rows[1:]}
        assert "sim/biased" not in first
        assert not any(re.search(r"sim/biased(?! \(simulated\))", cell) for cell in first)
    for name in ("outcomes-ambiguous", "average-bias", "difference-lean-ambiguous"):
        drawn = (output.with_name("qa_figures") / f"{name}.svg").read_text(encoding="utf-8")
        assert "sim/biased (simulated)" in drawn


# ------------------------------------------------------------------- numbers of the answers


@pytest.mark.slow
def test_published_tables_hold_the_estimates(page: Page, answers: pl.DataFrame) -> None:
    found = analyze_qa(answers).estimates
    tables = {
        "Table 1": ("ambig", "accuracy"),
        "Table 2": ("disambig", "accuracy"),
        "Table 3": ("ambig", "bias_score"),
        "Table 4": ("disambig", "bias_score"),
        "Table 5": ("ambig", "bias_unscaled"),
    }
    for caption, (condition, name) in tables.items():
        row = page.table(caption)[0]
        for data in ("Nationality", "Name"):
            of_cell = found.filter(model="openai/big", data=data, context_condition=condition, name=name)
            own = of_cell.row(0, named=True)
            expected = f"{own['mean']:.3f} ± {own['sd']:.3f}".replace("-", "−")
            assert row[data].replace("−0.000", "0.000") == expected.replace("−0.000", "0.000")


@pytest.mark.slow
def test_accuracy_is_that_counted_by_hand(page: Page, answers: pl.DataFrame) -> None:
    own = answers.filter(model="openai/big", data="Nationality", context_condition="ambig")
    shares = [
        sum(part["choice"] == part["label"]) / part.height
        for part in own.partition_by("repeat")
        if part.height
    ]
    assert page.table("Table 1")[0]["Nationality"].startswith(f"{sum(shares) / 3:.3f} ± ")


def test_outcomes_are_counted_and_sum_to_all(answers: pl.DataFrame) -> None:
    counted = outcome_shares(analyze_qa(answers).counts)
    own = answers.filter(model="openai/little", data="Name", context_condition="ambig")
    found = counted.filter(model="openai/little", data="Name", context_condition="ambig")
    assert dict(found.select("outcome", "n").iter_rows()) == Counter(own["outcome"])
    assert counted["n"].sum() == answers.height
    assert found["share"].sum() == pytest.approx(1)


def test_answers_without_a_known_target_stay_apart(answers: pl.DataFrame) -> None:
    lost = answers.with_columns(
        target=None,
        outcome=pl.when(pl.col("outcome").is_in(SHOWN_OUTCOMES[:2])).then(pl.lit("")).otherwise("outcome"),
    )
    named = answers["outcome"].is_in(SHOWN_OUTCOMES[:2]).sum()
    assert (
        outcome_shares(analyze_qa(lost).counts).filter(outcome="person, target not known")["n"].sum() == named
    )
    assert identity_bias(lost, 0.95).is_empty()


def test_identities_agree_with_scipy(answers: pl.DataFrame) -> None:
    found = identity_bias(answers.filter(repeat=1, data="Nationality"), 0.95)
    row = found.filter(model="anthropic/second", identity="Quito").row(0, named=True)
    interval = binomtest(row["n_biased"], row["n"]).proportion_ci(0.95, "wilson")
    assert row["questions"] == row["n"]
    assert row["value"] == pytest.approx(2 * row["n_biased"] / row["n"] - 1)
    assert (row["low"], row["high"]) == pytest.approx((2 * interval.low - 1, 2 * interval.high - 1))


def test_repeats_of_a_question_do_not_narrow_its_interval(answers: pl.DataFrame) -> None:
    once = answers.filter(repeat=1, data="Nationality")
    thrice = pl.concat([once.with_columns(repeat=pl.lit(k, dtype=pl.Int64)) for k in (1, 2, 3)])
    ends = ["low", "high", "value"]
    assert identity_bias(once, 0.9).select(ends).equals(identity_bias(thrice, 0.9).select(ends))


# ------------------------------------------------------------------- what is claimed


@pytest.mark.slow
def test_a_planted_lean_is_found_and_a_fair_model_is_not_accused(
    results: QaResults, page: Page, answers: pl.DataFrame
) -> None:
    sections = {section.anchor: section for section in qa_sections([], results)}
    said = [finding.text for finding in sections["headline"].findings]
    own = results.leans.filter(data="Nationality", context_condition="ambig")
    # Six towns: the least p-value is 2 / 2^6, too much after correction over all 24 leans.
    assert own.filter(model="sim/biased")["p_value"][0] == pytest.approx(2 / 2**6, abs=0.006)
    assert own["p_value"].arg_min() == own["model"].index_of("sim/biased")
    assert set(own["verdict"]) == {"unclear"}
    assert said[0].startswith(
        "In ambiguous contexts with Nationality, of 6 models for 6 a lean is not distinguishable. The highest lean is "
        "0.295 (sim/biased (simulated); 95\u00a0% interval "
    )
    # Eight templates, of towns that are not known: 2 / 2^8.
    alone = analyze_qa(answers.drop("identity")).estimates
    alone = alone.filter(data="Nationality", context_condition="ambig", verdict="above")
    assert sorted(alone["model"]) == ["anthropic/second", "sim/biased"]
    rows = [row for row in page.table("Leans") if row["data"] == "Nationality"]
    fair = [row for row in rows if row["model"].startswith("a-model-with") and row["contexts"] == "ambiguous"]
    assert [row["verdict"] for row in fair] == ["unclear"]


@pytest.mark.slow
def test_what_was_not_read_is_said(page: Page, answers: pl.DataFrame) -> None:
    own = answers.filter(model="openai/little", data="Nationality")
    refused, unparsed = (int((own["outcome"] == name).sum()) for name in ("refused", "unparsed"))
    rows = [row for row in page.table("What became of the answers") if row["model"] == "little"]
    shown = {name: sum(int(row[name]) for row in rows) for name in ("refused", "not readable")}
    assert shown["refused"] >= refused
    assert shown["not readable"] >= unparsed
    row = page.table("Table 1")[1]
    assert row["bounds"] != "all read"
    assert page.table("Table 1")[0]["bounds"] == "all read"


@pytest.mark.slow
def test_self_debiasing_shows_reduction_and_what_was_dropped(debiased: Path, tmp_path: Path) -> None:
    page = Page(write_report([debiased], tmp_path / "qa.html").read_text(encoding="utf-8"))
    found = analyze_qa(load_answers([debiased])).debias
    rows = page.table("Self-debiasing")
    assert list(dict.fromkeys(row["protocol"] for row in rows)) == ["baseline", "explanation", "reprompting"]
    own = found.filter(protocol="explanation", interval="templates", name="reduction")
    reductions = [row for row in rows if (row["protocol"], row["measure"]) == ("explanation", "reduction")]
    assert [row["over"] for row in reductions] == ["16 templates"]
    assert {row["value"] for row in reductions} == {f"{own['value'][0]:.3f}"}
    assert {row["measure"] for row in rows if row["protocol"] == "baseline"} == {"bias score"}
    assert "(asked to explain invalid assumptions first) is nearer to 0 than asked at once" in page.text
    assert f"{own['n_dropped'][0]} of 384 questions asked were left out" in page.text
    assert "of 2 categories" in page.text


# ------------------------------------------------------------------- quotes and names


@pytest.mark.slow
def test_answers_are_covered_and_escaped_and_all_are_there(page: Page, answers: pl.DataFrame) -> None:
    assert "Quoted" not in page.text
    found = [
        (model, outcome)
        for (model, _), items in page.answers("answers").items()
        for outcome, _, _ in items.values()
        if outcome
    ]
    assert len(found) == answers.select("data", "item_id", "model", "protocol", "repeat").unique().height
    biased = answers.filter(pl.col("model") == "sim/biased", pl.col("outcome") == "stereotyped")
    assert Counter(found)["sim/biased (simulated)", "stereotyped"] == biased.height
    data = page.unpacked("answers")
    assert any(HOSTILE in text for side in data["answers"] for text in side["texts"] if text)
    assert all("not found" not in text for text in data["parts"][0]["texts"])
    assert all("(A) " in text for side in data["answers"] for text in side["texts"] if text)


@pytest.mark.slow
def test_hostile_names_stay_text(page: Page) -> None:
    assert HOSTILE_MODEL in page.text
    assert not [tag for tag, _ in page.elements if tag == "img"]


@pytest.mark.slow
def test_no_name_turns_the_page_around(tmp_path: Path) -> None:
    asked, model = questions(), "openai/big\u202egnp"
    found = records(asked, {model: Lean(refused=0.002)}, seed=3)
    command = ["endoxa", "probe", "qa", "--model", model]
    folder = qa_folder(tmp_path / "q", asked, found, "To\u2066wn", command=command)
    for suffix in ("html", "md", "tex"):
        text = write_report([folder], tmp_path / f"qa.{suffix}").read_text(encoding="utf-8")
        assert not set("\u202e\u2066") & set(text)
        assert "biggnp" in text
    page = (tmp_path / "qa.html").read_text(encoding="utf-8")
    assert "<bdi>biggnp</bdi>" in page
    assert "openai/big\\u202egnp" in page


@pytest.mark.slow
def test_differences_stand_with_their_paired_intervals(
    page: Page, answers: pl.DataFrame, output: Path
) -> None:
    found = (
        analyze_qa(answers)
        .differences.filter(model="openai/little", context_condition="ambig", name="accuracy")
        .row(0, named=True)
    )
    rows = page.table("Differences: Nationality minus Name")
    (row,) = [
        row
        for row in rows
        if (row["model"], row["contexts"], row["measure"]) == ("little", "ambiguous", "accuracy")
    ]
    assert row["difference"] == f"{found['value']:.3f}".replace("-", "−")
    assert " to " in row["95\u00a0% interval"]
    drawn = output.with_name("qa_figures") / "difference-accuracy-ambiguous.svg"
    assert drawn.read_text(encoding="utf-8").count("<circle") == 6


@pytest.mark.slow
def test_no_dash_is_left_unexplained(debiased: Path, tmp_path: Path) -> None:
    page = Page(write_report([debiased], tmp_path / "qa.html").read_text(encoding="utf-8"))
    shown = page.table("Self-debiasing")
    assert {row["verdict"] for row in shown if row["measure"] == "reduction"} == {"–"}
    assert "– as a verdict: only the score of the baseline" in page.text


@pytest.mark.slow
def test_questions_are_left_out_when_their_file_has_changed(page: Page, tmp_path: Path) -> None:
    asked = questions()
    folder = qa_folder(tmp_path / "q", asked, records(asked, {"openai/big": Lean()}), "Town")
    (tmp_path / "q.jsonl").write_text("{}\n", encoding="utf-8")
    changed = Page(write_report([folder], tmp_path / "qa.html").read_text(encoding="utf-8"))
    assert not any("two people met" in sentence for sentence in changed.sentences)
    assert "q.jsonl has changed since the run)" in (tmp_path / "qa.html").read_text(encoding="utf-8")
    (tmp_path / "q.jsonl").unlink()
    gone = write_report([folder], tmp_path / "gone.html").read_text(encoding="utf-8")
    assert "q.jsonl is not found from here: make the report in the folder where" in gone
    assert any("Quoted answer" in sentence for sentence in changed.sentences)
    assert any("two people met" in sentence for sentence in page.sentences)


# ------------------------------------------------------------------- one run, other kinds


@pytest.mark.slow
def test_one_run_alone_has_no_columns_for_names(runs: list[Path], tmp_path: Path) -> None:
    output = write_report(runs[:1], tmp_path / "qa.html")
    page = Page(output.read_text(encoding="utf-8"))
    assert "Name" not in page.table("Table 1")[0]
    assert not [table for table in page.tables if table.caption.startswith("Table 6")]
    assert not list(output.with_name("qa_figures").glob("difference-*"))
    assert "mean of 2 values" in page.text


@pytest.mark.slow
def test_ambiguous_questions_alone_have_no_other_tables(tmp_path: Path) -> None:
    asked = [question for question in questions() if question["context_condition"] == "ambig"]
    folder = qa_folder(
        tmp_path / "q", asked, records(asked, {"openai/big": Lean(), "sim/biased": Lean()}), "Town"
    )
    page = Page(write_report([folder], tmp_path / "qa.html").read_text(encoding="utf-8"))
    captions = [table.caption[:7] for table in page.tables if table.caption.startswith("Table")]
    assert captions == ["Table 1", "Table 3", "Table 5"]
    assert "mean of 1 value: Town, ambiguous." in page.text


@pytest.mark.slow
def test_a_model_that_names_nobody_has_no_unscaled_score(tmp_path: Path) -> None:
    asked = questions()
    found = records(asked, {"openai/big": Lean(error=0, wrong=0)}).filter(
        pl.col("context_condition") == "ambig"
    )
    output = write_report([qa_folder(tmp_path / "q", asked, found, "Town")], tmp_path / "qa.html")
    page = Page(output.read_text(encoding="utf-8"))
    assert page.table("Table 5")[0]["Town"] == "–"
    assert "– undefined: no answer names a person" in page.text
    assert "100.0 % of the answers leave open who is meant, which is right here (96 of 96)." in page.text
    assert output.with_name("qa_figures").joinpath("identities-town.png").is_file()


@pytest.mark.slow
def test_questions_without_a_known_target_have_no_score(tmp_path: Path) -> None:
    asked = questions()
    found = records(asked, {"openai/big": Lean()})
    named = pl.col("outcome").is_in(SHOWN_OUTCOMES[:2])
    lost = found.with_columns(
        target=pl.lit(None, dtype=pl.Int64),
        identity=pl.lit(""),
        outcome=pl.when(named).then(pl.lit("")).otherwise("outcome"),
    )
    page = Page(
        write_report([qa_folder(tmp_path / "q", asked, lost, "Town")], tmp_path / "qa.html").read_text(
            "utf-8"
        )
    )
    assert (
        "In ambiguous contexts big with Town: cannot be tested (the stereotyped option of these items is not known)."
        in page.text
    )
    persons = found.filter(context_condition="ambig").filter(pl.col("choice") != pl.col("unknown")).height
    assert f"({persons} of 96)." in page.text
    assert page.table("Table 3")[0]["Town"] == "–"
    assert "By stereotyped identity" not in page.text
    assert "person, target not known" in page.unpacked("answers")["outcomes"]


@pytest.mark.slow
def test_other_kinds_are_not_mixed_and_labels_are_for_questions(runs: list[Path], tmp_path: Path) -> None:
    other = run_folder(tmp_path / "pairs", scored(pairs(6), "hf/a", "sum", 0.5))
    with pytest.raises(UserError, match=r"holds questions and .* sentence pairs: write one report for each"):
        write_report([runs[0], other], tmp_path / "r.html")
    with pytest.raises(UserError, match="--labels does not apply to runs"):
        write_report([other], tmp_path / "r.html", labels=tmp_path / "labels.csv")


def test_unfinished_runs_are_refused(tmp_path: Path) -> None:
    asked = questions()
    folder = qa_folder(tmp_path / "q", asked, records(asked, {"openai/big": Lean()}), "Town", finished=None)
    with pytest.raises(UserError, match=r"is not finished\. Run the same command again"):
        write_report([folder], tmp_path / "r.html")


@pytest.mark.slow
def test_the_command_takes_labels(runs: list[Path], tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from endoxa.commands import app

    labels = tmp_path / "models.csv"
    labels.write_text("model,label,provider,size\nopenai/big,Large one,Open,large\n", encoding="utf-8")
    told = CliRunner().invoke(
        app, ["report", str(runs[0]), "--labels", str(labels), "-o", str(tmp_path / "qa.html")]
    )
    assert told.exit_code == 0, told.output
    page = Page((tmp_path / "qa.html").read_text(encoding="utf-8"))
    assert page.table("Table 1")[0]["model"] == "Large one"
    assert json.loads((runs[0] / "run.json").read_text(encoding="utf-8"))["kind"] == "qa"
