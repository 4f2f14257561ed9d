"""Progress where nobody watches a bar: what lines say, and when."""

from __future__ import annotations

import re
import threading

import pytest

from endoxa.runs import progress


class Clock:
    """Seconds that pass only when told."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_counters_never_go_back_and_end_where_the_work_ended(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.shown("pairs") as report:
        for done in (100, 190, 120, 200):
            clock.now += 6
            report("scoring", done, 200)
        clock.now += 6
        report("writing", 0, 200)
        clock.now += 1
        report("writing", 200, 200)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "scoring",
        "scoring: 190 of 200 pairs, 15.0 pairs/s",
        "scoring: 200 of 200 pairs, 5.6 pairs/s",
        "writing",
        "writing: 200 of 200 pairs",
    ]


def test_what_came_last_is_shown_while_nothing_follows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Eight answers came in the first seconds; the ninth takes minutes."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    printed = threading.Event()
    write = progress._write
    monkeypatch.setattr(progress, "_write", lambda line: (write(line), "8 of 16" in line and printed.set()))
    with progress.shown("answers") as report:
        report("asking", 0, 16)
        report("asking", 4, 16)
        report("asking", 8, 16, "812 tokens")
        assert printed.wait(10)
        during = capsys.readouterr().err
    assert re.search(r"asking: 8 of 16 answers, 812 tokens, [\d.]+ answers/s\n$", during)


def test_what_is_left_follows_the_speed_of_late_and_not_that_of_the_whole_phase(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """600 pairs in the first minute, then one a second: 400 of them take 400 s, and not the 80 s of the average."""
    with progress.shown("pairs") as report:
        report("scoring", 400, 2000)  # 400 came in an earlier run
        for seconds in range(1, 661):
            clock.now += 1
            report("scoring", 400 + (10 * seconds if seconds <= 60 else 540 + seconds), 2000)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "scoring: 1600 of 2000 pairs, 1.0 pairs/s, about 7 min left"


def test_names_of_other_people_cannot_write_to_the_terminal_from_python(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress.shown("pairs") as report:
        report("scoring hf/\x1b]0;evil\x07", 0, 2)
    assert capsys.readouterr().err == "scoring hf/\\u001b]0;evil\\u0007\n"
