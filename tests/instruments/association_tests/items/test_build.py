"""`endoxa build tests`: word lists as published, crossing as in the paper's tables, associations, and refusals."""

import re
from pathlib import Path

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import (
    build_from_associations,
    build_tests,
    load_lists,
    read_tests,
)
from endoxa.instruments.association_tests.options import (
    ALL,
    WORDS,
    BuildOptions,
    Contrast,
)

pytestmark = pytest.mark.slow

LISTS = load_lists()


def made(axes, attributes, languages=("en",), **options):
    return build_tests(
        BuildOptions(tuple(axes.split(",")), tuple(attributes.split(",")), languages, **options)
    )


def pairs(tests):
    return {(test.x.name, test.y.name) for test in tests}


def paper(shared):
    [path] = (shared / "papers").glob("004_*.txt")
    return path.read_text(encoding="utf-8")


# ---------------------------------------------------------------------- the published lists


def printed(text, row):
    """Terms of a row of the paper's tables 10 to 12."""
    [terms] = re.findall(rf"^{row} \| ([^|]+) \|", text, re.MULTILINE)
    return [term.strip() for term in terms.split(",")]


def bundled(**wanted):
    [found] = [
        one
        for one in LISTS.sets
        if one.language == "en"
        and one.list.startswith("indibias")
        and all(getattr(one, key) == value for key, value in wanted.items())
    ]
    return [term.text for term in found.terms]


def test_lists_are_those_of_the_paper(shared):
    text = paper(shared)
    for religion in ("hindu", "muslim"):
        for gender in ("male", "female"):
            names = bundled(group={"religion": religion, "gender": gender})
            assert [name.lower() for name in names] == printed(text, f"{religion} {gender}".title())
    for caste in ("lower", "upper"):
        terms = bundled(group={"caste": caste})
        assert [term.lower() for term in terms] == printed(text, f"{caste.title()} Caste")
    for side, row in (("a", "Non-violent"), ("b", "Violent")):
        assert bundled(attribute="violence", side=side) == printed(text, row)


def test_texts_are_those_of_the_published_tests(shared):
    """Names and words of `sent-weat6`, and the sentences of the test of IndiBias that was written from the paper."""
    weat6, indibias = read_tests(shared / "data/reference_scores/seat_tests.json")
    [ours] = made("gender", "career-family", per_term=WORDS)
    for key in ("x", "y", "a", "b"):
        ending = {
            re.sub(r"^(This is (?:an? )?|These are )|\.$", "", text) for text in getattr(weat6, key).texts
        }
        assert set(getattr(ours, key).texts) <= ending, key
    ours = {test.name: test for test in made("gender,religion", "career-family")}
    test = ours["en/hindu_male/hindu_female/career-family"]
    assert (test.x.texts, test.y.texts) == (indibias.x.texts, indibias.y.texts)


# ---------------------------------------------------------------------- crossing


def rows(text, ending):
    """Group pairs of the rows of the paper's Tables 3, 4 and 9 that end in that attribute pair; names as ours."""
    found = re.findall(rf"^([\w ]+)/ ([\w ]+?)(?: Names| Terms)?, {ending} \|", text, re.MULTILINE)
    return {tuple(name.strip().lower().replace(" caste", "-caste") for name in pair) for pair in found}


def test_pairs_and_their_order_are_those_of_the_tables(shared):
    """X and Y as in every row of the crossed groups; Table 3 has one row of religion alone, one of gender alone."""
    text = paper(shared)
    single = {("male", "female"), ("hindu", "muslim")}
    career, violence = made("gender,religion", "career-family"), made("gender,religion", "violence")
    assert pairs(career) == rows(text, "C/F") - single
    assert pairs(violence) == rows(text, "N/V") - single
    pleasant = made("gender,caste", "pleasant-unpleasant") + made("gender,age", "pleasant-unpleasant")
    assert pairs(pleasant) == rows(text, "P/U")


@pytest.mark.parametrize(
    ("axes", "number", "texts"),
    [
        (
            "gender,religion,age",
            28,
            {"en": "This is a young Hindu man.", "fr": "C'est un homme musulman âgé."},
        ),
        (
            "gender,age",
            6,
            {"hi": "यह बूढ़ी औरत है।", "es": "Esta es una mujer anciana.", "sw": "Huyu ni mwanamke mzee."},
        ),
    ],
)
def test_axes_are_crossed_from_parts_that_agree(axes, number, texts):
    tests = made(axes, "violence", tuple(texts))
    assert len(tests) == number * len(texts)
    built = {text for test in tests for text in (*test.x.texts, *test.y.texts)}
    assert set(texts.values()) <= built
    assert not any("boy" in text or "लड़क" in text for text in built)


LANGUAGES = ("en", "hi", "es", "fr", "pt", "sw", "ar")


@pytest.mark.parametrize("attribute", ["career-family", "violence", "pleasant-unpleasant"])
def test_no_text_stands_on_both_sides(attribute):
    """A text in a target and in an attribute set would have cosine 1 with itself."""
    for axes in ("gender", "gender,age"):
        for test in made(axes, attribute, LANGUAGES, per_term=ALL):
            sets = [set(one.texts) for one in (test.x, test.y, test.a, test.b)]
            assert sum(map(len, sets)) == len(set.union(*sets)), test.name


# ---------------------------------------------------------------------- lists of one's own

