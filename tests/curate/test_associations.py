"""Associations: what counts, who counts, and names that survive."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.curate.associations import (
    FLAGGED,
    NO_ATTRIBUTE,
    NO_IDENTITY,
    OMITTED,
    TRACE_COLUMNS,
    association_id,
    associations,
    mentions,
)
from endoxa.curate.group import SCHEMA, read_attributes
from endoxa.schema import ASSOCIATION_COLUMNS
from endoxa.sources.frames import write_table

COLUMNS = ("statement_id", "respondent", "axis", "country", "identity", "attribute", "omit", "flag")

# Seven statements that count, of three respondents in two countries, and three that do not.
ROWS = [
    ("s1", "1", "profession", "Peru", "bakers", "strong", "false", ""),
    ("s2", "1", "profession", "Peru", "bakers", "sturdy", "false", ""),
    ("s3", "2", "profession", "Chile", "bakers", "strong", "false", "chatbot"),
    ("s4", "2", "profession", "Chile", "bakers", "strong", "false", "chatbot"),
    ("s5", "3", "profession", "Chile", "bakers", "early risers", "", ""),
    ("s6", "3", "age", "Chile", "bakers", "strong", "", ""),
    ("s7", "3", "age", "Chile", "old people", "patient", "", ""),
    ("s8", "3", "age", "Chile", "old people", "patient", "TRUE", ""),
    ("s9", "3", "age", "Chile", "", "patient", "", ""),
    ("s10", "3", "age", "Chile", "old people", " ", "", ""),
]

GROUPS = pl.DataFrame(
    {
        "attribute": ["strong", "sturdy", "early risers", "patient"],
        "group_id": ["g1", "g1", "g2", "g3"],
        "canonical": ["strong", "strong", "early risers", "patient"],
        "polarity": ["positive", "positive", "neutral", ""],
    }
)


def statements(rows=ROWS, columns=COLUMNS):
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def rated(_attribute):
    return "negative"


def gathered(table=None, groups=GROUPS, **options):
    chosen = {"include_flagged": True, "by_axis": True} | options
    return associations(statements() if table is None else table, groups, polarity=rated, **chosen)


def support(found):
    columns = ("axis", "identity", "attribute", "region", "support")
    return {(*row[:-1],): int(row[-1]) for row in found.table.select(columns).iter_rows()}


def test_respondents_are_counted_once_per_association():
    found = gathered()
    assert support(found) == {
        ("profession", "bakers", "strong", "Chile; Peru"): 2,
        ("profession", "bakers", "early risers", "Chile"): 1,
        ("age", "bakers", "strong", "Chile"): 1,
        ("age", "old people", "patient", "Chile"): 1,
    }
    assert found.left_out == {OMITTED: 1, NO_IDENTITY: 1, NO_ATTRIBUTE: 1}
    assert tuple(found.table.columns) == (*ASSOCIATION_COLUMNS, *TRACE_COLUMNS)


def test_polarity_is_the_groupings_where_it_has_one():
    found = gathered().table
    assert found.filter(attribute="strong")["polarity"].to_list() == ["positive"] * 2
    assert found.filter(attribute="patient")["polarity"].to_list() == ["negative"]


def test_by_country():
    found = gathered(by_country=True)
    assert support(found)["profession", "bakers", "strong", "Peru"] == 1
    assert support(found)["profession", "bakers", "strong", "Chile"] == 1
    assert found.table["association_id"].is_unique().all()


def test_flagged_statements_count_as_one_respondent_or_not_at_all():
    assert support(gathered())["profession", "bakers", "strong", "Chile; Peru"] == 2
    without = associations(statements(), GROUPS, by_axis=True)
    assert support(without)["profession", "bakers", "strong", "Peru"] == 1
    assert without.left_out[FLAGGED] == 2


def test_an_association_stands_under_the_axis_of_most_respondents():
    found = gathered(by_axis=False)
    rows = found.table.filter(identity="bakers", attribute="strong")
    assert rows.select("axis", "support", "statement_ids").rows() == [("profession", "3", "s1 s2 s3 s4 s6")]
    assert found.notes[-1].startswith("1 associations were reported under several axes")
    assert associations(statements(), GROUPS, include_flagged=True, min_support=3).table.height == 1


def test_the_name_of_an_association_does_not_depend_on_where_most_said_it():
    more = [(f"t{n}", f"9{n}", "age", "Chile", "bakers", "strong", "", "") for n in range(4)]
    before, after = (
        gathered(statements(rows), by_axis=False).table.filter(identity="bakers", attribute="strong")
        for rows in (ROWS, [*ROWS, *more])
    )
    assert (before["axis"][0], after["axis"][0]) == ("profession", "age")
    assert before["association_id"].to_list() == after["association_id"].to_list()
    assert before["association_id"][0] == association_id("bakers", "strong", "", "", "")


def test_a_grouping_is_not_read_as_of_another_language():
    """The French plural of "hypocrite" is spelt as the English one; only the English one is in the grouping."""
    columns = ("identity", "attribute", "language", "original_statement", "statement")
    french = ["hypocrites", "bavards", "travailleurs"]
    english = ["hypocrites", "talkative"]
    rows = [("bakers", what, "en", f"Bakers are {what}", f"Bakers are {what}") for what in english]
    rows += [("boulangers", what, "fr", f"sont {what}", f"sont {what}") for what in french]
    rows += [("bakers", "talkative", "fr", "sont bavards", "Bakers are talkative")]
    groups = pl.DataFrame(
        {"attribute": english, "group_id": ["g1", "g2"], "canonical": ["hypocritical", "chatty"]}
    )
    found = gathered(statements(rows, columns), groups)
    said = {who: set(part["attribute"]) for (who,), part in found.table.group_by("identity")}
    assert said == {"bakers": {"hypocritical", "chatty"}, "boulangers": set(french)}
    both = pl.concat(
        [groups, pl.DataFrame({"attribute": ["bavards"], "group_id": ["g3"], "canonical": ["causants"]})]
    )
    assert "causants" in gathered(statements(rows, columns), both).table["attribute"].to_list()


def test_without_a_grouping_attributes_stand_for_themselves():
    assert ("profession", "bakers", "sturdy", "Peru") in support(gathered(groups=None))
    found = gathered(groups=GROUPS.filter(pl.col("attribute") != "patient"))
    assert found.notes == ("1 attributes are not in the grouping and stand for themselves.",)


def test_the_same_respondent_number_in_two_campaigns_is_two_people():
    two = statements().with_columns(respondent=pl.lit("1"), source=pl.Series(["a", "b"] * 5))
    found = gathered(two)
    assert sorted(found.table.filter(axis="profession", attribute="strong")["source"]) == ["a", "b"]
    assert mentions(two).table["person"].n_unique() == 2


@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(st.randoms(use_true_random=False))
def test_result_does_not_depend_on_the_order_of_rows(chance: random.Random):
    rows = list(ROWS)
    chance.shuffle(rows)
    assert gathered(statements(rows)).table.equals(gathered().table)


def test_only_what_all_statements_share_goes_on(tmp_path):
    said = [("wise", "woman")] * 6 + [("kind", "man")] * 6
    rows = [
        (f"s{k}", str(k), attribute, "2", gender, f"note {k}", "a" if k else "")
        for k, (attribute, gender) in enumerate(said)
    ]
    columns = ("statement_id", "respondent", "attribute", "wave", "gender", "comment", "batch")
    table = statements(rows, columns).with_columns(identity=pl.lit("bakers"), empty=pl.lit(None, pl.String))
    found = associations(table, polarity=rated)
    # All six who said 'wise' are women: that is what must not be published.
    assert set(found.table.columns) == {*ASSOCIATION_COLUMNS, *TRACE_COLUMNS, "wave"}
    assert found.table["wave"].to_list() == ["2", "2"]
    assert [note for note in found.notes if note.startswith("Not carried")] == [
        "Not carried into the associations: gender, comment, batch. A row there stands for several respondents, and "
        "these columns could show what a single one is or said."
    ]
    assert "wave" not in associations(table.head(4), polarity=rated).table.columns
    write_table(table, tmp_path / "statements.csv")
    lines = []
    read_attributes(tmp_path / "statements.csv", tell=lines.append, written=SCHEMA)
    assert [line.partition(".")[0] for line in lines] == [
        "Not carried into the groups: wave, gender, comment, batch"
    ]


@pytest.mark.parametrize(("shown", "agreement"), [(["f", "f", "m"], "f"), (["", "f"], "f"), (["", ""], None)])
def test_the_gender_that_most_statements_show_goes_on(shown, agreement):
    rows = {
        "identity": "assistentes sociais",
        "attribute": "gentis",
        "respondent": list("abcd")[: len(shown)],
    }
    table = associations(pl.DataFrame({**rows, "agreement": shown})).table
    assert (table["agreement"][0] if "agreement" in table.columns else None) == agreement
