"""Ratings of LACES' release, as they are published."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.curate.ratings import read_ratings

RELEASE = """\
annotator_nationalities,annotator_regions,annotator_understood_languages,data_point_nationality,data_point_attribute,\
data_point_language,stereotype_score,new_association
"['Uruguay', 'Peru']",[],['en'],Peru,spoken,en,1.0,False
['Uruguay'],[],['en'],Peru,spoken,en,5.0,True
['Peru'],[],['es'],Uruguay,hablado,es,,True
"[""Cote d'Ivoire""]",[],['es'],Cote d'Ivoire,hablado,es,3.0,True
[],[],['es'],Uruguay,hablado,es,4.0,False
"""


def test_a_rater_is_of_the_group_by_any_nationality_and_rows_without_a_rating_go(tmp_path, caplog):
    path = tmp_path / "LACES_DATASET.csv"
    path.write_text(RELEASE, encoding="utf-8")
    table = read_ratings(path)
    assert table.select("identity", "attribute", "rating", "in_group").rows() == [
        ("Peru", "spoken", 1.0, True),
        ("Peru", "spoken", 5.0, False),
        ("Cote d'Ivoire", "hablado", 3.0, True),
        ("Uruguay", "hablado", 4.0, False),
    ]
    assert set(table["rater"]) == {""}
    assert "1 row without a rating left out" in caplog.text


@pytest.mark.parametrize("columns", [("attribute", "topic"), ("text", "label")], ids=["topics", "labels"])
def test_topics_come_from_a_table_or_from_labels_of_models(tmp_path, columns):
    """`endoxa author label` writes text and label; a row without a label says nothing."""
    path, topics = tmp_path / "LACES_DATASET.csv", tmp_path / "topics.csv"
    path.write_text(RELEASE, encoding="utf-8")
    rows = [("spoken", "language"), ("hablado", "")]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(topics)
    assert read_ratings(path, topics)["topic"].to_list() == ["language", "language", "", ""]


def test_the_published_sample_is_read(shared):
    """Counted with cut and sort: 40 rows, one without a rating; 13 are of the rater's own nation."""
    table = read_ratings(shared / "data/published/laces/sample40.csv")
    assert (table.height, table["in_group"].sum()) == (39, 13)
