"""Pages to print: what stands on them, and how many a browser prints."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from collect_support.browsing import CHROMIUM
from endoxa.errors import UserError
from endoxa_collect import paper
from endoxa_collect.entry.seeding import add_seeds
from endoxa_collect.models import Moderation
from endoxa_collect.paper import choose_cards, new_receipts
from endoxa_collect.presets import load_preset
from support.repository import SUPPORT_PATH

pypdf = pytest.importorskip("pypdf")


@pytest.fixture
def deck(campaign, make_pairs):
    """Ten kind pairs about two countries, one that hurts, one in another language and one that is not live."""
    make_pairs(
        campaign, *(("AR", f"sing song {number}", "en") for number in range(7)), negative=False, ratings=2
    )
    make_pairs(campaign, *(("CL", f"write poem {number}", "en") for number in range(3)), negative=False)
    make_pairs(campaign, ("AR", "are always late", "en"), negative=True)
    make_pairs(campaign, ("AR", "toman mate", "es"), negative=False)
    make_pairs(campaign, ("AR", "wait for a check", "en"), moderation=Moderation.PENDING)
    return campaign


def test_cards_lack_ratings_most_take_turns_by_country_and_those_that_hurt_come_last(deck):
    cards = choose_cards(deck, "en", 20)
    assert len(cards) == 11
    assert [card.number for card in cards] == list(range(1, 12))
    assert [card.hurts for card in cards] == [False] * 10 + [True]
    assert [card.pair.country for card in cards[:5]] == ["CL", "AR", "CL", "AR", "CL"]
    four = choose_cards(deck, "en", 4)
    assert {card.pair.country for card in four} == {"AR", "CL"}
    assert four == choose_cards(deck, "en", 4)


def test_a_language_without_pairs_and_other_endings_are_refused(deck, tmp_path):
    with pytest.raises(UserError, match=r"no live pair in language 'sw' \(it has some in: en, es\)"):
        choose_cards(deck, "sw", 4)
    with pytest.raises(UserError, match=r"Write -o cards\.html"):
        paper.write("", tmp_path / "cards.pdf")
    assert not list(tmp_path.iterdir())


def test_the_pages_show_each_card_once_and_what_hurts_after_a_notice(deck, make_pairs):
    make_pairs(deck, ("AR", '<img src="http://127.0.0.1:1/">', "en"), negative=False)
    cards = choose_cards(deck, "en", 20)
    html = paper.page(deck, "en", cards, ("AAAA-BBBB-CCCC",))
    before, notice, after = html.partition("The next cards may hurt, or nobody has checked their words.")
    assert notice
    assert "are always late" not in before
    assert "are always late" in after
    assert "toman mate" not in html
    assert html.count("I have never heard it") == 12 + 1  # once on the answer sheet
    assert "consent in English" in before
    assert after.count("AAAA-BBBB-CCCC") == 2
    # Words of people are text.
    assert "<img" not in html
    assert "&lt;img" in html
    # There is one place to tick, and lines for words.
    cards, sheet = html.split("Answer sheet 1")
    assert 'class="tick"' not in cards
    assert sheet.count('class="tick"') == 4 + 12 * 5


def printed(documents, folder):
    """For each document the text of each page that a browser prints.

    By a process of its own: Django allows no database access in one that drives a browser.
    """
    if CHROMIUM is None:
        pytest.skip("no browser here")
    for name, html in documents.items():
        paper.write(html, folder / f"{name}.html")
    code = (
        "import sys; from pathlib import Path; from collect_support.browsing import chromium\n"
        "with chromium() as browser:\n"
        "    page = browser.new_page()\n"
        "    for name in sys.argv[1:]:\n"
        "        page.goto(Path(name).as_uri())\n"
        "        page.pdf(path=str(Path(name).with_suffix('.pdf')), prefer_css_page_size=True)\n"
    )
    names = [str(folder / f"{name}.html") for name in documents]
    path = os.pathsep.join([SUPPORT_PATH, os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-c", code, *names], check=True, env={**os.environ, "PYTHONPATH": path}, timeout=600
    )
    return {
        name: [page.extract_text() for page in pypdf.PdfReader(folder / f"{name}.pdf").pages]
        for name in documents
    }


@pytest.mark.slow
@pytest.mark.browser
def test_a_sheet_is_one_page_with_its_strip_in_two_scripts(make_campaign, deck, tmp_path):
    """Of 40 cards, two columns, and of 60, three; both in one document, so that it is set once in each language."""
    loaded, receipts = load_preset("school"), new_receipts(2)
    campaign = make_campaign("school", **loaded.settings.model_dump(mode="json"))
    add_seeds(campaign, loaded.seeds)
    documents = {}
    for language in ("es", "ar"):
        cards = choose_cards(campaign, language, 60)
        address = "https://camp.example.org/leave/"
        html = paper.page(campaign, language, cards, receipts[:1], address)
        fewer = paper.page(campaign, language, cards[:40], receipts[1:], address)
        sheet = fewer[fewer.index('<section class="page sheet">') : fewer.index("</body>")]
        documents[language] = html.replace("</body>", f"{sheet}</body>")
    cards = choose_cards(deck, "en", 20)
    documents["deck"] = paper.page(deck, "en", cards, receipts)
    pages_of = printed(documents, tmp_path)

    # Consent, ten cards on two pages, notice, one card, two answer sheets.
    deck_pages = pages_of.pop("deck")
    assert len(deck_pages) == 1 + 2 + 1 + 1 + 2
    shown = [sum(f"Card {card.number}\n" in page + "\n" for card in cards) for page in deck_pages[1:5]]
    assert shown == [8, 2, 0, 1]
    assert all("write poem" not in page for page in deck_pages[4:])
    for page, receipt in zip(deck_pages[5:], receipts, strict=True):
        assert page.count(receipt) == 2
    for pages in pages_of.values():
        # Consent, the guardians' page, eight cards a page, the sheets.
        assert len(pages) == 2 + -(-60 // 8) + 2
        for page, receipt in zip(pages[-2:], receipts, strict=True):
            assert page.count(receipt) == 2
            assert "camp.example.org" in page
