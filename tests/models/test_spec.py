"""A model on a server is written alike for every kind of model."""

from __future__ import annotations

import pytest

from endoxa.errors import UserError
from endoxa.models.chat import parse_chat_model
from endoxa.models.encoders import parse_encoder
from endoxa.models.scoring import parse_model
from endoxa.models.spec import read_address


@pytest.mark.parametrize(
    ("text", "url", "name"),
    [
        ("http://a:8000/v1#org/x", "http://a:8000/v1", "org/x"),
        ("http://B/V1/#x,y#z", "http://b/V1", "x,y#z"),
    ],
)
def test_an_address_is_read_alike_for_every_kind_of_model(text: str, url: str, name: str) -> None:
    assert read_address(text) == (url, name)
    model, encoder, chat = parse_model(text), parse_encoder(text), parse_chat_model(text, {})
    assert (model.text, model.target, model.served_name) == (text, url, name)
    assert (encoder.text, encoder.target, encoder.served_name) == (text, url, name)
    assert (chat.text, chat.base_url, chat.served_name) == (text, url, name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("http://a/v1,http://b/v1#x", "A model has one address. To spread its calls over several servers"),
        ("http://a/v1,#x", "A model has one address"),
        ("http://a/v1#x,http://b/v1#x", "A model has one address"),
        ("http://me:secret@b/v1#x", "no user name, password"),
    ],
)
def test_a_bad_spelling_is_one_sentence(text: str, message: str) -> None:
    for read in (parse_model, parse_encoder, parse_chat_model):
        with pytest.raises(UserError) as raised:
            read(text)
        assert message in str(raised.value)
        assert "secret" not in str(raised.value)
