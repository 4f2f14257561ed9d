"""Packs: a language from a folder, what is refused, what a language covers, and a pack to begin with."""

from __future__ import annotations

import csv
import os
import re
import shutil
from pathlib import Path

import pytest
from babel import Locale

from endoxa.errors import UserError
from endoxa.words import opening
from endoxa.words.check import faults
from endoxa.words.create import TO_FILL, create
from endoxa.words.opening import opened
from endoxa.words.packs import VARIABLE, languages_with, pack_facts, pack_of, stops, using, words_of
from endoxa.words.patterns import denies, is_predicate
from endoxa.words.state import coverage, states, unreviewed
from support.repository import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples/packs"
WOLOF = EXAMPLES / "wo"


@pytest.fixture
def wolof(tmp_path):
    """A copy of the Wolof pack."""
    return Path(shutil.copytree(WOLOF, tmp_path / "wo"))


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_pack_adds_a_language_and_what_it_lacks_is_the_packages(tmp_path):
    assert "wo" not in languages_with("pairs.toml")
    (tmp_path / "pack.toml").write_text((ROOT / "src/endoxa/words/sw/pack.toml").read_text())
    (tmp_path / "unkind.toml").write_text('negators = []\nwords = ["mbaya"]')
    with using([WOLOF, tmp_path]):
        assert "wo" in languages_with("pairs.toml")
        assert words_of("wo", "pairs.toml")["denied"] == "duñu {attribute}"
        assert words_of("sw", "unkind.toml")["words"] == ["mbaya"]
        assert words_of("sw", "pairs.toml")["said"] == "ni {attribute}"
        assert [Path(path) for path in os.environ[VARIABLE].split(os.pathsep)] == [WOLOF, tmp_path]
        assert [fact["code"] for fact in pack_facts()] == ["wo", "sw"]
    assert "wo" not in languages_with("pairs.toml")
    assert words_of("sw", "unkind.toml")["words"] != ["mbaya"]
    assert VARIABLE not in os.environ


def test_what_decides_no_result_is_not_in_the_digest(wolof):
    with using([wolof]):
        before = pack_facts()[0]["digest"]
    (wolof / "cases.csv").unlink()
    with using([wolof]):
        assert pack_facts()[0]["digest"] == before
    _edit(wolof / "people.csv", "nit ñi", "doom aadama yi")
    with using([wolof]):
        assert pack_facts()[0]["digest"] != before


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("pack.toml", 'code = "wo"', "pack.toml: 'name' is missing"),
        ("pack.toml", "code = \nname = 1", "pack.toml is not TOML: .*line 1"),
        (
            "pairs.toml",
            'said = "dañu"\ndenied = "duñu {attribute}"\nsubject = "x"',
            r"pairs.toml, said: 'dañu' must hold",
        ),
        ("pairs.toml", 'said = "{attribute}"', "pairs.toml: 'denied' is missing"),
        ("word_classes.toml", 'negators = ["duñu"]', "'negators' is a list. Expected a text"),
        ("opposites.csv", "pos,one\nadj,x\n", "opposites.csv: the column 'other' is missing"),
        ("opposites.csv", "pos,one,other\nadj,x,y,z\n", "opposites.csv, row 2: 4 cells, and only 3 columns"),
        ("extract.toml", "plural = '(a'", r"extract.toml, plural: '\(a' is no regular expression"),
    ],
)
def test_a_bad_pack_is_one_sentence_with_its_place(wolof, file, text, sentence):
    (wolof / file).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=sentence):
        opened(wolof)


def test_other_encodings_and_folders_are_refused(wolof, tmp_path):
    (wolof / "people.csv").write_bytes("id,kind\nfóo".encode("latin-1"))
    with pytest.raises(UserError, match=r"people.csv is not UTF-8 text \(byte 9\)"):
        opened(wolof)
    with pytest.raises(UserError, match="is no language pack"), using([tmp_path / "nowhere"]):
        pass
    assert VARIABLE not in os.environ


def test_a_pattern_that_runs_away_is_refused(wolof, monkeypatch):
    monkeypatch.setattr(opening, "_PATTERN_SECONDS", 1)
    (wolof / "extract.toml").write_text("plural = '(?:a|a)*b'", encoding="utf-8")
    with pytest.raises(UserError, match=re.escape("'(?:a|a)*b' runs away")):
        opened(wolof)


