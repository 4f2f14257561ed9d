"""A second reader: what it is asked, how its answers are read, and what both readers say together."""

from __future__ import annotations

import json

import polars as pl
import pytest

from endoxa.curate.evaluation.gold import Gold, read_gold
from endoxa.curate.evaluation.report import as_reading, evaluate, read_by_rules
from endoxa.curate.extract import Question, extract
from endoxa.curate.second import (
    ReaderItem,
    StatementReaderSettings,
    question_about,
    read_answer,
    to_read,
)
from endoxa.curate.second.table import combine, fit, same_reading
from endoxa.runs.asking.readers import plan_readers, read_with_models

OPEN = Question("other", "other")


def answer_of(pairs, omit=""):
    """An answer in the form that is asked for."""
    listed = [{"identity": who, "attribute": what} for who, what in pairs]
    return json.dumps({"pairs": listed, "omit": omit}, ensure_ascii=False)


ONE = ReaderItem("1", "The Elderly are less calm and not loud", OPEN, "Peru", "nurses")


def words(pairs):
    return [(pair.identity, pair.attribute) for pair in pairs]


def test_the_question_holds_what_is_known_and_no_gold():
    women = Question("women", "gender", "women")
    text = question_about(ReaderItem("1", "sing well", women, "Peru", "nurses", (("x", "y"),)))
    for part in (
        "sing well",
        "about women",
        "Every answer is about women.",
        "Peru",
        "before was about nurses",
    ):
        assert part in text
    assert '"x"' not in text


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "```json\n{}\n```",
        "Here it is:\n{}\nDone.",
        "<think>{{}}</think>{}",
        '{{"result": {}}}',
        '{}\n\nStatement: Men are tall.\n{{"pairs": []}}',
    ],
)
def test_answers_are_read_in_any_form_and_normalised_like_the_rules(form):
    answer = form.format(answer_of((("The elderly", "are less calm"), ("old people", "not loud"))))
    assert words(read_answer(answer, ONE)) == [("old people", "less calm"), ("old people", "not loud")]


@pytest.mark.parametrize("answer", ["", "I would rather not.", '{"pairs": "none"}', '{"pairs": ["x"]}', "{"])
def test_an_answer_without_pairs_is_unread(answer):
    assert read_answer(answer, ONE) is None


def test_an_omission_has_its_reason():
    (found,) = read_answer(answer_of((), "not about people"), ONE)
    assert (found.omit, found.omit_reason) == (True, "not about people")
    (found,) = read_answer(answer_of((), "because"), ONE)
    assert found.omit_reason == "noise"


def test_what_readers_agree_on_is_told_apart_from_how_they_write_it():
    rules = extract("Bakers are calm and neat", OPEN)
    assert same_reading(rules, read_answer(answer_of((("the bakers", "calm and neat"),)), ONE))
    assert not same_reading(rules, read_answer(answer_of((("bakers", "calm"),)), ONE))
    assert not same_reading(rules, read_answer(answer_of((), "noise"), ONE))


def test_agreement_raises_confidence_and_disagreement_lowers_it():
    statements = [f"Bakers are {word}" for word in ("calm", "neat", "loud", "rich", "tall", "slim")]
    rules = [extract(statement, OPEN) for statement in statements]
    right = [read_answer(answer_of((("bakers", statement.split()[-1]),)), ONE) for statement in statements]
    wrong = read_answer(answer_of((("cooks", "calm"),)), ONE)
    both = combine(statements, rules, [wrong, *right[1:-1], None])
    alone = rules[0][0].confidence
    assert [one.other is not None for one in both] == [True] + [False] * 5
    assert both[1].pairs[0].confidence > alone
    assert both[0].pairs[0].confidence < alone
    assert words(both[0].pairs) == [("bakers", "calm")]
    assert words(both[0].other) == [("cooks", "calm")]
    assert both[-1].pairs[0].confidence == alone


def test_a_right_reading_accounts_for_the_words():
    whole = extract("Bakers are calm at night", OPEN)
    half = read_answer(answer_of((("bakers", "calm"),)), ONE)
    other = read_answer(answer_of((("cooks", "calm at night"),)), ONE)
    text = "Bakers are calm at night"
    assert fit(text, whole) == 1 > fit(text, half)
    assert fit(text, whole) > fit(text, other)


def settings(model):
    return StatementReaderSettings(data="gold.csv", models=(model,))


