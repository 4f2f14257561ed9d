"""The summary: counts that agree with the survey, and small counts that cannot be found out."""

from itertools import chain, combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from endoxa.curate.associations import mentions
from endoxa.curate.summary import (
    ALL_AXES,
    EVERYBODY,
    REST,
    UNSTATED,
    split_several,
    summarise,
)

LEAST = 5


def survey(people, columns=("gender",)):
    """Mentions of a survey: for each respondent, the associations (axis, identity, attribute) and answers."""
    names = ("respondent", "axis", "identity", "attribute", *columns)
    rows = [(str(n), *key, *answers) for n, (said, answers) in enumerate(people) for key in said]
    return mentions(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")).table


STRONG = ("profession", "bakers", "strong")
EARLY = ("profession", "bakers", "early risers")
TALL = ("profession", "bakers", "tall")
PATIENT = ("age", "old people", "patient")


def test_split_of_respondents_with_several_answers():
    counts = {"a": 12, "b": 7, "c": 3, "d": 16}
    assert split_several(counts, 20, LEAST).shown == {"a": 12, "b": 7}
    assert split_several({"a": 12, "b": 10}, 20, LEAST).shown == {"a": 12}
    assert split_several({"a": 14, "b": 13}, 20, LEAST).shown == {"a": 14, "b": 13}


def most(equalities, values, objective):
    """The largest value of `objective` over non-negative counts that are compatible with what is published."""
    result = linprog(
        -np.asarray(objective, float), A_eq=np.asarray(equalities, float), b_eq=values, bounds=(0, None)
    )
    assert result.status == 0
    return -result.fun


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True), min_size=1, max_size=25))
def test_no_small_count_follows_from_a_row_of_several_answers(chosen):
    """Unknown are the respondents of every combination of answers; all subgroups of one or two answers are tried."""
    names = ("a", "b", "c")
    atoms = list(chain.from_iterable(combinations(range(3), size) for size in (1, 2, 3)))
    counts = {name: sum(n in one for one in chosen) for n, name in enumerate(names)}
    total, split = len(chosen), split_several(counts, len(chosen), LEAST)
    holds = {name: np.array([n in atom for atom in atoms]) for n, name in enumerate(names)}
    equalities = [np.ones(len(atoms)), *(holds[name] for name in split.shown)]
    values = [total, *split.shown.values()]
    subgroups = [*holds.values(), *(~held for held in holds.values())]
    subgroups += [holds[one] & holds[other] for one, other in combinations(names, 2)]
    for subgroup in subgroups:
        assert most(equalities, values, subgroup) >= min(LEAST, total) - 1e-6


associations_said = st.lists(st.sampled_from([STRONG, EARLY, PATIENT]), min_size=1, max_size=3, unique=True)

# Of those who say EARLY, 2 are m: follows if the axis shows 12 f, of whom at most 5 can have said STRONG.
UNION_TELLS = [([STRONG], "f")] * 5 + [([STRONG], "m")] * 6 + [([EARLY], "f")] * 7 + [([EARLY], "m")] * 2

