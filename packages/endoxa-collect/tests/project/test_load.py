"""A room of people on their phones, driven by locust: no error, no lost and no doubled answer."""

from __future__ import annotations

import pytest

from collect_support.served import drive, kept, served

pytestmark = pytest.mark.slow


def test_a_room_on_its_phones_loses_nothing(tmp_path):
    with served(tmp_path / "camp") as site:
        thanked = tmp_path / "thanked"
        # Everybody joins within five seconds, then a card every two: as many requests as 160 people make in a workshop.
        printed = drive(
            site,
            thanked,
            people=40,
            joining_per_second=8,
            seconds=15,
            environment={"ENDOXA_SECONDS_A_CARD": "2"},
        )
        answers = thanked.read_text().splitlines()
        [(stored,)] = site.ask("select count(*) from collect_rating")
        # How many there are is a matter of the machine; whoever was cut off at the end was not thanked.
        assert 0 < len(answers) <= stored
        assert len(set(answers)) == len(answers)
        assert kept(site, thanked) == (0, 0)
    # Beside the load: what a person meets.
    assert "taps per card" in printed
    assert "words per person" in printed
