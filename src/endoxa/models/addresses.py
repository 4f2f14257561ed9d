"""The addresses of one model on several servers: how they are written, and which of them takes the next call.

`Addresses` is a state machine without a clock and without a network: it is told when a call begins and how it ended.
A call goes where the fewest are under way. An address that fails is set aside, for longer each time, then tried with
one call.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from endoxa.errors import UserError
from endoxa.models.spec import KEY_VARIABLE

FIRST_PAUSE = 1.0
"""Seconds for which an address is set aside after its first failure; each further one in a row doubles them."""
LAST_PAUSE = 60.0
"""Seconds: no address is set aside for longer, whatever it asks for."""
FORM = "http://HOST:PORT/v1,http://HOST:PORT/v1#NAME"

Outcome = Literal["answered", "failed", "dropped"]
"""How a call ended; "dropped" is neither: it was cancelled, or the run ended."""


def read_addresses(text: str) -> tuple[tuple[str, ...], str]:
    """Addresses and model of `http(s)://...#NAME`, where several addresses are separated by commas.

    Raises:
        UserError: an address cannot be used or is there twice, or no model is named.
    """
    written, _, name = text.partition("#")
    addresses = checked_addresses(written)
    if not name:
        raise UserError(f"The model '{text}' names no model on that server: write it as {written}#NAME.")
    if ",http://" in name or ",https://" in name:
        raise UserError(f"The model '{text}' has an address behind its name: write {FORM}.")
    return addresses, name


def same_model(first: str, second: str) -> bool:
    """Both words name the same model at addresses, one of which at least is the same."""
    served = [text.partition("#") for text in (first, second)]
    shared = set.intersection(*({url.rstrip("/") for url in urls.split(",")} for urls, _, _ in served))
    return bool(served[0][2]) and served[0][2] == served[1][2] and bool(shared)


def checked_addresses(written: str) -> tuple[str, ...]:
    """One address, or several separated by commas.

    Raises:
        UserError: one of them cannot be used, or is there twice.
    """
    parts = [part.strip() for part in written.split(",")]
    if not all(parts):
        raise UserError(f"An address is missing beside a comma: write {FORM}.")
    addresses = tuple(checked_address(part) for part in parts)
    schemes = {urlsplit(address).scheme for address in addresses}
    if len(schemes) > 1:
        raise UserError("The addresses of a model must all begin with http:// or all with https://.")
    for k, address in enumerate(addresses):
        if address in addresses[:k]:
            raise UserError(f"The address '{address}' is given twice. Name each address once.")
    return addresses


def checked_address(url: str) -> str:
    """The address of an interface, which is written into the run; host and scheme in lower case.

    Raises:
        UserError: it holds a secret, or is none.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, a bracket that is not closed
        raise UserError(
            "A model's address cannot be read: write http://HOST:PORT/v1, with a port up to 65535."
        ) from None
    if "@" in parts.netloc or parts.query:
        raise UserError(
            "A model's address must hold no user name, password or '?', because it is written into the run: set the "
            f"environment variable of its key ({KEY_VARIABLE}, or the one its preset names) instead."
        )
    if not usable:
        raise UserError(f"The address '{url}' has no host: write http://HOST:PORT/v1.")
    return parts._replace(netloc=parts.netloc.lower()).geturl().rstrip("/")


@dataclass(slots=True)
class _Address:
    """What is known of one address.

    Attributes:
        url: the address.
        under_way: calls begun and not ended.
        answered: calls that were answered.
        failed: calls that were not.
        in_a_row: failures since the last answer, those of calls that failed together counted once.
        until: set aside until then.
        chosen: number of the last call that it was given, of all calls.
    """

    url: str
    under_way: int = 0
    answered: int = 0
    failed: int = 0
    in_a_row: int = 0
    until: float = 0.0
    chosen: int = -1

    def takes(self, now: float) -> bool:
        """It may be given a call; one that has failed is tried with a single call."""
        return not self.in_a_row or (now >= self.until and not self.under_way)


@dataclass(slots=True)
class Addresses:
    """Chooses an address for each call, and counts what became of it. Threads may share it.

    Args:
        urls: the addresses, each once.
    """

    urls: Sequence[str]
    _all: list[_Address] = field(init=False)
    _calls: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._all = [_Address(url) for url in self.urls]

    def choose(self, now: float) -> int:
        """Place of the address for the next call: the one with the fewest calls under way, ties in turn.

        Where all are set aside, it is the one whose pause ends first.
        """
        with self._lock:
            places = range(len(self._all))
            ready = [place for place in places if self._all[place].takes(now)]

            def burden(place: int) -> tuple[float, int, int]:
                address = self._all[place]
                return 0.0 if ready else address.until, address.under_way, address.chosen

            place = min(ready or places, key=burden)
            self._all[place].under_way += 1
            self._all[place].chosen = self._calls = self._calls + 1
            return place

    def done(self, place: int, outcome: Outcome, now: float, wait: float | None = None) -> None:
        """Note how a call ended that `choose` gave this place.

        Args:
            place: the address.
            outcome: how it ended.
            now: when.
            wait: seconds that a failing server asks to be left alone, or None.
        """
        with self._lock:
            address = self._all[place]
            address.under_way -= 1
            if outcome == "answered":
                address.answered += 1
                address.in_a_row, address.until = 0, 0.0
            elif outcome == "failed":
                address.failed += 1
                if now >= address.until:  # calls that fail together are one failure of the address
                    address.in_a_row += 1
                    address.until = now + min(LAST_PAUSE, FIRST_PAUSE * 2 ** min(address.in_a_row - 1, 16))
                address.until = max(address.until, now + min(wait or 0.0, LAST_PAUSE))

    def others_ready(self, place: int, now: float) -> bool:
        """Another address than that at `place` takes calls."""
        with self._lock:
            return any(address.takes(now) for k, address in enumerate(self._all) if k != place)

    def counts(self) -> dict[str, dict[str, int]]:
        """Calls answered and failed by address; empty where there is one address only."""
        if len(self._all) == 1:
            return {}
        return {
            address.url: {"answered": address.answered, "failed": address.failed} for address in self._all
        }


def silent_warning(silent: Sequence[str], left: int) -> str:
    """What is said at the start of a run where some addresses do not answer.

    Args:
        silent: these.
        left: number of the others.
    """
    others = "the other address" if left == 1 else f"the other {left} addresses"
    verb = "does" if len(silent) == 1 else "do"
    return f"{' and '.join(silent)} {verb} not answer; the run begins with {others} and tries again later."


def addresses_fact(counts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """The counts of `Addresses.counts` as `run.json` has them: nothing where there is one address only."""
    return {"addresses": counts} if counts else {}


def counted(counts: Mapping[str, Mapping[str, int]]) -> str:
    """The counts of `Addresses.counts` in words."""
    return "; ".join(
        f"{url}: {calls['answered']} answered, {calls['failed']} failed" for url, calls in counts.items()
    )
