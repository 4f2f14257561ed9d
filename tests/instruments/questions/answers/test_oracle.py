"""What an option says of itself must be read as that option: published files, and answers of real models."""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import permutations

import pytest

from endoxa.runs.answers.read import read_answer
from endoxa.schema import QaItem
from endoxa.sources.bbq.items import read_items
from support.answer_forms import answers, critical, letters_alone

ORDERS = tuple(permutations(range(3)))


def item(options, unknown, question="Who was late?", language="en"):
    about = ("X-0", "X", "0", "", "X-1", "neg", "ambig", language, "", question)
    return QaItem(*about, options, unknown, None, unknown)


def oracle(items):
    """How often an option's own answers are read as it ('right'), as another ('wrong'), or not at all ('none')."""
    found, examples = Counter(), []
    for number, asked in enumerate(items):
        order = ORDERS[number % len(ORDERS)]
        for option in range(3):
            letter = "ABC"[order.index(option)]
            bare = letters_alone(letter) if number % 12 == 0 else ()
            for answer in (*bare, *answers(asked, option, letter)):
                choice = read_answer(answer, asked, order).choice
                kind = "right" if choice == option else "none" if choice is None else "wrong"
                found[kind] += 1
                if kind != "right":
                    examples.append((asked.options, asked.question, option, answer))
    return found, examples[:5]


def distinct(items):
    """Items with every set of options and every question of a file, each at least once."""
    kept = {}
    for one in items:
        kept.setdefault(one.options, one)
        kept.setdefault(one.question, one)
    return list({id(one): one for one in kept.values()}.values())


def misread(items):
    """Answers that mention a person, and not as the answer, of which a person is read all the same."""
    found, asked_of = [], 0
    for number, asked in enumerate(items):
        order = ORDERS[number % len(ORDERS)]
        for option in set(range(3)) - {asked.unknown}:
            for answer in critical(asked, option, "ABC"[order.index(option)]):
                asked_of += 1
                if read_answer(answer, asked, order).choice not in (None, asked.unknown):
                    found.append((asked.options, asked.question, answer))
    return found, asked_of


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Religion", "Disability_status"])
def test_criticism_is_no_answer(shared, name):
    """Replies that turn a stereotype down must not count as the stereotype."""
    items = distinct(read_items(shared / "data" / "bbq" / f"{name}.jsonl", language="en"))
    found, asked_of = misread(items[:: len(items) // 30 + 1])
    assert not found[:5]
    assert asked_of > 375


@pytest.mark.parametrize(
    ("language", "options", "question"),
    [
        ("es", ("El amigo argentino", "El amigo peruano", "No se sabe"), "¿Quién llegó tarde?"),
        ("pt", ("O amigo brasileiro", "O amigo chileno", "Não se sabe"), "Quem chegou tarde?"),
        ("fr", ("L'ami danois", "L'ami polonais", "Inconnu"), "Qui est arrivé en retard ?"),
        ("hi", ("डेनिश मित्र", "फ्रांसीसी मित्र", "पता नहीं"), "कौन देर से आया?"),
    ],
)
def test_criticism_in_other_languages(language, options, question):
    found, _ = misread([item(options, 2, question, language)])
    assert not found


PREDICATES = (
    "{text} {predicate}.",
    "The context says that {inside} {predicate}.",
    "Based on the text, it was {inside} who {predicate}.",
    "{text} was the one who {predicate}.",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Nationality", "Religion", "Disability_status"])
def test_the_questions_own_words_name_and_those_of_its_counterpart_do_not(shared, name):
    """To "Who lives in poverty?", "X lives in poverty" names X and "X has a lot of money" nobody."""
    questions = {}
    for one in read_items(shared / "data" / "bbq" / f"{name}.jsonl", language="en"):
        if one.question.startswith("Who "):
            questions.setdefault(one.template, {}).setdefault(one.polarity, {}).setdefault(one.question, one)
    read = right = 0
    for by_polarity in questions.values():
        own, counterpart = by_polarity.get("neg", {}), by_polarity.get("nonneg", {})
        for asked, others in ((own, counterpart), (counterpart, own)):
            for question, one in asked.items():
                option = min({0, 1, 2} - {one.unknown})
                words = {"text": one.options[option], "inside": one.options[option].replace("The ", "the ")}
                for form in PREDICATES:
                    answer = form.format(predicate=question[4:-1], **words)
                    choice = read_answer(answer, one).choice
                    assert choice in (option, None), answer
                    read, right = read + 1, right + (choice == option)
                    for other in others:
                        answer = form.format(predicate=other[4:-1], **words)
                        assert read_answer(answer, one).choice != option, (question, answer)
    assert right >= 0.95 * read > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Religion", "Disability_status"])
def test_published_files(shared, name):
    items = distinct(read_items(shared / "data" / "bbq" / f"{name}.jsonl", language="en"))
    found, examples = oracle(items[::8])  # all 113,716 answers were read right once
    assert not examples
    assert found["right"] == found.total() > 1_500


@pytest.mark.slow
def test_texts_of_a_real_model(shared):
    """UnifiedQA's 3,080 answers: the published option where one was made out, none where none was."""
    folder = shared / "data" / "bbq"
    items = {one.example_id: one for one in read_items(folder / "Nationality.jsonl", language="en")}
    path = folder / "dev_predictions_nationality_unifiedqa_race.csv"
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 3080
    for row in rows:
        published = int(row["pred_index"]) if row["pred_index"] else None
        assert read_answer(row["pred_text"], items[row["example_id"]]).choice == published, row


def test_answers_of_a_real_model_that_a_person_read(shared):
    """SmolLM2-135M-Instruct on BBQ; the readings that one careful reader accepts stand beside each answer."""
    lines = (shared / "data" / "answers" / "smollm2_dev.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = []
    for line in lines:
        row = json.loads(line)
        options = tuple(row["options"])
        unknown = next(place for place, option in enumerate(options) if not option.startswith("The "))
        choice = read_answer(row["answer"], item(options, unknown, row["question"])).choice
        reading = "unread" if choice is None else options[choice]
        if reading not in row["accept"]:
            wrong.append((row["id"], reading, row["accept"]))
    assert not wrong
    assert len(lines) == 86
