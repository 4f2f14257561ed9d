"""What a pair is compared with: other identities of its table, else people in general; put in nowhere else."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.probe.items import GROUPS, MOST, PHRASES, Comparisons, replace_identity
from endoxa.instruments.pairs.probe.run import plan_table
from endoxa.schema import PAIR_COLUMNS


def item(**known):
    return {
        **dict.fromkeys(PAIR_COLUMNS),
        "language": "en",
        "direction": "stereo",
        "stereotypical": "more",
        **known,
    }


def about(identity, attribute, other="dull", frame="{} are {}.", **known):
    subject = identity[0].upper() + identity[1:]
    return item(
        sent_more=frame.format(subject, attribute),
        sent_less=frame.format(subject, other),
        identity=identity,
        attribute_more=attribute,
        attribute_less=other,
        **known,
    )


def test_identity_is_replaced_in_sentences_and_prompt_by_phrases_of_the_gender_of_the_attribute():
    asked = about("African bakers", "patient", "impatient", prompt="What are African bakers like?")
    kind, pairs = Comparisons([]).of(asked)
    assert kind == PHRASES
    assert [(p.sent_more, p.sent_less, p.prompt) for p in pairs] == [
        ("People are patient.", "People are impatient.", "What are people like?"),
        ("They are patient.", "They are impatient.", "What are they like?"),
    ]
    french = about("les infirmières", "patientes", "impatientes", "{} sont {}.", language="fr", agreement="f")
    kind, pairs = Comparisons([]).of(french)
    assert kind == PHRASES
    assert [p.sent_more for p in pairs] == ["Les personnes sont patientes.", "Elles sont patientes."]


@pytest.mark.parametrize(
    "missing",
    [
        {"identity": None},
        {"attribute_more": None},
        {"language": "und"},
        {"identity": "teachers"},
        {"sent_less": "Teachers are impatient."},
    ],
)
def test_nothing_is_put_in_where_it_would_not_be_the_same_pair(missing):
    assert Comparisons([]).of(about("bakers", "patient", "impatient") | missing) == (PHRASES, [])


SAID = {"pilots": "kind", "clerks": "loud", "judges": "slow", "miners": "quick", "tailors": "proud"}
TABLE = [*(about(name, "brave") for name in ("nurses", "bakers")), *(about(*said) for said in SAID.items())]


def test_a_pair_is_compared_with_identities_of_whom_its_table_says_neither_attribute():
    """Seven identities; 'brave' is said of two of them, 'dull' of nobody: it is the opposite of all."""
    kind, pairs = Comparisons(TABLE).of(TABLE[0])
    assert kind == GROUPS
    assert len(pairs) == MOST == 5
    assert {(pair.sent_more, pair.sent_less) for pair in pairs} == {
        (f"{name} are brave.", f"{name} are dull.")
        for name in ("Pilots", "Clerks", "Judges", "Miners", "Tailors")
    }
    # Those that share the attributes are compared with the same others, whatever stands before them in the file.
    assert Comparisons(TABLE[::-1]).of(TABLE[1]) == (kind, pairs)
    # An even number of others would not lie evenly: of four that are free, three count.
    for said in (about("pilots", "brave", "bold"), about("pilots", "dull", "brave")):
        assert len(Comparisons([*TABLE, said]).of(TABLE[0])[1]) == 3
    assert len(Comparisons([*TABLE, about("pilots", "bold", "brave")]).of(TABLE[0])[1]) == MOST
    turned = {**about("pilots", "bold", "brave"), "stereotypical": "less"}
    assert len(Comparisons([*TABLE, turned]).of(TABLE[0])[1]) == 3


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ({}, 2),
        ({"agreement": "f"}, 2),
        ({"sent_more": "A tailor is proud."}, 2),
        ({"identity_key": "pilots"}, 2),
        ({"language": "und"}, 0),
    ],
)
def test_fewer_than_six_identities_that_fit_are_compared_with_people_in_general(change, number):
    """Six identities, of which the last has another gender, another sentence, or is another spelling."""
    table = TABLE[1:]
    assert Comparisons(table).of(table[0])[0] == GROUPS
    table = table[:-1] + ([{**table[-1], **change}] if change else [])
    kind, pairs = Comparisons(table).of({**table[0], "language": change.get("language", "en")})
    assert (kind, len(pairs)) == (PHRASES, number)


def test_a_plan_counts_the_sentences_about_others(tmp_path):
    """Two pairs share their attributes, so they share the sentences about their five others."""
    path = tmp_path / "pairs.csv"
    pl.DataFrame([{**row, "item_id": f"p{k}", "axis": "x"} for k, row in enumerate(TABLE)]).write_csv(path)
    note = plan_table(PairsSettings(data=str(path), models=("hf/x",))).note
    stated = {text for row in TABLE for text in (row["sent_more"], row["sent_less"])}
    compared = [pair for row in TABLE for pair in Comparisons(TABLE).of(row)[1]]
    others = {text for pair in compared for text in (pair.sent_more, pair.sent_less)}
    assert len(stated) == 14
    both = f"Sentences for each model and rule: {len(stated | others)}, {len(others - stated)} of them about"
    assert both in note
    plain = plan_table(PairsSettings(data=str(path), models=("hf/x",), calibrate=False)).note
    assert "Sentences for each model and rule: 14." in plain


@settings(max_examples=30)
@given(st.text(min_size=1).filter(str.strip), st.sampled_from(["people", "les gens", "लोग"]))
def test_any_text_is_replaced_or_left(identity, phrase):
    replaced = replace_identity(f"See: {identity} walk.", identity, phrase)
    assert replaced is None or phrase.lower() in replaced.lower()
    assert replace_identity("Women like menus.", "men", "people") is None, "inside a word it is left alone"