OWN = Path(__file__).with_name("trades.toml").read_text(encoding="utf-8")


def own(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_own_lists(tmp_path):
    """A lead of an axis that is not crossed changes nothing."""
    leading = OWN.replace("[attributes.warm-cold]", '[attributes.warm-cold]\nlead = ["gender"]')
    for text in (OWN, leading):
        [test] = made("trade", "warm-cold", lists=(own(tmp_path, text),))
        assert (test.x.name, test.y.name) == ("baker", "smith")
        assert test.x.texts[-1] == "This is an oven hand."
        assert test.b.texts == ("This is cold.", "This is cool.", "This is icy.", "This is chilly.")
        assert "our survey" in test.source
        assert "bakers with warm" in test.source


BAD_LISTS = [
    ("x = ", "is not valid TOML"),
    ("source = 'x'", "set: it is missing"),
    ("foo = 1\n[[set]]", "foo: it is not known"),
    (OWN.replace('kind = "noun"', 'kind = "nuon"', 1), "set.1.kind: expected 'name', 'noun'"),
    (OWN.replace('side = "a"', 'side = "c"'), "set.3.side: expected"),
    (OWN.replace('{ s = "baker" }', '"baker"'), "the noun 'baker' needs its number and gender"),
    (OWN.replace('{ s = "baker" }', "{ s = 7 }"), "terms.1.forms.s: expected a text, found 7"),
    (OWN.replace('{ s = "baker" }', '{ without = ["age"] }'), "has no form"),
    (OWN.replace("direction.trade", "direction"), "warm-cold.direction: expected a table"),
    (OWN.replace('["baker", "smith"]', '"baker"'), "axes.trade: expected a list, found 'baker'"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD_LISTS)
def test_bad_lists(tmp_path, text, sentence):
    with pytest.raises(UserError) as problem:
        load_lists((own(tmp_path, text),))
    assert sentence in str(problem.value)
    assert "own.toml" in str(problem.value)


def test_small_set_and_term_without_a_sentence(tmp_path):
    with pytest.raises(UserError, match=r"'baker' has 3 terms\. Expected at least 4"):
        made("trade", "warm-cold", lists=(own(tmp_path, OWN.replace('{ s = "baker" }, ', "")),))
    with pytest.raises(UserError, match=r"No sentence of 'en' takes the noun 'baker' \(xs\)"):
        made("trade", "warm-cold", lists=(own(tmp_path, OWN.replace('{ s = "baker" }', '{ xs = "baker" }')),))


# ---------------------------------------------------------------------- associations

SAID = [
    *(("bakers", attribute, "trade", "en") for attribute in ("strong", "patient", "good drivers", "honest")),
    *(
        ("smiths", attribute, "trade", "en")
        for attribute in ("rich", "kind", "brave", "honest", "talk too much")
    ),
    ("mujeres", "fuertes", "gender", "es"),
]
COLUMNS = ["identity", "attribute", "axis", "language"]


def table(said=SAID, columns=COLUMNS):
    return pl.DataFrame(said, schema=columns, orient="row")


def from_associations(said=SAID, columns=COLUMNS, **contrast):
    return build_from_associations(table(said, columns), Contrast(**contrast), None)


def test_associations_against_their_opposites():
    tests, left_out = from_associations()
    assert [test.name for test in tests] == [
        "en/trade/bakers/smiths/antonym",
        "en/trade/smiths/bakers/antonym",
    ]
    first = tests[0]
    assert first.x.texts[:2] == ("These are bakers.", "Here are bakers.")
    assert first.a.texts[:2] == ("These people are strong.", "These people are patient.")
    assert first.b.texts[:2] == ("These people are weak.", "These people are impatient.")
    assert first.b.terms[:2] == ("weak", "impatient")
    assert left_out == []


def test_who_is_too_little_known_is_left_out():
    said = [*SAID, *(("millers", one, "trade", "en") for one in ("qualm", "zesty", "of salt", "blorp"))]
    tests, left_out = from_associations(said)
    assert {test.x.name for test in tests} == {"bakers", "smiths"}
    assert {test.y.name for test in tests} == {"bakers", "smiths", "millers"}
    assert "en, trade: 'millers' against 'bakers': " in left_out[0]
    assert "a set needs 4" in left_out[0]


@pytest.mark.parametrize(
    ("strong", "weak", "kept"), [("1", "1", set()), ("3", "1", {"strong"}), ("1", "3", {"weak"})]
)
def test_what_is_said_both_ways(strong, weak, kept):
    """The pole that more respondents named stays, on its side only."""
    poles = {"rich": "1", "strong": strong, "weak": weak}
    rows = [(*row, "1") for row in SAID[1:]] + [
        ("bakers", pole, "trade", "en", n) for pole, n in poles.items()
    ]
    [test], _ = from_associations(rows, [*COLUMNS, "support"], against="smiths")
    assert (test.x.name, test.y.name) == ("bakers", "smiths")
    assert {"strong", "weak"} & set(test.a.terms) == kept
    assert len(test.a.texts) == len(test.b.texts)
    assert not set(test.a.texts) & set(test.b.texts)


def test_an_identity_of_another_language_is_left_out():
    said = [("women", one, "gender", "fr") for one in ("fortes", "douces", "pauvres", "lentes", "riches")]
    with pytest.raises(UserError, match="the identity 'women' is English"):
        from_associations([*said, ("men", "forts", "gender", "fr")], against="men")
