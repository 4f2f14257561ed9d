"""Two editions side by side: planted changes, none where nothing changed, counts, campaigns, the command."""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.sources.frames import write_table
from endoxa.study.compare.editions.comparison import compare_editions

SHARES = np.array([0.5, 0.4, 0.3, 0.3, 0.2, 0.2, *[0.1] * 10, *[0.03] * 30])
"""Of respondents who say each association: a few that many say, many that few say."""


def edition(rng, path, shares=SHARES, n=60, country=None, prefix="r"):
    """Statements of n respondents; each has a leaning of its own to say much or little."""
    talkative = rng.beta(4, 4, n) * 2
    said = rng.random((n, len(shares))) < np.clip(talkative[:, None] * shares, 0, 1)
    rows = [
        {
            "respondent": f"{prefix}{person}",
            "identity": f"group {k % 7}",
            "attribute": f"attribute {k}",
            "axis": "work",
            "country": country[person] if country is not None else "",
        }
        for person, k in np.argwhere(said)
    ]
    write_table(pl.DataFrame(rows), path)
    return path


def row(comparison, k):
    return comparison.changes.row(by_predicate=pl.col("attribute") == f"attribute {k}", named=True)


def kept(comparison):
    return comparison.changes.filter(status="kept").height


def test_a_planted_change_is_recovered(tmp_path):
    rng = np.random.default_rng(0)
    later = SHARES.copy()
    later[[0, 4]] = 0.1, 0.6
    paths = [
        edition(rng, tmp_path / "a.csv", n=150),
        edition(rng, tmp_path / "b.csv", later, n=150, prefix="s"),
    ]
    comparison = compare_editions(paths)
    clear = comparison.changes.filter(pl.col("verdict").is_in(["above", "below"]))
    assert set(clear["attribute"]) == {"attribute 0", "attribute 4"}
    assert (row(comparison, 0)["verdict"], row(comparison, 4)["verdict"]) == ("below", "above")
    assert row(comparison, 4)["low"] < 0.4 < row(comparison, 4)["high"]


def test_languages_are_joined_and_attributes_grouped(tmp_path):
    (tmp_path / "a.csv").write_text(
        "respondent,identity,identity_key,attribute,language,statement,original_statement\n"
        "1,femmes,women,kind,en,x,y\n2,femmes,women,nice,en,x,y\n"
    )
    (tmp_path / "b.csv").write_text("respondent,identity,attribute\n1,Women,kind\n2,women,kind\n")
    (tmp_path / "g.csv").write_text("attribute,group_id,canonical\nkind,1,kind\nnice,1,kind\n")
    comparison = compare_editions([tmp_path / "a.csv", tmp_path / "b.csv"], groups=tmp_path / "g.csv")
    assert comparison.changes.select("status", "n_before", "n_after").rows() == [("kept", 2, 2)]


def test_counts_say_what_is_assumed(tmp_path):
    for name, support in (("a", (30, 10)), ("b", (10, 12))):
        write_table(
            pl.DataFrame(
                {"identity": ["x", "y"], "attribute": ["k", "l"], "support": list(map(str, support))}
            ),
            tmp_path / f"{name}.csv",
        )
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    by_mentions = compare_editions(paths)
    assert "fewer mentions in" in by_mentions.sentences[0]
    assert "count as independent" in by_mentions.notes[-1]
    given = compare_editions(paths, respondents=(50, 60))
    assert "respondents" in given.sentences[0]
    assert "Assumed" in given.notes[-1]
    assert given.changes["share_before"].to_list() == [30 / 50, 10 / 50]


def test_exports_of_campaigns_and_releases(tmp_path):
    release = tmp_path / "release" / "data"
    release.mkdir(parents=True)
    columns = {"identity": ["x"], "attribute": ["k"], "ratings": ["40"]}
    write_table(pl.DataFrame({**columns, "knowers": ["0.75"]}), tmp_path / "pairs.csv")
    write_table(pl.DataFrame({**columns, "knowers": ["0.25"]}), release / "associations.csv")
    comparison = compare_editions([tmp_path / "pairs.csv", tmp_path / "release"])
    assert "said by more raters" in comparison.sentences[0]
    assert comparison.changes.select("n_before", "n_after", "total_after", "verdict").rows() == [
        (30, 10, 40, "below")
    ]
