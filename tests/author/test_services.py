"""Engines of translation that are no chat models."""

from __future__ import annotations

import polars as pl

from endoxa.author.drafting import draft
from endoxa.author.settings import TranslateSettings


def test_tables_and_chat_models_are_candidates_together(tmp_path):
    data = tmp_path / "pairs.csv"
    pl.DataFrame({"sent_more": ["Women are loud."], "sent_less": ["Women are quiet."]}).write_csv(data)
    words = tmp_path / "words.csv"
    words.write_text("original,translation\nWomen are loud.,same\nWomen are quiet.,same\n")
    table = f"table:{words}"
    settings = TranslateSettings(data=str(data), to="hi", services=(table,), models=("sim/author-faultless",))
    outcome = draft("translate", settings, tmp_path / "c.csv")
    row = pl.read_csv(tmp_path / "c.csv").row(0, named=True)
    assert row[f"candidate_{table}_more"] == "same"
    assert row[f"checks_{table}"] == "identical-now"
    assert row["candidate_sim/author-faultless_more"] == "nemoW era .duol"
    assert outcome.made.yields["model"].to_list() == ["sim/author-faultless", table]


def test_what_an_engine_cannot_translate_is_counted(tmp_path):
    data = tmp_path / "pairs.csv"
    pl.DataFrame({"sent_more": ["a", "b"], "sent_less": ["c", "d"]}).write_csv(data)
    words = tmp_path / "words.csv"
    words.write_text("original,translation\na,x\nc,y\nb,z\n")
    settings = TranslateSettings(data=str(data), to="hi", services=(f"table:{words}",))
    made = draft("translate", settings, tmp_path / "c.csv").made
    assert made.yields.select("asked", "failed", "drafts").row(0) == (2, 1, 1)
    assert pl.read_csv(tmp_path / "c.csv")[f"candidate_table:{words}_more"].fill_null("").to_list() == [
        "x",
        "",
    ]
