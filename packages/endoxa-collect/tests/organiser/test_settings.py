"""Settings by page: round trips, versions, conflicts, errors beside their fields."""

from __future__ import annotations

import html
import tomllib
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from django.forms import BaseFormSet
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone, translation

from collect_support.samples import campaign_settings
from collect_support.stored import stored_card
from endoxa.errors import UserError
from endoxa_collect.campaign import (
    CampaignTexts,
    read_settings,
)
from endoxa_collect.cards.counts import recount_needs
from endoxa_collect.geography import country_names, language_names
from endoxa_collect.models import AuditEntry, CardState, Pair, Role, SettingsVersion
from endoxa_collect.organiser.setting_forms import SECTIONS, code_of
from endoxa_collect.sampler.slots import SamplerSettings, need

pytestmark = pytest.mark.slow

RICH = {
    "help_lines": [{"country": "AR", "name": "Line", "contact": "102"}, {"name": "All", "contact": "555"}],
    "watch_words": ("rain", "snow"),
    "profile": [
        {
            "name": "age",
            "label": {"en": "Your age", "es": "Tu edad"},
            "purpose": {"en": "To compare"},
            "choices": {"young": {"en": "under 30", "es": "menos de 30"}, "old": {"en": "30 or more"}},
        }
    ],
    "questions": [
        {
            "name": "food",
            "axis": "country",
            "text": {"en": "What do people say about food?", "es": "¿Qué se dice?"},
            "examples": {"AR": {"en": "People drink mate"}, "": {"en": "People eat rice", "es": "Arroz"}},
        },
        {"name": "music", "axis": "country", "identity": "singers", "text": {"en": "And about music?"}},
    ],
    "survey": True,
    "retention": "2027-05-01",
    "ui_languages": ("en", "es"),
}


SCHOOL = {
    "guardian": True,
    "minimum_age": 13,
    "maximum_age": 17,
    "profile": (),
    "texts": {**campaign_settings().texts.model_dump(), "guardian": {"en": "Your child may take part."}},
}


@pytest.fixture
def river(make_campaign):
    return make_campaign("river", **RICH)


@pytest.fixture
def organiser(client, river, make_account):
    client.force_login(make_account("ana", river, Role.ORGANISER))
    return client


def address(section):
    return reverse("organiser:settings_section", args=["river", section])


