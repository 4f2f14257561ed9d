"""Which language a page speaks, and how it is chosen."""

from __future__ import annotations

from endoxa_collect.models import JoinCode


def test_the_browsers_wish_is_followed_and_a_choice_beats_it(client, db):
    assert '<html lang="fr" dir="ltr">' in client.get("/", headers={"accept-language": "fr"}).content.decode()
    answer = client.post("/language/", {"language": "ar", "next": "/help/"})
    assert answer.url == "/help/"
    cookie = answer.cookies["endoxa_language"]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("ar", True, "Lax")
    page = client.get("/help/", headers={"accept-language": "fr"}).content.decode()
    assert '<html lang="ar" dir="rtl">' in page


def test_nobody_is_sent_elsewhere_and_unknown_languages_change_nothing(client, db):
    for target in ("//evil.example/", "https://evil.example/", "javascript:alert(1)", "", "/\\evil.example"):
        assert client.post("/language/", {"language": "es", "next": target}).url == "/"
    assert "endoxa_language" not in client.post("/language/", {"language": "xx"}).cookies
    assert client.get("/language/?language=es").status_code == 405


def test_only_the_languages_of_a_campaign_are_offered(client, make_campaign):
    JoinCode.objects.create(campaign=make_campaign(ui_languages=["es", "hi"]), code="HINDI234")
    page = client.get("/j/HINDI234/", headers={"accept-language": "ar"}).content.decode()
    assert '<html lang="es"' in page
    assert "हिन्दी" in page
    assert "العربية" not in page
    # The first page of a site with one campaign offers no others, too.
    first = client.get("/", headers={"accept-language": "ar"}).content.decode()
    assert '<html lang="es"' in first
    assert "العربية" not in first


def test_a_persons_language_goes_with_them(as_person, person):
    client = as_person(person)
    client.post("/language/", {"language": "sw"})
    person.refresh_from_db()
    assert person.ui_language == "sw"
    client.cookies["endoxa_language"] = "fr"
    assert '<html lang="sw"' in client.get("/help/").content.decode()
