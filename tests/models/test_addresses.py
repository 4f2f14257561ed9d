from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.models.addresses import (
    FIRST_PAUSE,
    LAST_PAUSE,
    Addresses,
    counted,
    read_addresses,
    same_model,
    silent_warning,
)
from endoxa.models.chat import parse_chat_model
from endoxa.models.encoders import parse_encoder
from endoxa.models.scoring import parse_model

URLS = tuple(f"http://{name}:8000/v1" for name in "abcd")


@pytest.mark.parametrize(
    ("text", "urls", "name"),
    [
        ("http://a:8000/v1#org/x", ("http://a:8000/v1",), "org/x"),
        ("http://a:8000/v1,http://b:8000/v1/#x", ("http://a:8000/v1", "http://b:8000/v1"), "x"),
        (
            "http://a/v1, http://B/v1,http://c/V1#x,y#z",
            ("http://a/v1", "http://b/v1", "http://c/V1"),
            "x,y#z",
        ),
    ],
)
def test_addresses_are_read_alike_for_every_kind_of_model(
    text: str, urls: tuple[str, ...], name: str
) -> None:
    assert read_addresses(text) == (urls, name)
    model, encoder, chat = parse_model(text), parse_encoder(text), parse_chat_model(text, {})
    assert (model.text, model.addresses, model.served_name) == (text, urls, name)
    assert (encoder.text, encoder.addresses, encoder.served_name) == (text, urls, name)
    assert (chat.text, chat.where, chat.served_name) == (text, ",".join(urls), name)
    assert [one.base_url for one in chat.at_each] == list(urls)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://a/v1,#x", "An address is missing beside a comma"),
        ("http://a/v1,,http://b/v1#x", "An address is missing beside a comma"),
        (
            "http://a/v1,http://b/v1",
            "names no model on that server: write it as http://a/v1,http://b/v1#NAME",
        ),
        ("http://a/v1,http://b/v1#", "names no model"),
        ("http://a/v1#x,http://b/v1#x", "has an address behind its name"),
        ("http://a/v1,https://b/v1#x", "must all begin with http:// or all with https://"),
        ("http://a/v1,ftp://b/v1#x", "The address 'ftp://b/v1' has no host: write http://HOST:PORT/v1"),
        ("http://a/v1,b:8000/v1#x", "The address 'b:8000/v1' has no host"),
        ("http://a/v1,http://A/v1/#x", "The address 'http://a/v1' is given twice"),
        ("http://a/v1,http://me:secret@b/v1#x", "no user name, password"),
    ],
)
def test_a_bad_spelling_is_one_sentence(text: str, said: str) -> None:
    for read in (parse_model, parse_encoder, parse_chat_model):
        with pytest.raises(UserError) as raised:
            read(text)
        assert said in str(raised.value)
        assert "secret" not in str(raised.value)


def test_the_least_busy_address_is_chosen_and_ties_go_in_turn() -> None:
    pool = Addresses(URLS[:3])
    assert [pool.choose(0) for _ in range(6)] == [0, 1, 2, 0, 1, 2]
    pool.done(1, "answered", 1)
    pool.done(1, "answered", 1)
    assert [pool.choose(1) for _ in range(2)] == [1, 1]
    assert pool.choose(1) == 0  # two calls each: the one that waited longest
    assert pool.counts()[URLS[1]] == {"answered": 2, "failed": 0}


def test_an_address_that_fails_is_set_aside_for_longer_each_time_and_tried_with_one_call() -> None:
    pool = Addresses(URLS[:2])
    pool.done(pool.choose(0), "failed", 0)
    now = 0.0
    pauses: list[float] = []
    while len(pauses) < 9:
        began = now
        while (place := pool.choose(now)) == 1:  # it takes every call meanwhile
            pool.done(place, "answered", now)
            now += 0.5
        pauses.append(now - began)
        pool.done(0, "failed", now)
    assert pauses == [1, 2, 4, 8, 16, 32, LAST_PAUSE, LAST_PAUSE, LAST_PAUSE]
    now += LAST_PAUSE
    assert sorted(pool.choose(now) for _ in range(4)) == [0, 1, 1, 1]  # one call tries it
    pool.done(0, "answered", now)
    assert [pool.choose(now) for _ in range(3)] == [0, 0, 0]  # it is back


