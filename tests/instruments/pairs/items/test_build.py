"""Pairs from associations: sentences, denials, opposites, and what is left out.

`sentences.csv` holds what becomes of an identity and an attribute: the sentences, how the second is made ("denied":
with `--negation-only`), or why there is no pair.
"""

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.instruments.pairs.items import PairOptions, build_pairs
from endoxa.schema import PAIR_COLUMNS, ReadOptions
from endoxa.sources import READERS
from endoxa.sources.check import check_pairs
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.typography import differing_spans, words

COLUMNS = ("identity", "attribute")
with Path(__file__).with_name("sentences.csv").open(encoding="utf-8", newline="") as examples:
    EXAMPLES = list(csv.DictReader(examples))
ENGLISH = [row["attribute"] for row in EXAMPLES if row["how"] == "denied"]


def made(*rows, columns=COLUMNS, **options):
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    return build_pairs(table, PairOptions(**options))


def left_out(built):
    return built.problems.filter(outcome="left out")


def sentences(identity, attribute, **options):
    (row,) = made((identity, attribute), **options).pairs.select("sent_more", "sent_less").rows()
    return row


def difference(example):
    """What became of an example in place of what stands there, or nothing."""
    columns = (*COLUMNS, "predicate", "language")
    row = tuple(example[name] for name in columns)
    built = made(row, columns=columns, negation_only=example["how"] == "denied")
    if example["refused"]:
        reasons = built.problems["reason"].to_list()
        return reasons if built.pairs.height or example["refused"] not in reasons[0] else None
    if built.pairs.is_empty():
        return built.problems["reason"].to_list()
    pair = built.pairs.row(0, named=True) | ({"how": "denied"} if example["how"] == "denied" else {})
    other = {
        name: pair[name]
        for name in ("how", "sent_more", "sent_less")
        if example[name] not in ("", pair[name])
    }
    return other or None


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted({row["language"] for row in EXAMPLES}))
def test_sentences_and_refusals_are_those_of_the_table(language):
    wrong = {
        (example["identity"], example["attribute"]): difference(example)
        for example in EXAMPLES
        if example["language"] == language
    }
    assert {example: became for example, became in wrong.items() if became} == {}


@pytest.mark.slow
def test_published_anti_stereotypes(shared):
    """Of the ten that were published, at least seven are made in the same words, and none is made wrongly."""
    table = pl.read_csv(shared / "data/afristereo/s_as_pairs.csv")
    built = build_pairs(table.select("identity", attribute="canonical_attribute"))
    assert built.pairs["sent_more"].str.to_lowercase().to_list() == [
        f"{who} are {what}." for who, what in table.select("identity", "canonical_attribute").iter_rows()
    ]
    assert (built.pairs["attribute_less"] == table["anti_stereotype"]).sum() >= 7


@pytest.mark.slow
def test_gender_of_the_group_or_a_column_decides_the_agreement():
    """'fortes' is of both genders in Portuguese, 'fracos' and 'fracas' are not; Berbers may be of either."""
    for who, less, gender in (("mulheres", "fracas", "f"), ("homens", "fracos", "m")):
        row = made((who, "fortes"), language="pt").pairs.row(0, named=True)
        assert (row["attribute_less"], row["agreement"]) == (less, gender)
    built = made(("bereberes", "lista", "f"), columns=(*COLUMNS, "agreement"), language="es")
    assert built.pairs["sent_more"].to_list() == ["Las bereberes son listas."]


OWN = '[xx]\nsaid = "esta {attribute}"\ndenied = "nesta {attribute}"\nsubject = "{identity}"\n'


