from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from endoxa.errors import UserError
from endoxa.models.chat.remote import rate_limit
from endoxa.models.retrying import Retrier, SilentError, TransientError
from support import virtual_time


def shortest(low: float, _high: float) -> float:
    return low


def longest(_low: float, high: float) -> float:
    return high


def retrier(
    attempts: int = 12, patience: float = 180.0, uniform: Callable[[float, float], float] = longest
) -> Retrier:
    return Retrier("It", attempts, patience, clock=virtual_time.now, uniform=uniform)


class Failing:
    """Fails as often as it is told, and notes when it was asked."""

    def __init__(self, *problems: Exception) -> None:
        self._problems = list(problems)
        self.moments: list[float] = []

    async def __call__(self) -> str:
        self.moments.append(virtual_time.now())
        if self._problems:
            raise self._problems.pop(0)
        return "yes"


def test_delays_grow_up_to_a_bound() -> None:
    async def main() -> list[float]:
        send = Failing(*[TransientError("no")] * 9)
        assert await retrier().run(send) == "yes"
        return [later - earlier for earlier, later in zip(send.moments, send.moments[1:], strict=False)]

    assert virtual_time.run(main()) == pytest.approx([0.5, 1, 2, 4, 8, 16, 30, 30, 30])


@pytest.mark.parametrize(
    ("asked", "uniform", "waited"),
    [(7.0, shortest, 7.0), (3600.0, shortest, 180.0), (0.0, shortest, 0.0), (10.0, longest, 11.0)],
)
def test_providers_waiting_time_is_honoured_up_to_our_patience_and_not_by_all_at_once(
    asked: float, uniform: Callable[[float, float], float], waited: float
) -> None:
    async def main() -> float:
        await retrier(uniform=uniform).run(send := Failing(TransientError("no", asked)))
        return send.moments[-1]

    assert virtual_time.run(main()) == pytest.approx(waited, abs=1e-6)


def test_silence_ends_all_calls_with_one_error() -> None:
    async def main() -> tuple[list[UserError | str], float]:
        several = retrier(patience=60.0)
        calls = [several.run(Failing(*[TransientError("no route")] * 1000)) for _ in range(8)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        with pytest.raises(UserError):
            await several.run(Failing())
        return ended, virtual_time.now()

    ended, moment = virtual_time.run(main())
    assert len({id(problem) for problem in ended}) == 1
    assert "for 60 seconds every call failed (no route)" in str(ended[0])
    assert "the same command continues" in str(ended[0])
    assert 60 <= moment <= 120


def test_a_permanent_error_is_raised_once_and_nothing_is_sent_after_it() -> None:
    async def main() -> tuple[list[object], int]:
        refused, sent = UserError("no such key"), 0

        async def send() -> str:
            nonlocal sent
            sent += 1
            await asyncio.sleep(1)
            raise refused

        several = retrier()
        first = await asyncio.gather(*[several.run(send) for _ in range(8)], return_exceptions=True)
        return [*first, *await asyncio.gather(several.run(send), return_exceptions=True)], sent

    ended, sent = virtual_time.run(main())
    assert len({id(problem) for problem in ended}) == 1
    assert sent == 8


@pytest.mark.parametrize(("attempts", "patience", "times"), [(5, 180.0, 5), (1000, 4.0, 4)])
def test_one_call_that_never_works_is_given_up_while_others_are_answered(
    attempts: int, patience: float, times: int
) -> None:
    """After so many attempts, or so long; being told to slow down, or to come back later, is no failure."""

    async def main() -> list[float]:
        several = retrier(attempts=attempts, patience=patience)

        async def others() -> None:
            while True:
                await several.run(Failing())
                await asyncio.sleep(0.25)

        background = asyncio.ensure_future(others())
        poisoned = Failing(*[TransientError("status 500")] * 1000)
        with pytest.raises(TransientError, match="status 500"):
            await several.run(poisoned)
        assert await several.run(Failing(*[TransientError("slow down", slow_down=True)] * 20)) == "yes"
        assert await several.run(Failing(TransientError("busy", 10.0))) == "yes"
        background.cancel()
        return poisoned.moments

    moments = virtual_time.run(main())
    assert len(moments) == times
    assert patience > 4 or moments == pytest.approx([0, 0.5, 1.5, 3.5], abs=1e-6)


class Waiting:
    """A clock, and a client that waits where it stands and needs a second for every answer."""

    def __init__(self, *problems: Exception) -> None:
        self.problems, self.time = list(problems), 0.0

    def clock(self) -> float:
        return self.time

    def __call__(self) -> str:
        self.time += 1
        if self.problems:
            raise self.problems.pop(0)
        return "yes"


def test_a_client_that_waits_where_it_stands_has_the_same_policy() -> None:
    several = Waiting(*[TransientError("busy")] * 3)
    policy = Retrier("It", 12, 180.0, clock=several.clock, uniform=shortest)
    assert policy.call(several) == "yes"
    assert (several.time, policy.worked, policy.silent) == (4, True, False)

    dead = Waiting(*[TransientError("no route")] * 1000)
    policy = Retrier("It", 12, 60.0, clock=dead.clock, uniform=shortest, silence="is gone", advice="Look.")
    for _ in range(2):  # nothing is sent after the end
        with pytest.raises(
            SilentError, match=r"It is gone: for 60 seconds .*\(no route\)\. Look\. What was done"
        ):
            policy.call(dead)
    assert dead.time == 61

    with pytest.raises(ZeroDivisionError):
        virtual_time.run(retrier().run(Failing(ZeroDivisionError())))
    broken = Waiting(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        Retrier("It", 12, 60.0, clock=broken.clock).call(broken)


def test_requests_per_minute() -> None:
    async def main() -> list[float]:
        limit = rate_limit(60)
        moments = []
        for _ in range(120):
            async with limit:
                pass
            moments.append(virtual_time.now())
        return moments

    moments = virtual_time.run(main())
    assert moments[4] == pytest.approx(0, abs=1e-6)
    assert moments[-1] == pytest.approx(115)
    assert all(later - earlier >= 55 for earlier, later in zip(moments, moments[60:], strict=False))
