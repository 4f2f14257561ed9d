"""A set of eight cards of all kinds on a phone of 360 x 640, and the pause that comes after."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from collect_support.browsing import join, out_of_sight, visit
from endoxa_collect.sampler.slots import FULL

HEIGHT = 640
TARGET = 44
LOOKS = {"light": {}, "Arabic and dark": {"locale": "ar", "color_scheme": "dark"}}


@pytest.fixture(scope="module")
def alone():
    """Its pairs are made alike."""
    return "rhythm"


@pytest.fixture(scope="module")
def ready(browser, site):
    """The site with pairs about one country only, a third of them fully rated, and all known to three people before.

    The wave, which begins now, outlasts the tests, every answer is followed by the page for words, and no words are
    part of others.
    """
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(" ")
    site.change(
        "insert into collect_settingsversion (campaign_id, number, content, made_at)"
        " select campaign_id, number + 1, json_set(content, '$.wave_minutes', 100000), made_at"
        " from collect_settingsversion order by number desc limit 1"
    )
    site.change("update collect_campaign set began_at = ?, version = version + 1, balance = 'explore'", now)
    site.change(
        "update collect_pair set country = 'AR', language = 'en', negative = 0, key = 'k' || id,"
        " attribute = printf('sing in the street %03d', id)"
    )
    site.change(f"update collect_pair set need = {FULL}, ratings = 3 where id % 3 = 0")
    with visit(browser, site.address, java_script_enabled=False) as one:
        join(one, site.join, languages=("en",))
    [(person,)] = site.ask("select id from collect_person")
    for name in ("ben", "cai"):
        copied(site, "person", person, id=uuid4().hex, secret_hash=name, receipt_hash=name)
    # Without cards of their own: nothing here looks at those of others.
    site.change(
        "insert into collect_rating (public_id, card_id, person_id, pair_id, value, in_group, surplus, created_at)"
        " select lower(hex(randomblob(16))), -row_number() over (), person.id, pair.id, 3, 1, 0, '2026-01-01 00:00:00'"
        " from collect_person person, collect_pair pair"
    )
    return site


def copied(site, table, key, **changed):
    """Add a copy of a row, with other values."""
    columns = [column[1] for column in site.ask(f"pragma table_info(collect_{table})")]
    (row,) = site.ask(f"select * from collect_{table} where id = ?", key)
    values = dict(zip(columns, row, strict=True)) | changed
    places = ", ".join("?" * len(values))
    site.change(f"insert into collect_{table} ({', '.join(values)}) values ({places})", *values.values())


def in_reach(one, selector, most=HEIGHT):
    """All that is to be tapped is large enough, and ends above `most` pixels."""
    boxes = [part.bounding_box() for part in one.page.locator(selector).all()]
    assert boxes
    assert min(box["height"] for box in boxes) >= TARGET - 0.5
    assert max(box["y"] + box["height"] for box in boxes) <= most


def rate(one):
    """Rate a card, write something where the page after it asks for words, and go on."""
    form = one.page.locator("form.answers")
    card = form.get_attribute("action")
    form.locator("button[name=value]").nth(3).click()
    one.page.locator(f"form.answers[action='{card}']").wait_for(state="detached")
    one.page.wait_for_load_state()
    if "/hurt/" in one.page.url:
        # Words of somebody else in this module, which nobody judged yet.
        one.page.locator(".actions a.button").click()
        one.page.wait_for_load_state()
    elif "/add/" in one.page.url:
        if (field := one.page.locator("#id_text")).count():
            field.fill(f"whistle tune {uuid4().hex[:12]} at noon")
        one.tap(".actions .primary")
        if "/alike/" in one.page.url:
            one.page.locator(".actions .button").last.click()
            one.page.wait_for_load_state()


def words(site):
    """How many things people wrote."""
    return site.ask("select count(*) from collect_mention where via != 'other_country'")[0][0]


def take(one, seen, look_of):
    """Answer the card, whatever it is; its kind."""
    page = one.page
    page.locator("#mixed, form.answers, #reveal").first.wait_for()
    if page.locator("#reveal").count():
        page.locator("#reveal button").click()
        page.locator("form.answers").wait_for()
    kind = "heard" if page.locator("#mixed").count() else "compare"
    if kind == "compare" and page.locator("button[name=choice]").count() == 0:
        rate(one)
        return "rate"
    if kind not in seen:
        one.check(f"rhythm-{kind}-{look_of}")
        in_reach(one, "#mixed label.tile, button[name=choice]", HEIGHT + 120)
        # What a missing tick means stands before the ticks, and nothing lies over it.
        assert out_of_sight(one, "#mixed .hint, form.answers button") == []
    if kind == "heard":
        page.locator("#mixed label.tile").nth(1).click()
        page.locator("button[form=mixed]").click()
    else:
        page.locator("button[name=choice]").first.click()
    page.wait_for_load_state()
    return kind


@pytest.mark.parametrize("look_of", LOOKS)
def test_a_set_of_eight_ends_with_a_pause(browser, ready, look_of):
    before = dict(
        ready.ask("select kind, count(*) from collect_mixedcard where state = 'answered' group by 1")
    )
    with visit(browser, ready.address, **LOOKS[look_of]) as one:
        join(one, ready.join, languages=("en",))
        said = words(ready)
        taken, places = [], []
        for _ in range(8):
            bar = one.page.locator("progress").first
            places.append(float(bar.get_attribute("value")))
            assert bar.bounding_box()["height"] <= 12
            # What others know of one pair would read as if it were about the next.
            assert one.page.locator(".told").count() == 0
            taken.append(take(one, set(taken), look_of))
        one.page.wait_for_url("**/pause/")
        assert places == sorted(set(places))
        assert one.page.locator(".goals progress").count() >= 1
        assert one.page.locator(".told li q").count() == 3
        one.check(f"rhythm-pause-{look_of}")
        in_reach(one, ".actions .button")
    assert taken == ["rate", "rate", "heard", "rate", "rate", "compare", "rate", "rate"]
    after = dict(
        ready.ask("select kind, count(*) from collect_mixedcard where state = 'answered' group by 1")
    )
    assert {kind: after[kind] - before.get(kind, 0) for kind in after} == {"heard": 1, "compare": 1}
    assert words(ready) > said
