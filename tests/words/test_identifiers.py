"""What may say who somebody is, found by its form."""

from __future__ import annotations

import pytest

from endoxa.words.identifiers import find_identifiers


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("e-mail", "ann.obi+x@uni.edu.ng"),
        ("e-mail", "ann＠gmail.com"),
        ("e-mail", "ann(at)gmail.com"),
        ("e-mail", "ann @ gmail . com"),
        ("e-mail", "ann arroba gmail punto com"),
        ("web address", "www.mysite.co.ke/ann"),
        ("web address", "t.me/ann"),
        ("account", "@ann_obi"),
        ("IP address", "192.168.10.24"),
        ("place", "6.52438, 3.37921"),
        ("phone number", "+234 803 123 4567"),
        ("phone number", "0803-123-4567"),
        ("phone number", "06 12 34 56 78"),
        ("phone number", "٠٨٠٣١٢٣٤٥٦٧"),
        ("phone or personal number", "12345678901"),
    ],
)
def test_identifiers_are_found_whole(kind, text):
    sentence = f"women are lazy, {text}, they say"
    assert [(one.kind, sentence[one.start : one.end]) for one in find_identifiers(sentence)] == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    """Women earn 10,000 naira; 1 000 000 pesos; 1,5 times; 3.1415926; Women work 9.00-17.00; 12.05.2020-14.05.2020
    ; from 1990-2000; kind.They cook well; the U.S.A. is loud; tod@s; Women @ home. They cook; women at work. They
    ; about 150000000; kind/caring/loving""".replace("\n", " ").split(";"),
)
def test_numbers_and_words_are_left_alone(text):
    assert find_identifiers(text) == []
