"""The report of questions: its numbers are those of the answers, it claims no more, and quotes stay covered.

What the pages of small runs say is kept in tests/golden (qa, names).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from scipy.stats import binomtest

from endoxa.instruments.questions.estimates import analyze_qa, load_answers
from endoxa.instruments.questions.estimates.analysis import identity_bias
from endoxa.instruments.questions.report.headline import headline
from endoxa.instruments.questions.report.results import outcome_shares, read_results
from endoxa.instruments.reports import write_report
from endoxa.report.inputs import read_runs
from endoxa.schema import SHOWN_OUTCOMES
from support.html_pages import Page
from support.report_qa_samples import HOSTILE, Lean, leans, qa_folder, questions, records

PERSON = pl.col("outcome").is_in(SHOWN_OUTCOMES[:2])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Six models, asked with groups three times and with names."""
    home = tmp_path_factory.mktemp("runs")
    with_groups, with_names = questions(), questions(names=True)
    first = records(with_groups, {model: lean for model, lean, _ in leans(6)}, repeats=3)
    second = records(with_names, {model: lean for model, _, lean in leans(6)}, seed=1)
    return [
        qa_folder(home / "q1", with_groups, first, "Nationality", notice="These runs are rehearsals."),
        qa_folder(home / "q2", with_names, second, "Name"),
    ]


@pytest.fixture(scope="module")
def output(runs: list[Path]) -> Path:
    return write_report(runs, runs[0].parent / "page" / "qa.html")


