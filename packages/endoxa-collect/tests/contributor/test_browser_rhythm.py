"""A set of eight cards of all kinds on a phone of 360 x 640, and the pause that comes after."""

from __future__ import annotations

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
def ready(site):
    """The site with pairs about one country only, a third of them fully rated; no words are part of others."""
    site.change("update collect_campaign set balance = 'validate'")
    site.change(
        "update collect_pair set country = 'AR', language = 'en', negative = 0, key = 'k' || id,"
        " attribute = printf('sing in the street %03d', id)"
    )
    site.change(f"update collect_pair set need = {FULL}, ratings = 3 where id % 3 = 0")
    return site


def in_reach(one, selector, most=HEIGHT):
    """All that is to be tapped is large enough, and ends above `most` pixels."""
    boxes = [part.bounding_box() for part in one.page.locator(selector).all()]
    assert boxes
    assert min(box["height"] for box in boxes) >= TARGET - 0.5
    assert max(box["y"] + box["height"] for box in boxes) <= most


def take(one, look_of):
    """Answer the card, whatever it is; its kind."""
    page = one.page
    page.locator("#mixed, form.answers").first.wait_for()
    if (values := page.locator("form.answers button[name=value]")).count():
        card = page.locator("form.answers").get_attribute("action")
        values.nth(3).click()
        page.locator(f"form.answers[action='{card}']").wait_for(state="detached")
        page.wait_for_load_state()
        return "rate"
    kind = "heard" if page.locator("#mixed").count() else "compare"
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
    with visit(browser, ready.address, **LOOKS[look_of]) as one:
        join(one, ready.join, languages=("en",))
        taken = [take(one, look_of) for _ in range(8)]
        one.page.wait_for_url("**/pause/")
        assert one.page.locator(".goals progress").count() >= 1
        one.check(f"rhythm-pause-{look_of}")
        in_reach(one, ".actions .button")
    assert taken == ["rate", "rate", "heard", "rate", "rate", "compare", "rate", "rate"]