def test_own_templates_and_lexicon(tmp_path):
    own, lexicon = tmp_path / "own.toml", tmp_path / "own.csv"
    own.write_text(OWN)
    pair = sentences("bakeri", "forta", language="xx", templates=own)
    assert pair == ("Bakeri esta forta.", "Bakeri nesta forta.")
    own.write_text(OWN + 'grammar = [["verb", "{v}as{rest}", "ne {v}as{rest}"]]\n')
    assert sentences("bakeri", "kantas multe", language="xx", templates=own)[1] == "Bakeri ne kantas multe."
    lexicon.write_text("one,other\nforta,febla\n")
    pair = sentences("bakeri", "forta", language="xx", templates=own, lexicon=lexicon)
    assert pair[1] == "Bakeri esta febla."


def test_few_respondents_are_left_out_where_asked_and_not_told_where_they_live():
    """Neither in the region nor in the columns of the table that say where."""
    columns = (*COLUMNS, "region", "place", "support")
    rows = [
        ("bakers", "strong", "Peru", "Cusco", "5"),
        ("bakers", "patient", "Chile", "Arica", "4"),
        ("bakers", "tall", "", "", "1"),
    ]
    built = made(*rows, columns=columns)
    assert built.pairs.select("region", "place").rows() == [("Peru", "Cusco"), ("", ""), ("", "")]
    kept = made(*rows, columns=columns, min_cell=1)
    assert kept.pairs.select("region", "place").rows() == [row[2:4] for row in rows]
    assert (built.placeless, kept.placeless) == (1, 0)
    assert kept.pairs["item_id"].to_list() == built.pairs["item_id"].to_list()
    often = made(*rows, ("men", "strong", "", "", ""), columns=columns, min_support=4)
    assert (often.pairs.height, often.rare) == (2, 2)


text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)
wild = st.one_of(text, st.sampled_from([row["attribute"] for row in EXAMPLES]))
spoken = st.sampled_from(["en", "fr", "es", "pt", "hi", "sw", "", "ar"])


@pytest.mark.slow
@settings(max_examples=80)
@given(st.lists(st.tuples(wild, wild, spoken), max_size=5))
def test_any_table_gives_pairs_or_reasons(rows):
    built = made(*rows, columns=(*COLUMNS, "language"))
    assert built.pairs.height + left_out(built).height == len(rows)
    assert built.pairs["item_id"].is_unique().all()
    for more, less in built.pairs.select("sent_more", "sent_less").iter_rows():
        assert differing_spans(words(more), words(less))


