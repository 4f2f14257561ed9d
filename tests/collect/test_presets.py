"""Campaigns to start from: complete in every language, mild, and read by the rest of the road."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files

import pytest
from pydantic import ValidationError

from endoxa.collect import geography
from endoxa.collect.campaign import UI_LANGUAGES, CampaignSettings
from endoxa.collect.contributor.cards.services import TOPICS
from endoxa.collect.contributor.survey import example_for
from endoxa.collect.entry.cleaning import clean
from endoxa.collect.entry.seeding import add_seeds, preview_seeds
from endoxa.collect.models import Pair
from endoxa.collect.presets import load_preset, preset_names
from endoxa.errors import UserError


def texts_of(node: object, where: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Every table of texts by language, with its place."""
    if isinstance(node, dict):
        if "en" in node and all(isinstance(value, str) for value in node.values()):
            yield where, node
        else:
            for key, child in node.items():
                yield from texts_of(child, f"{where}.{key}")
    elif isinstance(node, list | tuple):
        for index, child in enumerate(node):
            yield from texts_of(child, f"{where}[{index}]")


@pytest.mark.parametrize("name", preset_names())
def test_every_text_is_there_in_every_language(name):
    tables = dict(texts_of(load_preset(name).settings.model_dump()))
    assert len(tables) >= 7
    for where, texts in tables.items():
        assert set(texts) == set(UI_LANGUAGES), where
        assert all(text == text.strip() and text for text in texts.values()), where


@pytest.mark.parametrize("name", preset_names())
def test_longer_texts_differ_between_languages_and_have_as_many_lines(name):
    for where, texts in texts_of(load_preset(name).settings.model_dump()):
        if len(texts["en"]) > 30:
            assert len(set(texts.values())) == len(texts), where
        assert len({len(text.splitlines()) for text in texts.values()}) == 1, where


@pytest.mark.parametrize("name", preset_names())
def test_whoever_runs_it_is_left_to_fill_in_and_places_are_known(name):
    settings = load_preset(name).settings
    assert (settings.organisation, settings.contact) == ("", "")
    assert (settings.minimum_age, settings.maximum_age) == ((13, 17) if name == "school" else (18, 0))
    assert set(settings.countries) <= set(geography.codes())
    assert all(geography.language_name(code, "en") != code for code in settings.data_languages)


@pytest.mark.parametrize("name", preset_names())
def test_people_may_write_in_every_language_of_the_pages(name):
    settings = load_preset(name).settings
    assert set(settings.ui_languages) <= set(settings.data_languages)


def test_an_unknown_preset_is_refused_with_the_names():
    with pytest.raises(
        UserError, match=r"Unknown preset 'rivers' \(available: afristereo, laces, panel, school\)"
    ):
        load_preset("rivers")


def test_sixty_seeds_start_the_cards_spread_over_all_countries_and_languages(make_campaign):
    preset = load_preset("laces")
    settings, seeds = preset.settings, preset.seeds
    assert len(seeds) == 60
    assert {seed.country for seed in seeds} == set(settings.countries)
    assert {seed.language for seed in seeds} == {"es", "en", "pt"}
    assert {seed.topic for seed in seeds} <= set(TOPICS)
    assert max(Counter(seed.topic for seed in seeds).values()) <= settings.sampler.topic_cap * len(seeds)
    assert 0 < sum(seed.negative is True for seed in seeds) < 10
    assert all(clean(seed.attribute) == seed.attribute for seed in seeds)
    campaign = make_campaign("sea", countries=settings.countries, data_languages=settings.data_languages)
    report = preview_seeds(campaign, seeds)
    assert (report.added, report.duplicates, report.alike) == (60, (), ())
    add_seeds(campaign, seeds)
    assert Pair.objects.count() == 60


def test_the_school_asks_minors_nothing_sensitive_and_starts_kind(make_campaign):
    preset = load_preset("school")
    settings, seeds = preset.settings, preset.seeds
    assert (settings.guardian, settings.moderation, settings.profile, settings.questions) == (
        True,
        "before",
        (),
        (),
    )
    assert {seed.country for seed in seeds} == set(settings.countries)
    assert {seed.language for seed in seeds} == set(settings.ui_languages)
    assert {seed.topic for seed in seeds} <= set(TOPICS) - {"Politics & Governance", "Negative Traits"}
    assert all(seed.negative is False for seed in seeds)
    campaign = make_campaign("sea", countries=settings.countries, data_languages=settings.data_languages)
    report = preview_seeds(campaign, seeds)
    assert (report.added, report.duplicates, report.alike) == (36, (), ())
    add_seeds(campaign, seeds)
    assert not any(pair.flags or pair.negative for pair in Pair.objects.all())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"minimum_age": 18, "maximum_age": 19}, "set minimum_age between 1 and 17"),
        ({"minimum_age": 0}, "set minimum_age between 1 and 17"),
        ({"maximum_age": 0}, "set maximum_age to 17 or less"),
        ({"maximum_age": 12}, "maximum_age 12 is below minimum_age 13"),
        ({"texts": {"guardian": {}}}, "needs texts.guardian"),
        ({"profile": "religion"}, "minors are not asked about 'religion'"),
    ],
)
def test_settings_of_a_school_that_contradict_each_other_are_refused(changes, sentence):
    content = load_preset("school").settings.model_dump(mode="json")
    if "texts" in changes:
        changes = {"texts": {**content["texts"], **changes["texts"]}}
    if "profile" in changes:
        fields = load_preset("afristereo").settings.model_dump(mode="json")["profile"]
        changes = {"profile": [field for field in fields if field["name"] == "religion"]}
    with pytest.raises(ValidationError, match=sentence) as caught:
        CampaignSettings.model_validate({**content, **changes})
    assert len(caught.value.errors()) == 1


def test_the_survey_asks_as_afristereo_and_curate_knows_the_questions():
    settings = load_preset("afristereo").settings
    assert not settings.cards
    told = files("endoxa.curate.survey").joinpath("presets/afristereo.toml").read_text(encoding="utf-8")
    published = [
        (one["name"], one["axis"], one.get("identity", "")) for one in tomllib.loads(told)["question"]
    ]
    assert [(one.name, one.axis, one.identity) for one in settings.questions] == published


def test_examples_come_from_each_country_of_the_survey():
    settings = load_preset("afristereo").settings
    for question in settings.questions:
        shown = [example_for(question, [country], [], "en") for country in ("NG", "KE", "SN", "JP")]
        assert len(set(shown)) == 4
        assert all(shown)


def test_profile_fields_are_choices_with_a_purpose():
    fields = load_preset("afristereo").settings.profile
    assert [field.name for field in fields] == ["gender", "age_range", "work", "religion", "residence"]
    assert all(field.purpose["en"] for field in fields)
