"""Topics: the arithmetic of LACES' table 1 by hand, most frequent associations, intervals, labels in every shape."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.curate.topics import (
    NO_TOPIC,
    analyze_topics,
    read_mentions,
    share_interval,
)
from endoxa.errors import UserError
from endoxa.stats.intervals import wilson


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# Ten rows: food 5 (2 in, 2 out, 1 not known), traits 3 (0 in, 3 out), sports 1 (1 in), none 1.
SAID = """identity,attribute,in_group
Chileans,piscola,true
Chileans,piscola,true
Chileans,piscola,false
Peruvians,ceviche,no
Peruvians,ceviche,
Germans,rigid,false
Germans,rigid,false
Italians,loud,out-group
Chileans,football,in-group
Chileans,something,true
"""
LABELS = "attribute,topic\nPiscola,food\nceviche.,food\nrigid,traits\nloud,traits\nfootball,sports\n"


@pytest.fixture
def found(tmp_path):
    said = read_mentions(written(tmp_path, "said.csv", SAID), written(tmp_path, "labels.csv", LABELS))
    return analyze_topics(said)


def test_table_by_hand(found):
    assert found["topic"].to_list() == ["food", "traits", "sports", NO_TOPIC]
    assert found["n"].to_list() == [5, 3, 1, 1]
    assert found["share"].to_list()[:3] == pytest.approx([5 / 9, 3 / 9, 1 / 9])
    assert found["share"][3] is None
    assert found["n_in_group"].to_list() == [2, 0, 1, 1]
    assert found["n_out_group"].to_list() == [2, 3, 0, 0]
    assert found["in_group_share"].to_list() == [0.5, 0.0, 1.0, 1.0]
    assert found["most_frequent_attribute"].to_list()[:3] == ["piscola", "rigid", "football"]
    assert found["most_frequent_n"].to_list() == [3, 2, 1, 1]
    assert set(found["dataset"]) == {"said"}


def test_without_people_intervals_are_wilsons_at_the_edges_too(found):
    rows = {row["topic"]: row for row in found.iter_rows(named=True)}
    food, traits, sports = (wilson(*counts, 0.95) for counts in ((5, 9), (0, 3), (1, 1)))
    assert (rows["food"]["low"], rows["food"]["high"]) == pytest.approx((food.low, food.high))
    assert (rows["traits"]["in_group_low"], rows["traits"]["in_group_high"]) == (
        0,
        pytest.approx(traits.high),
    )
    assert (rows["sports"]["in_group_low"], rows["sports"]["in_group_high"]) == (pytest.approx(sports.low), 1)
    assert rows["food"]["interval"] == "wilson"


def test_support_is_how_often_a_row_counts(tmp_path):
    table = written(
        tmp_path, "t.csv", "identity,attribute,topic,support\nP,a,x,7\nP,b,y,2.0\nP,c,y,0\nP,d,y,1\n"
    )
    found = analyze_topics(read_mentions(table))
    assert dict(found.select("topic", "n").iter_rows()) == {"x": 7, "y": 3}
    assert found["share"][0] == pytest.approx(0.7)


def test_people_are_resampled_where_they_are_known():
    """Of 20 people 6 speak of nothing else, ten times each: as certain as 20 answers, not as 200."""
    said = pl.DataFrame(
        {
            "topic": ["x"] * 60 + ["y"] * 140,
            "person": [f"r{place // 10}" for place in range(200)],
            "weight": [1] * 200,
        }
    )
    resampled, method = share_interval(said, pl.col("topic") == "x", 0.95)
    assert method == "people"
    assert resampled.low < wilson(60, 200, 0.95).low - 0.05
    assert resampled.high > wilson(60, 200, 0.95).high + 0.05


def test_labels_as_author_label_writes_them(tmp_path):
    """By the association's name; rows without one are called by their number there, so their words decide."""
    data = written(tmp_path, "a.csv", "association_id,identity,attribute\na1,P,lazy\na2,Q,lazy\na3,P,kind\n")
    head = "draft_id,task,status,source_ids,text,scheme,label\n"
    labels = written(
        tmp_path,
        "l.csv",
        f"{head}label-a1,label,draft,a1,lazy,topics,traits\nlabel-a2,label,approved,a2,lazy,topics,economy\n"
        "label-a3,label,rejected,a3,kind,topics,food\n",
    )
    said = read_mentions(data, labels)
    assert said["topic"].to_list() == ["traits", "economy", ""]
    assert said["draft"].to_list() == [True, False, False]
    assert analyze_topics(said)["n_draft"].to_list() == [0, 1, 0]
    numbered = written(tmp_path, "n.csv", f"{head}label-1,label,draft,1,kind,topics,traits\n")
    other = written(tmp_path, "b.csv", "identity,attribute\nP,lazy\nP,Kind\n")
    assert read_mentions(other, numbered)["topic"].to_list() == ["", "traits"]


