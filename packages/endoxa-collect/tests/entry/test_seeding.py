"""Seeds: files of organisers, duplicates, the calibration set."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from endoxa_collect import tablefile
from endoxa_collect.entry import seeding
from endoxa_collect.entry.seeding import (
    SeedFileError,
    SeedRow,
    add_seeds,
    choose_calibration,
    read_seeds,
)
from endoxa_collect.models import Moderation, Pair, Source

TABLE = "country,attribute,language,topic,negative\nAR,drink mate,en,drinks,no\nChile,love poetry,en,,\n"


def read(text, name="seeds.csv", languages=("en", "es")):
    return read_seeds(text if isinstance(text, bytes) else text.encode(), name, languages)


def test_a_table_as_spreadsheets_save_it():
    expected = [SeedRow("AR", "drink mate", "en", "drinks", False), SeedRow("CL", "love poetry", "en")]
    assert read(TABLE) == expected
    assert read("\ufeff" + TABLE.replace(",", ";").replace("\n", "\r\n")) == expected
    assert read(TABLE.replace(",", "\t"), "seeds.tsv") == expected
    assert read(TABLE.encode("utf-16")) == read(TABLE.replace(",", ";").encode("cp1252")) == expected
    rows = read("sep=;\r\ncountry;attribute;language\r\nCL;a cup, or two;en\r\n")
    assert rows == [SeedRow("CL", "a cup, or two", "en")]
    assert read("language,COUNTRY,attribute\nes,Brasil,aman la música\n\n,,\n") == [
        SeedRow("BR", "aman la música", "es")
    ]


def test_json_lines():
    lines = [
        {"country": "AR", "attribute": "drink mate", "language": "en", "negative": True, "more": "left out"},
        {"country": "UY", "attribute": "love football", "language": "EN", "topic": None},
    ]
    assert read("\n".join(map(json.dumps, lines)), "seeds.jsonl") == [
        SeedRow("AR", "drink mate", "en", "", True),
        SeedRow("UY", "love football", "en"),
    ]


def test_countries_languages_and_yes_and_no_as_organisers_write_them():
    for typed, code in {"cl": "CL", "Espana": "ES", "UK": "GB", "Deutschland": "DE"}.items():
        (row,) = read(f"country;attribute;language\n{typed};love tea;en\n", languages=("en", "es", "de"))
        assert row.country == code
    for typed in ("es", "ES", "es-CL", "es_419", "Spanish", "español", "Espagnol"):
        assert read(f"country,attribute,language\nCL,aman el pan,{typed}\n")[0].language == "es"
    for answer, typed in ((True, "sí Oui SIM ndiyo हाँ"), (False, "não لا")):
        for word in typed.split():
            assert read(TABLE + f"CL,dance,en,,{word}\n")[-1].negative is answer


COLUMNS = "country,attribute,language\n"
ROW = '{"country": "CL", "attribute": "x", "language": "en"}'
WRONG_LINES = [
    ("Atlantis,love tea,en", "line 4, column 'country': found 'Atlantis'"),
    ("AR,,en", "line 4, column 'attribute': it is empty"),
    (f"AR,{'x' * 121},en", "121 characters, expected at most 120"),
    ("AR,love tea,sw", "expected a language of the campaign (en, es)"),
    ("AR,love tea,en,,perhaps", "column 'negative': found 'perhaps', expected yes or no"),
    ("Chle,love tea,en", "(did you mean Chile?)"),
    ("CL,love tea,Spanihs", "(did you mean Spanish?)"),
    ("AR,!!!,en", "column 'attribute': expected words"),
    ('AR,"love tea,en', "no proper CSV"),
]
WRONG_ROWS = [
    ('{"country": "CL", "country": "AR"}', "row 1 (line 1): is not JSON (the key 'country' is there twice)"),
    ("[1]", "cannot be read: seeds.jsonl, row 1 (line 1): is not a JSON object"),
    ("[" * 100_000, "too deep or too large"),
    (ROW.replace('"CL"', '["AR"]'), "holds list where text"),
]
WRONG = [
    ("seeds.csv", "", "cannot be read: seeds.csv, line 1 is blank"),
    ("seeds.csv", f"{COLUMNS.strip()},language\nCL,dance,es,en\n", "two columns called 'language'"),
    ("seeds.csv", COLUMNS + "AR,love tea,en\n" * 6, "more than 5 rows"),
    *(("seeds.csv", f"{TABLE}{line}\n", sentence) for line, sentence in WRONG_LINES),
    *(("seeds.jsonl", text, sentence) for text, sentence in WRONG_ROWS),
]


@pytest.mark.parametrize(("name", "text", "sentence"), WRONG, ids=[sentence for _, _, sentence in WRONG])
def test_each_fault_is_one_sentence_with_its_place_in_words_of_the_page(monkeypatch, name, text, sentence):
    monkeypatch.setattr(seeding, "MAX_ROWS", 5)
    with pytest.raises(SeedFileError) as caught:
        read(text, name)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)
    for module in (seeding, tablefile):
        monkeypatch.setattr(module, "gettext", lambda text: f"<{text}>")
    with pytest.raises(SeedFileError, match=r"^<"):
        read(text, name)


def test_a_country_is_guessed_in_the_language_of_the_page():
    with translation.override("es"), pytest.raises(SeedFileError, match="Brasil"):
        read(TABLE + "Brazl,love tea,en\n")


@pytest.mark.slow
@given(
    st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)),
    st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_any_bytes_are_read_or_refused_with_a_sentence(content, suffix):
    header = b"country,attribute,language\n" if suffix != "jsonl" else b""
    for start in (b"", header):
        with suppress(SeedFileError):
            assert read(start + content, f"seeds.{suffix}")


def test_adding_says_what_is_there_already(campaign, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "en"), ("AR", "dance very well", "en"))
    rows = [
        SeedRow("AR", "They drink mate!", "en"),
        SeedRow("AR", "dance well", "en"),
        SeedRow("AR", "love poetry", "en", "arts", True),
        SeedRow("AR", "Love poetry.", "en"),
        SeedRow("CL", "drink mate", "en"),
        SeedRow("CL", "are terrible dancers", "en"),
    ]
    report = add_seeds(campaign, rows)
    assert (report.added, report.duplicates) == (4, (rows[0], rows[3]))
    assert Pair.objects.filter(source=Source.SEED, moderation=Moderation.LIVE).count() == 6
    assert set(Pair.objects.filter(negative=True).values_list("attribute", flat=True)) == {
        "love poetry",
        "are terrible dancers",
    }
    assert add_seeds(campaign, rows).added == 0


def seeds(size, start=0):
    return [SeedRow("AR", f"love song number {n}", "en") for n in range(start, start + size)]


def calibration():
    return set(Pair.objects.filter(calibration=True).values_list("pk", flat=True))


@pytest.mark.slow
def test_the_calibration_set_is_a_third_at_most_and_fixed_once_the_campaign_opened(make_campaign):
    campaign = make_campaign()
    campaign.began_at = None
    campaign.save()
    add_seeds(campaign, seeds(10))
    assert len(calibration()) == 3
    add_seeds(campaign, seeds(200, 10))
    assert len(calibration()) == 10
    campaign.began_at = timezone.now()
    campaign.save()
    chosen = calibration()
    add_seeds(campaign, seeds(50, 300))
    choose_calibration(campaign)
    assert calibration() == chosen
