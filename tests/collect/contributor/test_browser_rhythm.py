"""Feedback, the bar, the pause and the other kinds of cards on a phone: plain, in Arabic, dark, without a script."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest

from endoxa.collect.sampler.types import FULL
from support.collect.browsing import CHROMIUM, join, visit

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no browser is installed (apt-get install chromium-headless-shell)"
)

TARGET = 44


@pytest.fixture(scope="module")
def ready(site):
    """The served campaign with twenty fully rated pairs about one country, and a wave in which all are known."""
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(" ")
    site.change("update collect_campaign set began_at = ?", now)
    site.change("update collect_pair set country = 'AR', language = 'en', negative = 0")
    site.change(f"update collect_pair set need = {FULL}, ratings = 3 where id % 3 = 0")
    known = json.dumps({str(pk): [10, 3] for (pk,) in site.ask("select id from collect_pair")})
    site.change(
        "insert into collect_wave (campaign_id, began_at, known) select id, ?, ? from collect_campaign",
        now,
        known,
    )
    return site


def rated(one, taps):
    """Past a rating and the page after it; the taps that it took."""
    one.page.locator("form.answers button[name=value]").nth(3).click()
    one.page.wait_for_load_state()
    taps += 1
    if "/add/" in one.page.url:
        one.page.locator("button.primary[form=more]").click()
        one.page.wait_for_load_state()
        taps += 1
    return taps


def fits(one, selector):
    """Everything to tap is in sight without scrolling, and large enough."""
    boxes = [part.bounding_box() for part in one.page.locator(selector).all()]
    assert boxes
    assert min(box["height"] for box in boxes) >= TARGET - 0.5
    assert max(box["y"] + box["height"] for box in boxes) <= 640


@pytest.mark.parametrize(
    ("name", "language", "options"),
    [
        ("plain", "en", {}),
        ("dark", "en", {"color_scheme": "dark"}),
        ("arabic", "ar", {}),
        ("noscript", "en", {"java_script_enabled": False}),
    ],
)
def test_a_set_of_eight(browser, ready, name, language, options):
    with visit(browser, ready.address, **options) as one:
        join(one, ready.join)
        ready.change("update collect_person set ui_language = ?", language)
        one.go("/card/")
        taken = []
        for place in range(8):
            if name == "plain" and place == 1:
                one.check("rhythm-told")
                assert "know this one too" in one.page.content() or taken[0] == 2
            if one.page.locator("#mixed").count():
                one.check(f"kinds-heard-{name}")
                fits(one, "label.tile")
                one.page.locator("label.tile").first.click()
                one.page.locator("button[form=mixed]").click()
                taken.append(2)
            elif one.page.locator("button[name=choice]").count():
                one.check(f"kinds-compare-{name}")
                fits(one, "button[name=choice]")
                one.page.locator("button[name=choice]").first.click()
                taken.append(1)
            else:
                taken.append(rated(one, 0))
            one.page.wait_for_load_state()
        print(f"taps per card ({name}): {taken}, mean {sum(taken) / len(taken):.2f}")
        assert re.search(r"/pause/", one.page.url)
        one.check(f"rhythm-pause-{name}")
        answered = ready.ask(
            "select kind, count(*) from collect_mixedcard where state = 'answered' group by 1"
        )
        assert dict(answered).keys() == {"heard", "compare"}


def test_feedback_stands_after_the_answer_and_not_before(phone, ready):
    join(phone, ready.join)
    assert phone.page.locator(".told").count() == 0
    assert phone.page.locator("progress").get_attribute("value") == "0"
    phone.page.locator("form.answers button[name=value]").nth(3).click()
    phone.page.wait_for_load_state()
    phone.page.get_by_text("Ten people or more, from three countries or more").wait_for()
    phone.check("rhythm-feedback")
