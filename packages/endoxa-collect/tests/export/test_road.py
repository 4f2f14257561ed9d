"""From a campaign in each language to the items of every instrument and a study, without touching a column."""

from __future__ import annotations

import json
from itertools import islice

import polars as pl
import pytest
from typer.testing import CliRunner

from collect_support.filled_campaign import give_mention, give_rating
from endoxa.commands import app
from endoxa.curate.normalise.identity import normal_identity
from endoxa.words.countries import people_of
from endoxa_collect.entry.seeding import add_seeds
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import Pair
from endoxa_collect.presets import load_preset

COMPLETE = 0.95
SENTENCES = 0.9
"""Least shares of a campaign's sayings of which questions and pairs are made; Arabic leaves most out."""


def endoxa(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_campaign_goes_to_items_and_a_study_as_it_was_exported(
    make_campaign, make_person, tmp_path, language
):
    loaded = load_preset(f"school:{language}")
    campaign = make_campaign("school", **json.loads(loaded.settings.model_dump_json()))
    add_seeds(campaign, loaded.seeds)
    people = [
        make_person(campaign, f"p{number}", origins=["KE"], languages=[language]) for number in range(6)
    ]
    for pair in islice(Pair.objects.filter(country="KE").order_by("pk"), 4):
        for number, person in enumerate(people):
            if number:
                give_mention(person, pair, pair.attribute)
            else:
                give_rating(person, pair, 4)
    export_campaign(campaign, tmp_path / "export")
    source = tmp_path / "export" / "pairs.csv"
    said = pl.read_csv(source, infer_schema=False)
    countries = dict(said.select("association_id", "country").iter_rows())
    assert said.filter(support="5").height == 4
    assert set(said.filter(support="5")["region"]) == {"KE"}

    endoxa("build", "pairs", source, "--min-support", "0", "-o", tmp_path / "pairs.csv")
    pairs = pl.read_csv(tmp_path / "pairs.csv", infer_schema=False)
    assert pairs.height >= SENTENCES * said.height
    assert all(countries[name] == country for name, country in pairs["association_id", "country"].iter_rows())
    assert set(pairs["language"]) == {language}
    keys = {country: normal_identity(people_of(country, "en")) for country in set(countries.values())}
    assert all(keys[country] == key for country, key in pairs["country", "identity_key"].iter_rows())
    assert set(pairs.filter(pl.col("region") != "")["region"]) == {"KE"}

    endoxa("build", "qa", source, "--language", language, "-o", tmp_path / "questions.jsonl")
    lines = (tmp_path / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = {json.loads(line)["additional_metadata"]["association_id"] for line in lines}
    assert asked <= countries.keys()
    assert len(asked) >= COMPLETE * said.height
    endoxa("study", "init", tmp_path / "study", "--from", source)
    assert "Next: endoxa study run" in endoxa("study", "run", tmp_path / "study", "--plan")
