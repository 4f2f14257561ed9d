"""Campaigns to start from: complete in every language, mild, and read by the rest of the road."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import combinations, product

import pytest
from pydantic import ValidationError

from endoxa.errors import UserError
from endoxa_collect.campaign import UI_LANGUAGES, CampaignSettings
from endoxa_collect.contributor.progress import TOPICS
from endoxa_collect.contributor.survey import example_for
from endoxa_collect.entry.cleaning import clean, comparable, key
from endoxa_collect.entry.proposing import CUT_OFF, likeness
from endoxa_collect.entry.seeding import add_seeds
from endoxa_collect.entry.words import flags
from endoxa_collect.models import Pair
from endoxa_collect.presets import load_preset, preset_names

preset = cache(load_preset)


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
    tables = dict(texts_of(preset(name).settings.model_dump()))
    assert len(tables) >= 7
    for where, texts in tables.items():
        assert set(texts) == set(UI_LANGUAGES), where
        assert all(text == text.strip() and text for text in texts.values()), where
        if len(texts["en"]) > 30:
            assert len(set(texts.values())) == len(texts), where
        assert len({len(text.splitlines()) for text in texts.values()}) == 1, where
        if re.search(r"\bvo(us|tre|s)\b", texts["fr"]):
            assert not re.search(r"\b(tu|te|toi|ton|ta|tes)\b", texts["fr"]), where


@pytest.mark.slow
def test_a_preset_with_some_languages_has_only_words_in_these():
    whole, some = preset("school"), load_preset("school:en, sw")
    assert some.settings.data_languages == ("en", "sw")
    assert some.settings.ui_languages == ("en", "sw")
    assert set(whole.settings.ui_languages) == set(UI_LANGUAGES)
    assert preset("laces").settings.ui_languages == ("es", "en", "pt")
    assert load_preset("laces:es,pt").settings.ui_languages == ("es", "pt")
    assert some.seeds == tuple(seed for seed in whole.seeds if seed.language in {"en", "sw"})
    for wrong, told in (
        ("school:xx", "no language 'xx'"),
        ("school:", "no language ''"),
        ("rivers", r"Unknown preset 'rivers' \(available: afristereo, laces, panel, school\)"),
    ):
        with pytest.raises(UserError, match=told):
            load_preset(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laces", "school"])
def test_seeds_are_mild_clean_of_every_topic_and_about_every_country(make_campaign, name):
    loaded = preset(name)
    settings, seeds = loaded.settings, loaded.seeds
    assert {seed.country for seed in seeds} == set(settings.countries)
    assert max(Counter(seed.topic for seed in seeds).values()) <= 0.3 * len(seeds)
    assert all(clean(seed.attribute) == seed.attribute for seed in seeds)
    assert not [seed.attribute for seed in seeds if flags(seed.attribute, seed.language, settings)]
    cells = defaultdict(list)
    for seed in seeds:
        form = comparable(key(seed.attribute, seed.language), seed.language)
        cells[seed.country, seed.language].append(form)
    assert not any(likeness(*two) >= CUT_OFF for forms in cells.values() for two in combinations(forms, 2))
    campaign = make_campaign("sea", countries=settings.countries, data_languages=settings.data_languages)
    assert add_seeds(campaign, seeds).duplicates == ()
    assert not any(pair.flags for pair in Pair.objects.all())


def test_seeds_start_the_cards_in_the_language_of_each_country_and_in_english():
    loaded = preset("laces")
    languages = Counter((seed.country, seed.language) for seed in loaded.seeds)
    for country in loaded.settings.countries:
        assert languages[country, "pt" if country == "BR" else "es"] >= 14, country
        assert languages[country, "en"] >= 3, country
        unkind = [seed for seed in loaded.seeds if seed.country == country and seed.negative]
        assert 2 <= len(unkind) <= 6, country
    assert {seed.topic for seed in loaded.seeds} == set(TOPICS)
    assert all(seed.negative is not None for seed in loaded.seeds)


def test_the_school_asks_minors_nothing_sensitive_and_starts_kind():
    settings, seeds = preset("school").settings, preset("school").seeds
    assert (settings.guardian, settings.moderation) == (True, "before")
    assert (settings.profile, settings.questions) == ((), ())
    assert {seed.topic for seed in seeds} <= set(TOPICS) - {"Politics & Governance", "Negative Traits"}
    assert all(seed.negative is False for seed in seeds)
    counts = Counter((seed.country, seed.language) for seed in seeds)
    assert set(counts) == set(product(settings.countries, settings.ui_languages))
    assert min(counts.values()) >= 14


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("profile", {"name": "home_religion"}),
        ("profile", {"label": {"en": "Do you go to church?"}}),
        ("questions", {"axis": "Sexual orientation"}),
        ("questions", {"identity": "Girls"}),
        ("questions", {"text": {"en": "What is said about people with a DISABILITY?", "es": "¿?"}}),
    ],
)
def test_minors_are_asked_nothing_sensitive_in_other_words(kind, changes):
    content = preset("school").settings.model_dump(mode="json")
    pets = {"name": "pets", "label": {"en": "Do you have a pet?"}, "purpose": {"en": "To compare."}}
    pets["choices"] = {"yes": {"en": "Yes"}, "no": {"en": "No"}}
    sports = {"name": "sports", "axis": "sports", "text": {"en": "What is said about tracing and partying?"}}
    harmless = {"profile": pets, "questions": sports}[kind]
    CampaignSettings.model_validate({**content, kind: [harmless]})
    asked = {**harmless, **changes}
    with pytest.raises(ValidationError, match=f"Minors are not asked about “{asked['name']}”"):
        CampaignSettings.model_validate({**content, kind: [asked]})


def test_the_survey_asks_as_afristereo_and_curate_knows_the_questions():
    settings = preset("afristereo").settings
    assert not settings.cards
    told = files("endoxa.curate.survey").joinpath("presets/afristereo.toml").read_text(encoding="utf-8")
    published = [
        (one["name"], one["axis"], one.get("identity", "")) for one in tomllib.loads(told)["question"]
    ]
    assert [(one.name, one.axis, one.identity) for one in settings.questions] == published
    for question in settings.questions:  # with an example from each country
        shown = [example_for(question, [country], [], "en") for country in ("NG", "KE", "SN", "JP")]
        assert len(set(shown)) == 4
        assert all(shown)
    assert all(field.purpose["en"] for field in settings.profile)