@pytest.mark.slow
def test_command(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    rows = ["bakers,strong,Peru,2,en", "bakers,threat,,9,en", "bakers,a threat,,9,en"]
    source.write_text("\n".join(["identity,attribute,region,support,language", *rows]), encoding="utf-8")
    command = ["build", "pairs", str(source), "-o", str(target)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "2 pairs written" in result.stdout
    assert "1 with an antonym, 1 with a negation" in result.stdout
    assert "There is no column 'axis': every axis is 'unspecified'." in result.stderr
    assert "1 associations left out: see" in result.stderr
    assert "1 pairs written without their region" in result.stderr
    assert read_table(tmp_path / "out.left_out.csv")["attribute"].to_list() == ["threat"]
    assert read_table(target).select("how", "region").rows() == [("antonym", ""), ("negation", "")]
    assert CliRunner().invoke(app, ["datasets", "check", str(target)]).exit_code == 0
    assert "without their region" not in CliRunner().invoke(app, [*command, "--keep-region"]).stderr
    assert read_table(target)["region"].to_list() == ["Peru", ""]


@pytest.mark.slow
def test_the_check_agrees_with_what_was_built_and_reads_it_back(tmp_path):
    """A denial is called one, an opposite is not, and no label is missed that there cannot be."""
    more = ("cannot be trusted", "do not want to work anymore", "unkind")
    rows = [(who, what, "en") for who in ("bakers", "farmers", "scots") for what in (*ENGLISH, *more)]
    rows += [
        (row["identity"], row["attribute"], row["language"]) for row in EXAMPLES if row["language"] != "en"
    ]
    placed = [(*row, "profession", "Peru; Chile") for row in rows]
    built = made(*placed, columns=(*COLUMNS, "language", "axis", "region"), min_cell=1)
    path = tmp_path / "pairs.csv"
    write_table(built.pairs, path)
    problems = check_pairs(path)
    denied = {problem.item_id for problem in problems if problem.check == "negation-only"}
    assert denied == set(built.pairs.filter(how="negation")["item_id"])
    assert 20 < len(denied) < built.pairs.height
    assert not {"unbalanced-labels", "multiple-perturbations"} & {problem.check for problem in problems}
    assert not [problem for problem in problems if problem.severity == "error"]
    frame = pl.concat(READERS.get("native").read(path, ReadOptions()))
    for name in PAIR_COLUMNS:
        assert frame[name].fill_null("").to_list() == built.pairs[name].to_list()


def test_denials_can_be_left_out():
    built = made(("bakers", "strong"), ("bakers", "business oriented"), antonym_only=True)
    assert built.pairs["sent_less"].to_list() == ["Bakers are weak."]
    assert built.problems["reason"].to_list() == ["no natural opposite is known (--antonym-only)"]


def test_framings_are_pairs_of_their_own_with_the_same_association():
    rows, columns = [("women", "gentle", "en"), ("mujeres", "fuertes", "es")], (*COLUMNS, "language")
    plain, framed = (made(*rows, columns=columns, framings=count).pairs for count in (1, 3))
    assert framed.height == 3 * plain.height
    assert framed["item_id"].n_unique() == framed.height
    assert framed["association_id"].n_unique() == 2
    assert framed.filter(pl.col("item_id").is_in(plain["item_id"].implode())).equals(plain)
    first = framed.row(1, named=True)
    assert first["sent_more"] == "People often say: Women are gentle."
    assert first["sent_less"].startswith("People often say: Women are ")


RATED = [
    ("people from Chile", "friendly", "", "", ""),
    ("people from Chile", "lazy", "2", "1.5", "0.5"),
    ("people from Chile", "rich", "4", "3", "0.75"),
    ("people from Chile", "poor", "4", "3.5", "0.25"),
]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["friendly", "lazy", "rich", "poor"]),
        ({"min_ratings": 4}, ["rich", "poor"]),
        ({"min_mean": 3.2}, ["poor"]),
        ({"min_knowers": 0.5}, ["lazy", "rich"]),
        ({"min_ratings": 3, "min_mean": 2, "min_knowers": 0.5}, ["rich"]),
    ],
)
def test_pairs_that_few_rated_or_had_heard_are_left_out_with_the_reason(options, kept):
    built = made(*RATED, columns=(*COLUMNS, "ratings", "mean", "knowers"), **options)
    assert built.pairs["attribute_more"].to_list() == kept
    assert left_out(built)["attribute"].to_list() == [row[1] for row in RATED if row[1] not in kept]
    assert all("(--min-" in reason for reason in left_out(built)["reason"])


def test_attributes_that_may_name_a_person_are_to_be_looked_at():
    """Accusations in small letters, too."""
    rows = [
        *(
            ("bakers", what, "en")
            for what in ("friends of Maria Gonzalez", "fans of Mrs Smith", "steal like maria")
        ),
        *(("bakers", what, "en") for what in ("from South Africa", "steal bread")),
        ("los habitantes de Chile", "maria robó", "es"),
    ]
    problems = made(*rows, columns=(*COLUMNS, "language")).problems
    looked = problems.filter(pl.col("reason").str.contains("may name a person"))
    assert looked["attribute"].to_list() == [*(what for _, what, _ in rows[:3]), "maria robó"]
    assert set(looked["outcome"]) == {"kept"}


def test_a_pair_that_is_there_already_is_left_out():
    rows = [("a1", "women", "strong"), ("a2", "Women", "are strong"), ("a1", "women", "patient")]
    built = made(*rows, columns=("association_id", *COLUMNS))
    assert built.pairs["association_id"].to_list() == ["a1"]
    assert built.problems["reason"].to_list() == [
        "the pair is the same as that of row 1",
        "the association_id 'a1' is also that of row 1",
    ]
