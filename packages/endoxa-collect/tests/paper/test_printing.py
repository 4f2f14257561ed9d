"""Pages to print: what stands on them, and how many a browser prints."""

from __future__ import annotations

import csv
import subprocess

import pytest

from collect_support.browsing import CHROMIUM
from endoxa.errors import UserError
from endoxa_collect import paper
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.entry.seeding import add_seeds
from endoxa_collect.models import Moderation
from endoxa_collect.paper import choose_cards, new_receipts, write_template
from endoxa_collect.presets import load_preset

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


def test_a_language_without_pairs_is_refused_with_those_there_are(deck):
    with pytest.raises(UserError, match=r"no live pair in language 'sw' \(it has some in: en, es\)"):
        choose_cards(deck, "sw", 4)


def test_the_pages_show_each_card_once_with_five_boxes_and_what_hurts_after_a_notice(deck):
    cards = choose_cards(deck, "en", 20)
    html = paper.page(deck, "en", cards, ("AAAA-BBBB-CCCC",))
    before, notice, after = html.partition("The next cards may hurt, or nobody has checked their words.")
    assert notice
    assert "are always late" not in before
    assert "are always late" in after
    assert "toman mate" not in html
    assert html.count("I have never heard it") == 11 + 1  # once on the answer sheet
    assert "consent in English" in before
    assert after.count("AAAA-BBBB-CCCC") == 2


@pytest.fixture
def printed(tmp_path):
    """A function that gives the text of each page that a browser prints.

    By a command: Django allows no database access in a process that drives a browser.
    """

    if CHROMIUM is None:
        pytest.skip("no browser here")

    def read(html):
        paper.write(html, tmp_path / "cards.html")
        target = tmp_path / "cards.pdf"
        words = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
        address = (tmp_path / "cards.html").as_uri()
        subprocess.run(
            [CHROMIUM, *words, f"--print-to-pdf={target}", address], check=True, capture_output=True
        )
        return [page.extract_text() for page in pypdf.PdfReader(target).pages]

    return read


def test_words_of_people_are_text(campaign, make_pairs):
    make_pairs(campaign, ("AR", '<img src="http://127.0.0.1:1/">', "en"), negative=False)
    html = paper.page(campaign, "en", choose_cards(campaign, "en", 4), new_receipts(1))
    assert "<img" not in html
    assert "&lt;img" in html


def test_the_guardians_sheet_is_printed_for_a_school(make_campaign, make_pairs):
    settings = load_preset("school").settings.model_dump(mode="json")
    school = make_campaign("school", **settings)
    make_pairs(school, ("AR", "sing", "fr"), negative=False)
    html = paper.page(school, "fr", choose_cards(school, "fr", 4), new_receipts(1))
    assert "Votre enfant est invité" in html
    assert "signature de la mère, du père ou du tuteur légal" in html


def test_there_is_one_place_to_tick_and_lines_for_words(deck):
    html = paper.page(deck, "en", choose_cards(deck, "en", 20), ("AAAA-BBBB-CCCC",))
    cards, sheet = html.split("Answer sheet 1")
    assert 'class="tick"' not in cards
    assert cards.count("Tick on your answer sheet, beside 3.") == 1
    assert sheet.count('class="tick"') == 4 + 11 * 5
    assert "What else do people around you say?" in sheet
    assert sheet.count("About people from") == 3


@pytest.mark.parametrize(
    ("contact", "address", "told"),
    [
        ("555-0100", "", "Or ask us: <bdi>River Lab</bdi>: <bdi>555-0100</bdi>"),
        ("", "https://camp.test/leave/", "https://camp.test/leave/"),
        ("", "", "Whom to give it to:"),
    ],
)
def test_the_strip_says_where_to_go_with_the_code(make_campaign, make_pairs, contact, address, told):
    campaign = make_campaign("strip", contact=contact)
    make_pairs(campaign, ("AR", "sing", "en"), negative=False)
    html = paper.page(campaign, "en", choose_cards(campaign, "en", 4), new_receipts(1), address)
    assert told in html.split('class="strip"')[1]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("language", UI_LANGUAGES)
def test_a_sheet_is_one_page_with_the_strip_below_its_tear_line(make_campaign, printed, language):
    """Of 40 cards, two columns, and of 60, three; both in one document, so that it is set once in each language."""
    loaded = load_preset("school")
    campaign = make_campaign("school", **loaded.settings.model_dump(mode="json"))
    add_seeds(campaign, [seed for seed in loaded.seeds if seed.language == language])
    receipts = new_receipts(2)
    cards = choose_cards(campaign, language, 60)
    address = "https://camp.example.org/leave/"
    html = paper.page(campaign, language, cards, receipts[:1], address)
    fewer = paper.page(campaign, language, cards[:40], receipts[1:], address)
    sheet = fewer[fewer.index('<section class="page sheet">') : fewer.index("</body>")]
    pages = printed(html.replace("</body>", f"{sheet}</body>"))
    # Consent, the guardians' page, eight cards a page, the sheets.
    assert len(pages) == 2 + -(-60 // 8) + 2
    for page, receipt in zip(pages[-2:], receipts, strict=True):
        assert page.count(receipt) == 2
        assert "camp.example.org" in page


@pytest.mark.slow
@pytest.mark.browser
def test_eight_cards_are_on_a_page(deck, printed):
    cards = choose_cards(deck, "en", 20)
    receipts = new_receipts(2)
    pages = printed(paper.page(deck, "en", cards, receipts))
    # Consent, ten cards on two pages, notice, one card, two answer sheets.
    assert len(pages) == 1 + 2 + 1 + 1 + 2
    shown = [sum(f"Card {card.number}\n" in page + "\n" for card in cards) for page in pages[1:5]]
    assert shown == [8, 2, 0, 1]
    assert all("write poem" not in page for page in pages[4:])
    for page, receipt in zip(pages[5:], receipts, strict=True):
        assert page.count(receipt) == 2


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"Write -o cards\.html"):
        paper.write("", tmp_path / "cards.pdf")
    paper.write("<p>", tmp_path / "cards.html")
    assert (tmp_path / "cards.html").read_text() == "<p>"


def test_the_template_has_a_row_a_sheet_and_a_column_a_card(deck, tmp_path):
    cards, receipts = choose_cards(deck, "en", 20), new_receipts(3)
    write_template(tmp_path / "answers.csv", receipts, cards)
    with (tmp_path / "answers.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[1] for row in rows[1:]] == list(receipts)
    assert len(set(receipts)) == 3
    assert {len(row) for row in rows} == {6 + 11 + 9}
    assert rows[0][-3:] == ["words_3", "words_3_country", "words_3_language"]
    assert rows[0][6] == f"card 1 {cards[0].pair.public_id.hex[:12]}"
