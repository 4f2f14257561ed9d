"""How many people came, by what and how far; names of codes; what posters and links say; faults of the site."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from collect_support.filled_campaign import give_mention, give_rating, give_skip
from endoxa_collect.models import Arrivals, JoinCode
from endoxa_collect.organiser.dashboard import by_day, by_language, steps
from endoxa_collect.privacy import withdraw

MONDAY, TUESDAY = (datetime(2026, 5, day, 9, tzinfo=UTC) for day in (4, 5))


def page(client, name="turnout/", **headers):
    return client.get(f"/organise/river/{name}", headers=headers).content.decode()


def test_people_are_counted_by_code_language_day_and_step(organiser, campaign, make_person, make_pairs):
    radio = JoinCode.objects.create(campaign=campaign, code="RADIO222", label="Radio & <TV>")
    JoinCode.objects.create(campaign=campaign, code="SCHOOL22")
    Arrivals.objects.create(code=radio, day=date(2026, 5, 4), joined=3, declined=2)
    Arrivals.objects.create(code=radio, day=date(2026, 5, 5), joined=2)
    pairs = make_pairs(campaign, *(("AR", f"drink {n} mates", "en") for n in range(12)))
    every = campaign.settings.sampler.break_after
    people = [
        make_person(campaign, "no profile", profile_done=False, consent_hour=MONDAY),
        make_person(campaign, "profile", consent_hour=MONDAY, ui_language="es"),
        make_person(campaign, "one skip", consent_hour=TUESDAY, ui_language="es"),
        make_person(campaign, "a set", consent_hour=TUESDAY, ui_language="es"),
        make_person(campaign, "leaves", consent_hour=TUESDAY),
    ]
    give_skip(people[2], pairs[0])
    for pair in pairs[:every]:
        give_rating(people[3], pair, 4)
    give_mention(people[3], pairs[0], "sip mate")
    withdraw(people[4])
    assert steps(campaign) == [
        ("Agreed", 4),
        ("Told about themselves", 3),
        ("Saw a card", 2),
        ("Answered or skipped a card", 2),
        ("Finished a set of cards", 1),
        ("Added words", 1),
    ]
    assert by_language(campaign) == by_day(campaign) == []
    shown = page(organiser)
    assert shown.count("Shown from 5 people on.") == 2
    assert "Spanish" not in shown
    assert "5 agreed, 2 said no" in page(organiser, "codes/")
    assert "Said no</dt><dd>2<" in shown
    assert not [one for one in people if str(one.pk) in shown]
    assert "Left and deleted their answers</dt><dd>1<" in shown


def test_language_and_day_are_shown_from_five_people_on(organiser, campaign, make_person):
    """Nine days of one or two people, and one of eight; a language of one person, one of six and one of eight."""
    for number in range(15):
        day = MONDAY if number < 8 else TUESDAY + timedelta(days=number % 4)
        tongue = "es" if number < 8 else "fr" if number < 14 else "pt"
        make_person(campaign, f"p{number}", ui_language=tongue, consent_hour=day)
    # Portuguese is of one person, who could be told from the total: French, of six, stands with it.
    assert by_language(campaign) == [("Spanish", 5), ("Other languages", 5)]
    assert by_day(campaign) == [("May 4, 2026", 5), ("Other days", 5)]
    shown = page(organiser)
    assert shown.count("5 or more") == 4
    assert not any(name in shown for name in ("French", "Portuguese", "May 5", "May 6", "May 7", "May 8"))