@pytest.mark.parametrize("code", languages_with("pack.toml"))
def test_every_language_of_ours_is_a_pack_and_agrees_with_cldr(code):
    pack = pack_of(code)
    assert opened(ROOT / "src/endoxa/words" / code) == pack
    assert pack.name == Locale.parse(code).english_name


def test_a_joint_is_none_partial_or_drafted_and_names_what_is_missing(wolof):
    (wolof / "opposites.csv").unlink()
    with using([wolof]):
        cells = {cell.joint: cell for cell in coverage(["wo"])}
    assert cells["stories"].word == "none"
    assert cells["calibration"].word == "drafted"
    assert cells["pairs"].word == "partial 5 of 6"
    assert cells["pairs"].missing == ("opposites.csv",)
    assert {cell.word for cell in coverage(["en"])} == {"source"}


def test_a_fresh_pack_says_what_only_cldr_knows_and_overwrites_nothing(tmp_path):
    folder = tmp_path / "qu"
    create("qu", folder)
    pack = opened(folder)
    assert (pack.name, pack.script, pack.status) == ("Quechua", "Latn", "draft")
    with (folder / "people.csv").open(encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert (rows["BO"]["also"], rows["BO"]["plural"]) == (Locale("qu").territories["BO"], "")
    assert (folder / TO_FILL / "stories.yaml").is_file()
    with using([folder]):
        assert {cell.word for cell in coverage(["qu"])} == {"none"}
        assert list(faults("qu", folder)) == []
    with pytest.raises(UserError, match="is not empty, and nothing is overwritten"):
        create("qu", folder)
    with pytest.raises(UserError, match="no ISO 639 code"):
        create("Quechua", tmp_path / "other")


def test_marks_of_a_pack_of_the_user_are_read(wolof):
    assert "።" not in stops()
    _edit(wolof / "pack.toml", 'stops = [".", ', 'stops = ["።", ')
    with using([wolof]):
        assert denies("Góor ñi dañu dëgër።", "Góor ñi duñu dëgër", "wo")
    assert "።" not in stops()


@pytest.mark.parametrize(
    ("text", "language", "is_one"),
    [("لطيف", "ar", False), ("لا يعملون", "ar", True), ("wema", "sw", False), ("ni wema", "sw", True)],
)
def test_a_word_alone_is_no_predicate_even_where_the_copula_has_no_word(text, language, is_one):
    assert is_predicate(text, language) == is_one


def test_faults_of_words(wolof):
    with (wolof / "people.csv").open("a", encoding="utf-8") as file:
        file.write("nurses,profession,,,doktoor yi,,,,,\ncooks,profession,,,кook yi,,,,,\n")
    with (wolof / "opposites.csv").open("a", encoding="utf-8") as file:
        file.write("adj,tabe; yaru,bon\nadj,yaru,tabe\nadj,muus,muus\n")
    _edit(wolof / "people.csv", "nit ñi", "люди")
    (wolof / "nuetral.toml").write_text("")
    with using([wolof]):
        found = [f"{fault.place} {fault.problem}" for fault in faults("wo", wolof)]
    assert found == [
        "nuetral.toml is no file of a pack, so nothing reads it",
        "people.csv, row 35, plural is not written in the script Latn: 'люди'",
        "people.csv, row 38, plural mixes letters of Latn and another script in 'кook'",
        "people.csv, row 37 has 'doktoor yi' for 'nurses', which is also 'doctors'",
        "opposites.csv, row 13 has 'yaru' and 'tabe' as opposites, which are alike in row 12",
        "opposites.csv, row 14 has 'muus' on both sides",
    ]


def test_speakers_review_a_pack_of_the_user(wolof):
    _edit(wolof / "people.csv", "neutral,moom,,ñoom", "neutral,moom,,doom aadama yi")
    with using([wolof]):
        digest = states(["neutral identities"], ["wo"])[0].digest
    review = (
        f'component = "neutral identities"\nlanguage = "wo"\ndigest = "{digest}"\nspeakers = 2\ndate = "x"\n'
    )
    (wolof / "reviews.toml").write_text(f"[[review]]\n{review}", encoding="utf-8")
    with using([wolof]):
        assert states(["neutral identities"], ["wo"])[0].word == "reviewed by 2"
        assert unreviewed([("neutral identities", ["wo"])]) == ""
    # A text that changes afterwards makes it unreviewed.
    _edit(wolof / "people.csv", "doom aadama yi", "nit yi")
    with using([wolof]):
        assert states(["neutral identities"], ["wo"])[0].word == "unreviewed"