# Of the bakers' axis, 1 is x: follows if STRONG shows 5 m, where the axis shows 6 who are m or x.
PARTS_TELL = (
    [([STRONG, EARLY, TALL], "f")] * 4
    + [([STRONG, EARLY, TALL], "m")] * 5
    + [([STRONG, EARLY, TALL], "x")]
    + [([EARLY, TALL], "f")] * 6
    + [([PATIENT], "x")] * 6
)


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@example(UNION_TELLS)
@example(PARTS_TELL)
@given(
    st.lists(
        st.tuples(associations_said, st.sampled_from(["f", "f", "m", "m", "x", ""])), min_size=8, max_size=45
    )
)
def test_no_small_count_follows_from_all_tables_together(people):
    """Unknown: respondents of every association, axis and the whole survey by gender, tied by the unions they are."""
    table = survey([(said, (answer,)) for said, answer in people])
    assume(any(answer for _, answer in people))
    made = summarise(table, LEAST)
    totals = {(axis, who, what): n for axis, who, what, _, n, _ in made.frequencies.iter_rows()}
    genders = sorted({answer or UNSTATED for _, answer in people})
    axes = sorted({key[0] for key in totals})
    levels = [*totals, *((axis,) for axis in axes), (ALL_AXES,)]
    size = len(levels) * len(genders)

    def cell(level, gender):
        row = np.zeros(size)
        row[levels.index(level) * len(genders) + genders.index(gender)] = 1
        return row

    def whole(level):
        return sum(cell(level, gender) for gender in genders)

    sizes = dict(totals)
    sizes |= {(axis,): n for axis, _, n, *_ in made.composition.iter_rows()}
    equalities, values = [whole(level) for level in levels], [sizes[level] for level in levels]
    for *level, gender, n in chain(
        made.frequencies_by["gender"].iter_rows(), made.composition_by["gender"].iter_rows()
    ):
        if gender in genders:
            equalities.append(cell(tuple(level), gender))
            values.append(n)
    below = {(axis,): [key for key in totals if key[0] == axis] for axis in axes}
    below[(ALL_AXES,)] = [(axis,) for axis in axes]
    bounds = []
    for union, parts in below.items():
        for gender in genders:
            bounds += [cell(part, gender) - cell(union, gender) for part in parts]
            bounds.append(cell(union, gender) - sum(cell(part, gender) for part in parts))
    for level in levels:
        for gender in genders:
            found = linprog(
                -cell(level, gender), np.array(bounds), np.zeros(len(bounds)), np.array(equalities), values
            )
            assert found.status == 0
            assert -found.fun >= min(LEAST, sizes[level]) - 1e-6, (level, gender)


def test_counts_are_those_of_the_survey():
    people = [([STRONG, STRONG, EARLY], ("f",))] * 9 + [([STRONG], ("m",))] * 6 + [([PATIENT], ("",))] * 5
    made = summarise(survey(people), LEAST)
    rows = made.frequencies.select("identity", "attribute", "respondents", "statements").rows()
    assert rows == [
        ("old people", "patient", 5, 5),
        ("bakers", "strong", 15, 24),
        ("bakers", "early risers", 9, 9),
    ]
    strong = made.frequencies_by["gender"].filter(attribute="strong").select("gender", "respondents").rows()
    assert strong == [("f", 9), (REST, 6)]
    early = (
        made.frequencies_by["gender"].filter(attribute="early risers").select("gender", "respondents").rows()
    )
    assert early == [(EVERYBODY, 9)]
    assert made.composition.filter(axis=ALL_AXES).row(0) == (ALL_AXES, "", 20, 38, 2, 3)


def test_answers_with_several_choices_count_in_each():
    people = (
        [([STRONG], ("Igbo  * Idoma *",))] * 3 + [([STRONG], ("Igbo *",))] * 6 + [([STRONG], ("Tiv *",))] * 8
    )
    made = summarise(survey(people, ("people",)), LEAST).frequencies_by["people"]
    assert made.select("people", "respondents").rows() == [("Igbo", 9), ("Tiv", 8)]


def test_kept_columns_are_split_by_without_being_named():
    people = [([STRONG], ("f", str(n), "x")) for n in range(30)]
    made = summarise(survey(people, ("gender", "code", "review_note")))
    assert list(made.frequencies_by) == ["gender"]
    assert made.notes == ("Column 'code' has 30 values for 30 respondents: not split by it.",)


def test_columns_that_do_not_describe_respondents_are_not_split_by():
    """What differs between statements of one person, an empty cell included, is of the statement."""
    names = ("respondent", "axis", "identity", "attribute", "gender", "reading", "remark")
    rows = [
        (str(n), *key, "f" if n % 2 else "m", reading, "odd" if key == TALL else "")
        for n in range(20)
        for key, reading in ((STRONG, "by rule"), (TALL, "by hand"))
    ]
    table = mentions(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")).table
    summary = summarise(table)
    assert list(summary.frequencies_by) == ["gender"]
    assert list(summary.composition_by) == ["gender"]
    assert "Not split by reading, remark: statements of one respondent differ there." in summary.notes