def shown(form):
    """What a browser would send back for a form as it is shown."""
    if isinstance(form, BaseFormSet):
        parts = [form.management_form, *form.forms]
        return {name: value for part in parts for name, value in shown(part).items()}
    values = {form.add_prefix(name): form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def as_sent(campaign, section, **typed):
    form = SECTIONS[section].form(campaign.settings, None)
    return {**shown(form), "base": campaign.version, **typed}


@pytest.fixture
def save_page(organiser, river):
    """A function that sends a page of the settings as it is shown, but for what is typed; the answer."""

    def send(section, follow=False, **typed):
        response = organiser.post(address(section), as_sent(river, section, **typed), follow=follow)
        river.refresh_from_db()
        return response

    return send


def read(response):
    """The words of a page, with one space between them."""
    return " ".join(html.unescape(response.content.decode()).split())


@pytest.mark.parametrize("section", SECTIONS)
def test_a_page_sent_back_as_it_was_changes_nothing(save_page, river, section):
    response = save_page(section)
    assert response.status_code == 302, response.context["form"].errors
    assert (river.version, SettingsVersion.objects.count()) == (1, 1)
    assert not AuditEntry.objects.exists()


BAKERS = {"form-2-name": "work", "form-2-axis": "profession", "form-2-text-en": "What of bakers?"}
LINES = [
    {"country": "CL", "name": "Fono", "contact": "600"},
    {"country": "", "name": "Everyone", "contact": "112"},
]
EXAMPLES = {"AR": {"en": "People drink mate"}, "": {"en": "People eat rice"}, "CL": {"es": "Poesía"}}


@pytest.mark.parametrize(
    ("section", "typed", "path", "value"),
    [
        ("general", {"countries": "Chile\nperu\nUY"}, ("countries",), ["CL", "PE", "UY"]),
        ("general", {"main_language": "es"}, ("ui_languages",), ["es", "en"]),
        ("texts", {"title-es": "El río"}, ("texts", "title", "es"), "El río"),
        ("cards", {"k": "5", "own_slots": "2", "topup": "10"}, ("sampler", "topup"), 0.1),
        ("care", {"watch_words": "fog\n\nfog\nhail"}, ("watch_words",), ["fog", "hail"]),
        ("care", {"help_lines": "Chile | Fono | 600\n* | Everyone | 112"}, ("help_lines",), LINES),
        ("questions", BAKERS, ("questions", 2, "name"), "work"),
        ("questions", {"form-0-ORDER": "3"}, ("questions", 0, "name"), "music"),
        ("questions", {"form-0-examples-es": "Chile | Poesía"}, ("questions", 0, "examples"), EXAMPLES),
        ("profile", {"form-0-DELETE": "on"}, ("profile",), []),
    ],
)
def test_what_is_typed_is_stored_as_a_new_version(save_page, river, section, typed, path, value):
    response = save_page(section, **typed)
    assert response.status_code == 302, response.context["form"].errors
    stored = SettingsVersion.objects.get(number=2)
    assert (river.version, stored.made_by.username) == (2, "ana")
    found = stored.content
    for step in path:
        found = found[step]
    assert found == value
    assert river.settings.model_dump(mode="json") == stored.content
    detail = AuditEntry.objects.get().detail
    assert detail["version"] == 2
    assert set(detail["fields"].split(", ")) - {"consent_version"} == {path[0]}


def test_another_day_of_deletion_needs_consent_anew(save_page, river):
    day = str(timezone.now().date() + timedelta(days=1))
    for typed in (day, "", str(timezone.now().date())):
        save_page("general", retention=typed)
        assert (river.settings.retention, river.settings.consent_version) == (day, 2)


def test_pairs_about_a_country_that_is_taken_out_are_asked_about_and_hidden_on_request(
    save_page, river, make_pairs, make_person
):
    # Peru was never on the list.
    make_pairs(river, ("AR", "drink mate", "en"), ("PE", "cook well", "en"))
    (chile,) = make_pairs(river, ("CL", "love poetry", "en"))
    held = stored_card(make_person(river), chile, timezone.now())
    without = {"countries": "Argentina\nUruguay"}
    page = read(save_page("general", **without, data_languages="Spanish"))
    assert "1 pair that people see now is about <bdi>Chile</bdi>." in page
    assert "3 pairs that people see now are in <bdi>English</bdi>." in page
    assert "Peru" not in page
    assert river.version == 1
    # Kept, where only that is confirmed.
    assert save_page("general", **without, sure="on").status_code == 302
    assert not Pair.objects.filter(moderation="hidden").exists()
    save_page("general", countries="Argentina\nChile\nUruguay")
    save_page("general", **without, sure="on", retire="on")
    assert river.settings.countries == ("AR", "UY")
    assert list(Pair.objects.filter(moderation="hidden")) == [chile]
    held.refresh_from_db()
    assert held.state == CardState.LAPSED
    assert AuditEntry.objects.get(action="pair hidden").detail == {"pairs": 1}


ALL, TWO = ["AR", "CL", "women"], ["AR", "CL"]


def test_an_answer_that_people_gave_is_taken_out_only_when_asked_twice(save_page, river, make_person):
    make_person(river, extras={"age": "old"})
    typed = {"form-0-choices-en": "young | under 30\nother | 30 or more", "form-0-choices-es": ""}
    page = read(save_page("profile", **typed))
    assert "People gave the answer <bdi>age: old</bdi> about themselves." in page
    assert "age: young" not in page
    assert 'name="retire"' not in page
    assert river.version == 1
    assert save_page("profile", **typed, sure="on").status_code == 302


REFUSED = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))


def refusals(section, typed):
    """What a page says where this is typed: sentences by the name of the field, "" above all fields."""
    settings, page, sent = campaign_settings(**RICH), SECTIONS[section], QueryDict(mutable=True)
    for name, value in {**shown(page.form(settings, None)), **typed}.items():
        if value is not False:
            sent.setlist(name, list(value) if isinstance(value, list | tuple) else [value])
    form = page.form(settings, sent)
    assert page.checked(form, settings) is None
    parts = form.forms if isinstance(form, BaseFormSet) else [form]
    found = {part.add_prefix(name): said[0] for part in parts for name, said in part.errors.items()}
    return found | ({"": form.non_form_errors()[0]} if isinstance(form, BaseFormSet) and not found else {})


@pytest.mark.parametrize("page", REFUSED["page"], ids=lambda page: f"{page['field']}: {page['says']}")
def test_every_rule_is_said_at_its_field_in_the_language_of_the_page(page):
    section, typed, field, said = page.values()
    assert refusals(section, typed) == {field: said}
    with translation.override(
        "ar"
    ):  # that all catalogues have every sentence is tested in test_translations.py
        elsewhere = refusals(section, typed)
    assert elsewhere.keys() == {field}
    assert elsewhere[field] not in {"", said}


