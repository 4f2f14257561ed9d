"""What corrections teach: planted habits are found, others are not, and unseen respondents gain."""

from __future__ import annotations

import pytest

from endoxa.curate.evaluation.gold import Gold, read_gold
from endoxa.curate.evaluation.report import cross_validated, evaluate, learn, read_all
from endoxa.curate.extract import Question, extract
from endoxa.curate.extract.lexicon import Lexicon, apply_lexicon, read_lexicon, written_lexicon
from endoxa.errors import UserError

OPEN = Question("other", "other")


def reviewed(unit, statement, *pairs, edited=True, question=OPEN):
    return Gold(f"{unit}-{statement}", unit, question, "Peru", statement, bool(pairs), edited, pairs)


def campaign(respondents=20):
    """Reviewers who write "people from the hills" for hillers, "skilful" for skillful, and keep "are"."""
    rows = []
    for number in range(respondents):
        unit = f"r{number}"
        rows += [
            reviewed(unit, "Hillers are calm", ("people from the hills", "calm")),
            reviewed(unit, "Bakers are skillful", ("bakers", "skilful")),
            reviewed(unit, "Young people are loud", ("young people", "are loud")),
            reviewed(unit, "Cooks are less calm", ("cooks", "less calm"), edited=False),
            reviewed(unit, f"Cooks are calm{'er' if number % 2 else ''}", ("cooks", "calm"), edited=False),
        ]
    return rows


def values(table, **where):
    return dict(table.filter(**where).select("measure", "value").iter_rows())


def test_planted_habits_are_learned_and_nothing_else():
    lexicon = learn(campaign())
    assert lexicon.identities == {"hillers": "people from the hills"}
    assert lexicon.spellings == {"skillful": "skilful"}
    assert lexicon.conventions == {"keep 'are' after 'people'"}
    assert not lexicon.overruled


def test_unseen_respondents_gain_on_edited_rows_and_lose_nowhere():
    gold = campaign()
    table = evaluate(gold, {"rules": read_all(gold), "learned": cross_validated(gold)})
    for subset in ("edited", "unedited"):
        before, after = (values(table, reader=name, subset=subset) for name in ("rules", "learned"))
        assert after["both"] >= before["both"]
        assert after["both_loose"] >= before["both_loose"]
    assert values(table, reader="learned", subset="edited")["both"] >= 0.65
    assert values(table, reader="rules", subset="edited")["both"] == 0


def test_what_one_correction_contradicts_is_not_learned():
    rows = [reviewed(f"r{n}", "Hillers are calm", ("hillers", "calm"), edited=False) for n in range(3)]
    rows += [reviewed(f"s{n}", "Hillers are calm", ("people from the hills", "calm")) for n in range(2)]
    assert not learn(rows).identities


@pytest.mark.parametrize("said", ["less calm", "not calm", "never calm", "more calm than cooks"])
def test_grading_and_denial_are_never_left_out(said):
    rows = [reviewed(f"r{n}", f"Bakers are {said}", ("bakers", "calm")) for n in range(10)]
    lexicon = learn(rows)
    assert not lexicon.leading
    assert not lexicon.spellings


def test_reasons_that_reviewers_overrule_are_proposed_no_more():
    rows = [reviewed(f"r{n}", "Education is dear", ("education", "dear"), edited=False) for n in range(5)]
    assert learn(rows).overruled == {"not about people"}


def test_a_verb_that_the_dictionary_lacks_is_learned():
    rows = [reviewed("r1", "Plumber zabble everybody", ("plumbers", "zabble everybody"))]
    lexicon = learn(rows)
    assert lexicon.verbs == {"zabble"}
    statement = "Painter zabble a lot"
    (found,) = apply_lexicon(lexicon, statement, extract(statement, OPEN), OPEN)
    assert (found.identity, found.attribute, found.omit) == ("painters", "zabble a lot", False)


def test_a_lexicon_survives_its_file(tmp_path):
    lexicon = learn(campaign())
    path = tmp_path / "lexicon.toml"
    path.write_text(written_lexicon(lexicon, "ours"))
    assert read_lexicon(path) == lexicon
    assert not Lexicon()
    path.write_text(written_lexicon(Lexicon()))
    assert not read_lexicon(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("names = 1", "unknown key 'names'"),
        ("leading = 'so'", "expected a list"),
        ("[identities]\na = 1", "expected lines such as"),
        ("overruled = ['dull']", "unknown reason 'dull'"),
        ("conventions = ['dull']", "unknown 'dull'"),
        ("[", "not valid TOML"),
    ],
)
def test_a_lexicon_that_cannot_be_read_is_refused(tmp_path, text, words):
    path = tmp_path / "lexicon.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        read_lexicon(path)


def conventions(name, statement):
    lexicon = Lexicon(conventions=frozenset({name}))
    found = apply_lexicon(lexicon, statement, extract(statement, OPEN), OPEN)
    return [(one.identity, one.attribute) for one in found]


@pytest.mark.parametrize(
    ("name", "statement", "expected"),
    [
        ("keep 'are' after places", "People from Lima are calm", [("people from lima", "are calm")]),
        ("keep 'are' after 'people'", "Young people are calm", [("young people", "are calm")]),
    ],
)
def test_conventions(name, statement, expected):
    assert conventions(name, statement) == expected


@pytest.mark.slow
def test_habits_of_the_reviewers_transfer_to_respondents_they_were_not_learned_from(shared):
    gold = read_gold(shared / "data/afristereo/gold_dev.csv")
    table = evaluate(gold, {"rules": read_all(gold), "learned": cross_validated(gold)})
    for subset in ("all", "edited", "unedited", "question: ethnicity"):
        before, after = (values(table, reader=name, subset=subset) for name in ("rules", "learned"))
        assert after["both"] >= before["both"]
        for measure in ("both_loose", "equivalence", "pair_f1_loose"):
            assert after[measure] >= before[measure] - 0.006
    gain = [values(table, reader=name, subset="edited")["both"] for name in ("learned", "rules")]
    assert gain[0] - gain[1] >= 0.1
