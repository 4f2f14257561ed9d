"""Rows in answers of models: as asked for, in tables, between sentences, cut off, after the stop word."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.author.kinds import KINDS
from endoxa.author.prompts import STOP, holds, languages, read_prompts, read_reply
from endoxa.errors import UserError

FIELDS = ("attribute", "polarity")
ROWS = ({"attribute": "brave", "polarity": "positive"}, {"attribute": "rude", "polarity": "negative"})
WRITTEN = json.dumps({"rows": list(ROWS)})


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"```json\n{WRITTEN}\n```",
        f"<think>{{'rows': []}} hm</think>{WRITTEN}",
        "\n".join(json.dumps(row) for row in ROWS),
        "{'rows': [{'Attribute': 'brave', 'Polarity': 'positive'}, {'ATTRIBUTE': 'rude', 'polarity': 'negative'},]}",
        WRITTEN[:-1],  # cut off
    ],
)
def test_rows_are_found_in_any_form(text):
    assert read_reply(text, FIELDS).rows == ROWS


def test_what_stands_after_the_stop_word_is_told_apart():
    reply = read_reply(f"{WRITTEN}\n{STOP}\n" + json.dumps({"rows": [ROWS[0]]}), FIELDS)
    assert (reply.rows, reply.after, reply.stopped) == (ROWS, (ROWS[0],), True)


def test_a_row_without_a_field_is_a_row_and_a_refusal_is_none():
    assert read_reply('{"rows": [{"attribute": "brave"}, "text"]}', FIELDS).rows == (
        {"attribute": "brave"},
        {},
    )
    refused = read_reply("I'm sorry, but I can't help with that.", FIELDS)
    assert (refused.rows, refused.refused) == ((), True)
    assert read_reply("banana", FIELDS) == read_reply("", FIELDS)


@pytest.mark.parametrize("text", ["Economy", "label: Economy", '"Economy."', '{"label": "Economy"}'])
def test_a_single_field_may_stand_alone(text):
    assert read_reply(text, ("label",)).rows == ({"label": "Economy"},)


@pytest.mark.slow
@given(st.text(max_size=300))
def test_any_text_is_read(text):
    for row in (*read_reply(text, FIELDS).rows, *read_reply(text, ("label",)).rows):
        assert set(row) <= {*FIELDS, "label"}


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


@pytest.mark.slow
@given(st.lists(st.fixed_dictionaries({"attribute": CELLS, "polarity": CELLS}), min_size=1, max_size=5))
def test_rows_come_back_as_they_were_written(rows):
    reply = read_reply(json.dumps({"rows": rows}), FIELDS)
    if STOP not in json.dumps(rows) and "</think>" not in json.dumps(rows):
        assert [dict(row) for row in reply.rows] == [
            {name: " ".join(text.split()) for name, text in row.items()} for row in rows
        ]


VALUES = """identity place wanted attribute register contrast country axis groups examples stereotype context names more
less from_language to_language question labels text"""


def test_a_language_or_a_kind_without_prompts_is_refused(tmp_path):
    with pytest.raises(UserError, match="no prompts in 'xx'"):
        read_prompts("xx", None)
    (tmp_path / "mine.toml").write_text(
        'id = "m-1"\n[texts]\nframe = ""\nanswer = "{fields}{row}"\nstop = ""\n'
    )
    with pytest.raises(UserError, match="has no text 'label'"):
        read_prompts("en", tmp_path / "mine.toml").fill("label", ("label",))


@pytest.mark.parametrize("language", languages())
def test_prompts_of_every_language_fill_every_kind(language):
    prompts = read_prompts(language, None)
    values = dict.fromkeys(VALUES.split(), "<here>")
    for kind in (*KINDS, "sentences_attribute"):
        fields = KINDS[kind.partition("_")[0]].fields
        text = prompts.fill(kind, fields, **values)
        assert "<here>" in text
        assert STOP in text
        assert all(f'"{field}": "..."' in text for field in fields)


@pytest.mark.parametrize(
    ("sentence", "group", "is_named"),
    [
        ("A farmer's car.", "farmers", True),
        ("The businessman waits.", "man", False),
        ("औरतों को यह पसंद है।", "औरतें", True),
        ("يقال إن الرجال والنساء هنا.", "النساء", True),
        ("الرجال هنا.", "النساء", False),
    ],
)
def test_a_group_is_found_in_the_forms_of_its_language(sentence, group, is_named):
    assert holds(sentence, group) == is_named