def test_identity_and_attribute_come_before_attribute_alone(tmp_path):
    labels = written(tmp_path, "l.csv", "identity,attribute,topic\nP,hot,weather\n,hot,food\n")
    table = written(tmp_path, "t.csv", "identity,attribute\nP,hot\nQ,hot\n")
    assert read_mentions(table, labels)["topic"].to_list() == ["weather", "food"]


def test_an_export_gives_what_people_said_by_themselves(tmp_path):
    """In-group: the pair's country is one that the person named. 'other' and nobody: not known."""
    folder = tmp_path / "export"
    folder.mkdir()
    written(
        folder,
        "pairs.csv",
        "association_id,identity,attribute,country,topic,support\n"
        "p1,Chileans,piscola,CL,food,3\np2,Germans,rigid,DE,,2\np3,Swiss,rich,CH,,0\n",
    )
    written(folder, "people.csv", "rater,country,consent\nr1,CL,1\nr2,AR; DE,1\nr3,other,1\nr4,,1\n")
    written(
        folder,
        "mentions.csv",
        "row_id,association_id,rater,counted\n"
        "1,p1,r1,true\n2,p1,r2,true\n3,p1,r3,true\n4,p2,r2,true\n5,p2,,true\n6,p2,r1,false\n",
    )
    own = analyze_topics(read_mentions(folder))
    assert own.select("topic", "n", "n_in_group", "n_out_group").rows() == [
        ("food", 3, 1, 1),
        (NO_TOPIC, 2, 1, 0),
    ]
    labels = written(tmp_path, "l.csv", "association_id,topic\np2,traits\np1,food\n")
    both = analyze_topics(read_mentions(folder, labels))
    assert both.select("topic", "n").rows() == [("food", 3), ("traits", 2)]
    assert set(both["dataset"]) == {"export"}


def test_an_export_of_few_people_has_topics_and_no_in_group_share(tmp_path):
    """Exports name nobody of a small group, so the table of people has column names only."""
    folder = tmp_path / "export"
    folder.mkdir()
    pairs = "association_id,identity,attribute,country,topic\np1,Chileans,piscola,CL,food\np2,Swiss,rich,CH,money\n"
    written(folder, "pairs.csv", pairs)
    written(folder, "people.csv", "rater,country,consent\n")
    written(
        folder, "mentions.csv", "row_id,association_id,rater,counted\n1,p1,,true\n2,p1,,true\n3,p2,,true\n"
    )
    topics = analyze_topics(read_mentions(folder))
    assert topics.select("topic", "n", "n_in_group").rows() == [("food", 2, 0), ("money", 1, 0)]
    assert topics["in_group_share"].null_count() == topics.height
    written(folder, "mentions.csv", "row_id,association_id,rater,counted\n")
    with pytest.raises(UserError, match="no association that anybody said"):
        read_mentions(folder)