def test_calls_that_fail_together_are_one_failure_of_the_address() -> None:
    pool = Addresses(URLS[:2])
    places = [pool.choose(0) for _ in range(8)]
    for place in places:
        if place == 0:
            pool.done(0, "failed", 0.1)
    assert pool.counts()[URLS[0]] == {"answered": 0, "failed": 4}
    for _ in range(4):
        pool.done(1, "answered", 0.1)
    assert pool.choose(0.1 + FIRST_PAUSE) == 0


def test_a_waiting_time_is_honoured_up_to_the_longest_pause() -> None:
    pool = Addresses(URLS[:2])
    pool.done(pool.choose(0), "failed", 0, wait=20)
    assert [pool.choose(now) for now in (0, 10, 19.9, 20)] == [1, 1, 1, 0]
    pool.done(0, "failed", 20, wait=3600)
    assert [pool.choose(now) for now in (20 + LAST_PAUSE - 1, 20 + LAST_PAUSE)] == [1, 0]


def test_where_all_are_set_aside_the_one_that_is_back_first_is_asked() -> None:
    pool = Addresses(URLS[:3])
    for wait in (30, 10, 20):
        pool.done(pool.choose(0), "failed", 0, wait=wait)
    assert not any(pool.others_ready(place, 5) for place in range(3))
    assert pool.choose(5) == 1
    assert Addresses(URLS[:1]).counts() == {}


@pytest.mark.slow
@given(
    number=st.integers(2, 4),
    data=st.data(),
    calls=st.integers(1, 60),
    at_once=st.integers(1, 8),
)
def test_every_call_is_answered_once_while_one_address_lives(
    number: int, data: st.DataObject, calls: int, at_once: int
) -> None:
    """Addresses die and come back at any time but one; the calls under way always add up."""
    alive = data.draw(st.integers(0, number - 1))
    pool, now = Addresses(URLS[:number]), 0.0
    waiting = list(range(calls))
    under_way: list[tuple[int, int]] = []
    answered, at, failed = Counter[int](), Counter[int](), Counter[int]()
    while waiting or under_way:
        now += data.draw(st.sampled_from([0.0, 0.1, 1.5]))
        if waiting and len(under_way) < at_once:
            place = pool.choose(now)
            under_way.append((waiting.pop(), place))
        else:
            call, place = under_way.pop(data.draw(st.integers(0, len(under_way) - 1)))
            down = place != alive and data.draw(st.booleans())
            pool.done(place, "failed" if down else "answered", now)
            if down:
                failed[place] += 1
                waiting.append(call)
                now += 0.1
            else:
                answered[call] += 1
                at[place] += 1
        # What the pool believes to be under way is what is.
        busy = Counter(place for _, place in under_way)
        assert [one.under_way for one in pool._all] == [busy[place] for place in range(number)]
    assert answered == Counter(range(calls))
    assert pool.counts() == {
        URLS[place]: {"answered": at[place], "failed": failed[place]} for place in range(number)
    }


@given(number=st.integers(1, 4), ends=st.lists(st.integers(0, 100), max_size=80))
def test_loads_of_healthy_addresses_never_differ_by_more_than_what_ended(
    number: int, ends: list[int]
) -> None:
    """A call is never given to an address while another has less under way."""
    pool, load = Addresses(URLS[:number]), [0] * number
    for end in ends:
        place = pool.choose(0)
        assert load[place] == min(load)
        load[place] += 1
        if end % 3 and load[end % number]:
            pool.done(end % number, "answered", 0)
            load[end % number] -= 1


def test_words() -> None:
    assert silent_warning(URLS[:1], 1) == (
        "http://a:8000/v1 does not answer; the run begins with the other address and tries again later."
    )
    assert (
        "http://a:8000/v1 and http://b:8000/v1 do not answer; the run begins with the other 2 addresses"
        in (silent_warning(URLS[:2], 2))
    )
    assert counted({URLS[0]: {"answered": 3, "failed": 1}}) == "http://a:8000/v1: 3 answered, 1 failed"
    assert same_model("http://a/v1,http://b/v1#x", "http://b/v1/#x")
    assert not same_model("http://a/v1#x", "http://a/v1#y")
    assert not same_model("hf/x", "hf/x")
