"""The pages of the settings accept what the models of the settings accept, and nothing else."""

from __future__ import annotations

import math

import pytest
from django.forms import BaseFormSet
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from collect_support.samples import campaign_settings
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.organiser.setting_forms import SECTIONS
from endoxa_collect.sampler import SamplerSettings

pytestmark = pytest.mark.slow

PERCENT = {"topup", "calibration", "prompt", "prompt_early", "candidate_share"}
NUMBERS = ("minutes", "expected_people", "minimum_age")
ENTRY = {
    "questions": {"name": "food", "axis": "country", "text": {"en": "What of food?"}},
    "profile": {
        "name": "age",
        "label": {"en": "Your age"},
        "purpose": {"en": "To compare"},
        "choices": {"young": {"en": "young"}, "old": {"en": "old"}},
    },
}


def sent(form, **typed):
    """What a browser sends for a form as it is shown, but for what is typed."""
    parts = [form.management_form, *form.forms] if isinstance(form, BaseFormSet) else [form]
    values = {part.add_prefix(name): part[name].value() for part in parts for name in part.fields}
    data = QueryDict(mutable=True)
    for name, value in {**values, **typed}.items():
        if isinstance(value, list | tuple):
            data.setlist(name, value)
        elif value is not None and value is not False:
            data[name] = str(value)
    return data


def model_takes(**changed):
    try:
        CampaignSettings.model_validate({**campaign_settings().model_dump(mode="json"), **changed})
    except ValidationError:
        return False
    return True


def form_takes(section, settings=None, **typed):
    page, base = SECTIONS[section], settings or campaign_settings()
    form = page.form(base, sent(page.form(base, None), **typed))
    return page.checked(form, base) is not None


def sampler_taken(**numbers):
    """Whether the model takes them, and whether the form does."""
    typed = {name: repr(100 * value) if name in PERCENT else repr(value) for name, value in numbers.items()}
    sampler = {**SamplerSettings().model_dump(), **numbers}
    return model_takes(sampler=sampler), form_takes("cards", **typed)


def edges(schema):
    """Numbers at the limits, just inside and just outside, and some that are no number of a kind."""
    found = [0, 1, -1, 7, 0.5, 2.5, 1e9, math.inf, math.nan]
    for limit in ("minimum", "exclusiveMinimum", "maximum"):
        for step in (1, 1e-9):
            found += [schema[limit] + step * way for way in (-1, 0, 1)] if limit in schema else []
    return found


NAMES = sorted(SamplerSettings.model_fields.keys() - {"second_mention", "rule"})


@pytest.mark.parametrize("name", [*NAMES, *NUMBERS])
def test_limits_of_numbers_are_those_of_their_page(name):
    def taken(value):
        if name in NAMES:
            return sampler_taken(**{name: value})
        return model_takes(**{name: value}), form_takes("general", **{name: repr(value)})

    model = SamplerSettings if name in NAMES else CampaignSettings
    answers = {value: taken(value) for value in edges(model.model_json_schema()["properties"][name])}
    assert {value: pair for value, pair in answers.items() if pair[0] != pair[1]} == {}
    assert {pair[0] for pair in answers.values()} == {True, False}


@given(st.fixed_dictionaries({}, optional={
    "k": st.integers(0, 60), "k_max": st.integers(0, 210), "own_slots": st.integers(-1, 60),
    "near_slots": st.integers(-1, 60), "disagreement": st.floats(-1, 5), "calibration": st.floats(),
    "candidate_share": st.floats(-0.1, 1.1), "prompt": st.floats(-0.1, 1.1),
}))  # fmt: skip
def test_any_numbers_are_taken_by_both_or_by_neither(numbers):
    model, form = sampler_taken(**numbers)
    assert model == form


def choices(count, length=3):
    """So many answers to choose from, with names of this length: as the settings hold them and as they are typed."""
    names = [f"{number:02}".rjust(length, "k") for number in range(count)]
    return {name: {"en": "words"} for name in names}, "\n".join(f"{name} | words" for name in names)


@pytest.mark.parametrize(
    ("section", "field", "words", "valid"),
    [
        ("questions", "name", "a" * 31, True),
        ("questions", "name", "a" * 32, False),
        ("questions", "name", "1a", False),
        ("questions", "identity", "a" * 61, False),
        ("questions", "text", "a" * 2_001, False),
        ("profile", "choices", choices(1), False),
        ("profile", "choices", choices(21), False),
        ("profile", "choices", choices(2, 31), False),
    ],
)
def test_entries_are_as_the_model_allows(section, field, words, valid):
    entry = ENTRY[section]
    settings = campaign_settings(**{section: [entry]})
    stored, typed = words if field == "choices" else (words, words)
    by_language = isinstance(entry.get(field), dict)
    changed = {**entry, field: {"en": stored} if by_language and field != "choices" else stored}
    assert model_takes(**{section: [changed]}) == valid
    name = f"form-0-{field}-en" if by_language else f"form-0-{field}"
    assert form_takes(section, settings, **{name: typed}) == valid