@pytest.fixture(scope="module")
def page(output: Path) -> Page:
    return Page(output.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers(runs: list[Path]) -> pl.DataFrame:
    return load_answers(runs)


@pytest.mark.slow
def test_the_page_loads_nothing_and_every_link_has_its_target(page: Page) -> None:
    assert not [tag for tag, _ in page.elements if tag in ("link", "img", "iframe", "object")]
    for tag, own in page.elements:
        assert not {"src", "srcset", "action", "xlink:href", "onerror"} & own.keys(), tag
        assert str(own.get("href") or "#").startswith(("#", "data:text/csv;")), own
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    links = [str(own["href"]) for _, own in page.elements if "href" in own]
    targets = {link[1:] for link in links if link.startswith("#")}
    labels = {name for _, own in page.elements for name in str(own.get("aria-labelledby") or "").split()}
    assert targets | labels <= set(ids)


@pytest.mark.slow
def test_published_tables_hold_the_estimates_and_say_what_was_not_read(
    page: Page, answers: pl.DataFrame
) -> None:
    found = analyze_qa(answers).estimates.filter(model="openai/big")
    for number, (condition, name) in enumerate(
        [
            *(("ambig", "accuracy"), ("disambig", "accuracy"), ("ambig", "bias_score")),
            *(("disambig", "bias_score"), ("ambig", "bias_unscaled")),
        ],
        start=1,
    ):
        row = page.table(f"Table {number}")[0]
        for data in ("Nationality", "Name"):
            own = found.filter(data=data, context_condition=condition, name=name).row(0, named=True)
            expected = f"{own['mean']:.3f} ± {own['sd']:.3f}".replace("-", "−")
            assert row[data].replace("−0.000", "0.000") == expected.replace("−0.000", "0.000")
    own = answers.filter(model="openai/big", data="Nationality", context_condition="ambig")
    right = own.group_by("repeat").agg((pl.col("choice") == pl.col("label")).mean())["choice"].mean()
    assert page.table("Table 1")[0]["Nationality"].startswith(f"{right:.3f} ± ")
    bounds = [row["bounds"] for row in page.table("Table 1")]
    assert (bounds[0], bounds[1] == "all read") == ("all read", False)
    counted = answers.filter(model="openai/little")["outcome"].value_counts().rows()
    rows = [row for row in page.table("What became of the answers") if row["model"] == "little"]
    for name, outcome in (("refused", "refused"), ("not readable", "unparsed")):
        assert sum(int(row[name]) for row in rows) == dict(counted)[outcome]


@pytest.mark.slow
def test_outcomes_are_counted_and_answers_without_a_known_target_stay_apart(answers: pl.DataFrame) -> None:
    counted = outcome_shares(analyze_qa(answers).counts)
    cell = {"model": "openai/little", "data": "Name", "context_condition": "ambig"}
    found = counted.filter(**cell)
    assert dict(found.select("outcome", "n").iter_rows()) == Counter(answers.filter(**cell)["outcome"])
    assert counted["n"].sum() == answers.height
    assert found["share"].sum() == pytest.approx(1)
    lost = answers.with_columns(target=None, outcome=pl.when(PERSON).then(pl.lit("")).otherwise("outcome"))
    apart = outcome_shares(analyze_qa(lost).counts).filter(outcome="person, target not known")
    assert apart["n"].sum() == answers.filter(PERSON).height
    assert identity_bias(lost, 0.95).is_empty()


def test_identities_agree_with_scipy_and_repeats_do_not_narrow_them(answers: pl.DataFrame) -> None:
    once = answers.filter(repeat=1, data="Nationality")
    found = identity_bias(once, 0.95)
    row = found.filter(model="anthropic/second", identity="Quito").row(0, named=True)
    interval = binomtest(row["n_biased"], row["n"]).proportion_ci(0.95, "wilson")
    assert row["questions"] == row["n"]
    assert row["value"] == pytest.approx(2 * row["n_biased"] / row["n"] - 1)
    assert (row["low"], row["high"]) == pytest.approx((2 * interval.low - 1, 2 * interval.high - 1))
    thrice = pl.concat([once.with_columns(repeat=pl.lit(k, dtype=pl.Int64)) for k in (1, 2, 3)])
    ends = ["low", "high", "value"]
    assert identity_bias(thrice, 0.95).select(ends).equals(found.select(ends))


@pytest.mark.slow
def test_a_planted_lean_is_found_and_a_fair_model_is_not_accused(
    runs: list[Path], page: Page, answers: pl.DataFrame
) -> None:
    estimates = analyze_qa(answers).estimates
    own = estimates.filter(data="Nationality", context_condition="ambig", name="lean")
    # Six towns: the least p-value is 2 / 2^6, too much after correction over all 24 leans.
    assert own.filter(model="sim/biased")["p_value"][0] == pytest.approx(2 / 2**6, abs=0.006)
    assert own["p_value"].min() == own.filter(model="sim/biased")["p_value"][0]
    rows = [row for row in page.table("Leans") if row["data"] == "Nationality"]
    verdicts = [row["verdict"] for row in rows if row["contexts"] == "ambiguous"]
    assert len(verdicts) == 6
    assert all(verdict.startswith("unclear") for verdict in verdicts)
    first = headline(read_results(read_runs(runs), confidence=0.95, seed=0)).findings[0]
    assert str(first).startswith(
        "In ambiguous contexts with Nationality, of 6 models for 6 a lean is not distinguishable. The highest lean is "
        "0.295 (sim/biased (simulated); 95\u00a0% interval "
    )
    # Eight templates, of towns that are not known: 2 / 2^8.
    alone = analyze_qa(answers.drop("identity")).estimates
    alone = alone.filter(data="Nationality", context_condition="ambig", verdict="above")
    assert sorted(alone["model"]) == ["anthropic/second", "sim/biased"]


@pytest.mark.slow
def test_answers_are_covered_and_escaped_and_all_are_there(page: Page, answers: pl.DataFrame) -> None:
    assert "Quoted" not in page.text
    found = Counter(
        (model, outcome)
        for (model, _), items in page.answers("answers").items()
        for outcome, _, _ in items.values()
        if outcome
    )
    assert found.total() == answers.height
    biased = answers.filter(pl.col("model") == "sim/biased", pl.col("outcome") == "stereotyped")
    assert found["sim/biased (simulated)", "stereotyped"] == biased.height
    data = page.unpacked("answers")
    texts = [text for side in data["answers"] for text in side["texts"] if text]
    assert any(HOSTILE in text for text in texts)
    assert all("(A) " in text for text in texts)
    assert all("not found" not in text for text in data["parts"][0]["texts"])


@pytest.mark.slow
def test_questions_are_left_out_when_their_file_has_changed(page: Page, tmp_path: Path) -> None:
    asked = questions()[:96]
    folder = qa_folder(tmp_path / "q", asked, records(asked, {"openai/big": Lean()}), "Town")
    (tmp_path / "q.jsonl").write_text("{}\n", encoding="utf-8")
    text = write_report([folder], tmp_path / "qa.html").read_text(encoding="utf-8")
    assert "q.jsonl has changed since the run)" in text
    changed = Page(text)
    assert not any("two people met" in sentence for sentence in changed.sentences)
    assert any("Quoted answer" in sentence for sentence in changed.sentences)
    assert any("two people met" in sentence for sentence in page.sentences)
    (tmp_path / "q.jsonl").unlink()
    gone = write_report([folder], tmp_path / "gone.html").read_text(encoding="utf-8")
    assert "q.jsonl is not found from here: make the report in the folder where" in gone
