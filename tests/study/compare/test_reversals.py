"""Stereotypes turned round between two regions: planted ones are found, none where regions only differ or do not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from endoxa.study.compare.editions.reversals import find_reversals

OPPOSITES = [
    ("rich", "poor"),
    ("strong", "weak"),
    ("kind", "cruel"),
    ("lazy", "hard-working"),
    ("quiet", "loud"),
]


COLUMNS = ("respondent", "country", "identity", "attribute", "axis")


def saved(path, rows, columns=COLUMNS):
    pl.DataFrame(rows, schema=list(columns), orient="row").write_csv(path)
    return path


def clear_of(reversals):
    return reversals.changes.filter(verdict="above")


def survey(path, chances, n=60, seed=0):
    """n respondents of each of two regions; group k is said to be the first of its opposites with these chances."""
    rng = np.random.default_rng(seed)
    rows = []
    for region, place in (("North", 0), ("South", 1)):
        for person in range(n):
            for k, chance in enumerate(chances):
                if rng.random() < 0.6:
                    attribute = OPPOSITES[k % 5][int(rng.random() >= chance[place])]
                    rows.append((f"{region}{person}", region, f"group {k}", attribute, f"axis {k}"))
    return saved(path, rows)


def test_a_planted_reversal_is_found_and_a_mere_difference_is_not(tmp_path):
    # Turned round, much less but still leading, the same, undecided in one region.
    path = survey(tmp_path / "s.csv", [(0.9, 0.1), (0.95, 0.65), (0.8, 0.8), (0.9, 0.5)])
    reversals = find_reversals(path)
    clear = clear_of(reversals).rows(named=True)
    assert [(row["first"], row["second"], row["region"], row["other_region"]) for row in clear] == [
        ("group 0: rich", "group 0: poor", "North", "South")
    ]
    row = clear[0]
    assert row["low"] > 0.5 > row["high_other"]
    one_sided = (
        binomtest(row["n_first"], row["n_first"] + row["n_second"], alternative="greater").pvalue,
        binomtest(
            row["n_first_other"], row["n_first_other"] + row["n_second_other"], alternative="less"
        ).pvalue,
    )
    assert row["p_value"] == pytest.approx(max(one_sided))


def test_groups_swapped_between_regions(tmp_path):
    """In the north hill people are said to be proud, in the south coast people are."""
    rows = [
        (f"{region}{i}", region, group if i < 18 else other, "proud", "region")
        for region, group, other in (
            ("North", "hill people", "coast people"),
            ("South", "coast people", "hill people"),
        )
        for i in range(20)
    ]
    clear = clear_of(find_reversals(saved(tmp_path / "s.csv", rows)))
    assert clear.select("kind", "first", "region", "n_first", "n_first_other").rows() == [
        ("groups", "hill people: proud", "North", 18, 2)
    ]


def test_who_said_both_sides_counts_on_neither_and_opposites_need_one_language(tmp_path):
    rows = [(f"p{i}", "N" if i % 2 else "S", "bakers", word) for i in range(8) for word in ("rich", "poor")]
    saved(tmp_path / "both.csv", rows, COLUMNS[:4])
    (tmp_path / "languages.csv").write_text(
        "respondent,country,identity,identity_key,attribute,language,statement,original_statement\n"
        "1,N,women,women,weak,en,a,a\n2,S,femmes,women,fortes,fr,b,b\n"
    )
    for name in ("both", "languages"):
        assert find_reversals(tmp_path / f"{name}.csv").sentences[1].startswith("0 comparisons")