def readings(asked, model, folder):
    read, _ = read_with_models(to_read(asked), settings(model), folder)
    return [read[model].get(item.statement_id) for item in asked]


def test_a_run_is_planned_and_goes_on_without_asking_twice(tmp_path):
    asked = [
        ReaderItem(f"{n}", f"Bakers number {n} are calm", OPEN, rule_pairs=(("bakers", "calm"),))
        for n in range(5)
    ]
    (planned,) = plan_readers(to_read(asked), settings("sim/reader-a"))
    assert planned.expected.calls == 5
    first, again = (readings(asked, "sim/reader-a?noise=0&error=0", tmp_path / "run") for _ in range(2))
    assert first == again
    assert all(words(pairs) == [("bakers", "calm")] for pairs in first)


def scored(gold, model, folder):
    asked = [
        ReaderItem(one.statement_id, one.statement, one.question, one.country, one.subject, one.pairs)
        for one in gold
    ]
    answers = readings(asked, model, folder)
    rules = read_by_rules(gold)
    both = combine([one.statement for one in gold], rules, answers)
    table = evaluate(
        gold,
        {
            "rules": [as_reading(pairs) for pairs in rules],
            "model": [as_reading(pairs or ()) for pairs in answers],
            "both": [as_reading(one.pairs) for one in both],
        },
    )
    found = table.filter(subset="all", measure="equivalence")
    return dict(found.select("reader", "value").iter_rows())


def hard(number):
    """Statements that the rules read rightly, and every fifth one that they cannot."""
    qualities = ("calm", "neat", "loud", "rich", "tall")
    text = f"Bakers of house {number} are {qualities[number % 5]}"
    pair = (f"bakers of house {number}", qualities[number % 5])
    if number % 5 == 0:
        text, pair = f"Folk zibble quux{number}", ("folk", f"zibble quux{number}")
    return Gold(f"s{number}", f"r{number % 20}", OPEN, "Peru", text, True, False, (pair,))


@pytest.mark.parametrize("error", [0.05, 0.1, 0.2])
def test_both_readers_together_beat_either_alone_where_the_truth_is_planted(tmp_path, error):
    gold = [hard(number) for number in range(200)]
    found = scored(gold, f"sim/reader-b?error={error}", tmp_path / "run")
    assert 0.7 < found["rules"] <= 0.8
    assert found["both"] > max(found["rules"], found["model"])


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.05, 0.1, 0.15])
def test_both_readers_together_beat_either_alone_on_reviewed_statements(tmp_path, shared, error):
    gold = read_gold(shared / "data/afristereo/gold_dev.csv")
    found = scored(gold, f"sim/reader-b?error={error}", tmp_path / "run")
    assert found["both"] > max(found["rules"], found["model"])


def test_the_command_writes_both_readings_and_never_sends_identifiers(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from endoxa.commands import app

    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(
        "text\n" + "".join(f"Bakers of street {n} are calm\n" for n in range(30)) + "Call bakers at a@b.org\n"
    )
    words = ["curate", "extract", "rows.csv", "--statement-column", "text", "--language", "en", "-o", "s.csv"]
    refused = CliRunner().invoke(app, [*words, "--plan"])
    assert "--plan needs --reader or --model" in str(refused.exception)
    planned = CliRunner().invoke(app, [*words, "--model", "sim/reader-a", "--plan"])
    assert planned.exit_code == 0
    assert not (tmp_path / "s.csv").exists()
    done = CliRunner().invoke(app, [*words, "--model", "sim/reader-a?error=0.3"])
    assert done.exit_code == 0, done.output
    assert "30 statements read by sim/reader-a?error=0.3" in done.output
    table = pl.read_csv(tmp_path / "s.csv", infer_schema=False).fill_null("")
    model = pl.read_csv(tmp_path / "s.model.csv", infer_schema=False)
    assert model.columns == [name for name in table.columns if name != "other_reading"]
    differing = table.filter(pl.col("flag").str.contains("readers-differ"))
    assert 0 < len(differing) < 30
    assert (differing["other_reading"] != "").all()
    assert "b.org" not in (tmp_path / "s.model.csv").read_text()
    sheet = CliRunner().invoke(
        app, ["curate", "review", "export", "s.csv", "-o", "ana.csv", "--reviewer", "Ana"]
    )
    assert sheet.exit_code == 0, sheet.output
    assert "other_reading" in (tmp_path / "ana.csv").read_text()