@pytest.mark.parametrize("row", REFUSED["file"], ids=lambda row: row["says"])
def test_a_file_is_refused_with_the_same_sentence_and_its_key(row):
    content, said = row.values()
    facts = campaign_settings().model_dump(mode="json")
    sampler = {"sampler": {**facts["sampler"], **content["sampler"]}} if "sampler" in content else {}
    with pytest.raises(UserError) as caught:
        read_settings({**facts, **content, **sampler}, "campaign.toml")
    assert str(caught.value) == f"campaign.toml, setting {said}"


def test_what_another_page_forbids_is_said_in_the_language_of_the_page(client, make_campaign, make_account):
    """Pydantic speaks English only."""
    school = make_campaign("school", **{**RICH, **SCHOOL})
    client.force_login(make_account("ana", school, Role.ORGANISER))
    typed = as_sent(school, "questions", **{"form-0-axis": "Religion"})
    path = reverse("organiser:settings_section", args=["school", "questions"])
    page = html.unescape(client.post(path, typed, headers={"accept-language": "ar"}).content.decode())
    with translation.override("ar"):
        said = translation.gettext("Minors are not asked about “%(name)s”: take that question out first.")
    assert said % {"name": "food"} in page
    assert "Minors are not asked" not in page
    school.refresh_from_db()
    assert school.version == 1


def test_the_second_of_two_organisers_sees_what_the_first_saved(organiser, river):
    first = as_sent(river, "care", watch_words="fog")
    second = as_sent(river, "care", help_lines="* | Everyone | 112")
    assert organiser.post(address("care"), first).status_code == 302
    response = organiser.post(address("care"), second)
    page = response.content.decode()
    assert response.status_code == 409
    assert response.context["meanwhile"] == [("Words to watch", "rain, snow", "fog")]
    assert "Everyone | 112" in page
    assert '<input type="hidden" name="base" value="2">' in page
    river.refresh_from_db()
    assert (river.version, river.settings.watch_words) == (2, ("fog",))
    assert organiser.post(address("care"), {**second, "base": 2}).status_code == 302
    river.refresh_from_db()
    assert (river.version, river.settings.help_lines[0].name) == (3, "Everyone")
    versions = organiser.get(reverse("organiser:settings_versions", args=["river"])).content.decode()
    assert all(words in versions for words in ("Version 3", "ana", "rain, snow"))
    assert [version.number for version in SettingsVersion.objects.order_by("number")] == [1, 2, 3]


def test_new_words_of_consent_are_a_new_version_of_consent(save_page, river):
    save_page("texts", **{"thanks-en": "Thank you"})
    assert (river.version, river.settings.consent_version) == (2, 1)
    page = read(save_page("texts", follow=True, **{"publication-es": "Otra", "publication-en": "Another"}))
    assert (river.version, river.settings.consent_version) == (3, 2)
    assert "Saved. Who joins from now on agrees to version 2 of the consent." in page


def test_languages_whose_consent_stays_as_it_was_are_named(organiser, make_campaign, make_account):
    texts = {name: {"en": "Here", "es": "Aquí"} for name in CampaignTexts.model_fields}
    river = make_campaign("sea", ui_languages=("en", "es", "fr"), texts=texts)
    organiser.force_login(make_account("eva", river, Role.ORGANISER))
    place = reverse("organiser:settings_section", args=["sea", "texts"])
    sent = as_sent(river, "texts", **{"consent-en": "I take part, and may be cited"})
    page = read(organiser.post(place, sent))
    # French has no words of its own.
    assert "stay as they were in: <bdi>Spanish</bdi>." in page
    assert "and may be cited" in page
    river.refresh_from_db()
    assert river.version == 1
    assert organiser.post(place, {**sent, "consent-es": "Participo y me citan"}).status_code == 302
    river.refresh_from_db()
    assert (river.version, river.settings.consent_version) == (2, 2)


def test_needs_of_all_pairs_are_what_need_says_of_each(make_campaign, make_pairs):
    settings = SamplerSettings(k=3, k_max=6, disagreement=1.5)
    campaign = make_campaign("lake", sampler=settings)
    cases = list(product(range(8), [None, 0.0, 1.4, 1.5, 3.0]))
    for place, (ratings, variance) in enumerate(cases):
        make_pairs(campaign, ("AR", f"thing {place}", "es"), ratings=ratings, variance=variance)
    recount_needs(campaign, campaign.settings.sampler)
    found = Pair.objects.order_by("pk").values_list("need", flat=True)
    assert list(found) == [need(*case, settings) for case in cases]


@pytest.mark.parametrize("language", ["fr", "ar"])
def test_names_as_they_are_shown_are_read_as_the_same_codes(language):
    with translation.override(language):
        for names in (country_names, language_names):
            shown = names(language)
            assert [code_of(shown.of(code), names) for code in shown.codes] == list(shown.codes)
