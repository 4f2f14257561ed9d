"""Processor time and queries of a request: people of `crowd_on_phones.py` in one process, without network and pauses.

    python benchmarks/request_cost.py [--people N] [--cards N] [--postgresql]

Answer times depend on what else a machine does; these two figures hardly do. Prints them for each kind of request, and
the processor time of PostgreSQL beside them.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Any

os.environ["LOCUST_SKIP_MONKEY_PATCH"] = "1"

from frame import options, postgresql


class Phone:
    """What `crowd_on_phones.Contributor` takes for its client; follows redirects as a browser does."""

    def __init__(self, costs: Costs) -> None:
        from django.test import Client

        self._client, self._costs = Client(SERVER_NAME="localhost"), costs

    def get(self, address: str, *, name: str, **_: Any) -> Page:
        """Ask for a page."""
        return Page(self._costs.measured(name, lambda: self._client.get(address, follow=True)))

    def post(self, address: str, form: dict[str, Any], *, name: str, **_: Any) -> Page:
        """Send a form."""
        return Page(self._costs.measured(name, lambda: self._client.post(address, form, follow=True)))


class Page:
    """A response as locust gives it."""

    def __init__(self, response: Any) -> None:
        self.ok, self.text = response.status_code < 400, response.content.decode()
        assert self.ok, response.status_code

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""


class Costs:
    """Sums by kind of request; a redirect and the page that it leads to are one."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.queries: Counter[str] = Counter()
        self.requests: Counter[str] = Counter()
        self._asked = 0

    def count(self, execute: Any, *rest: Any) -> Any:
        """A wrapper of `connection.execute_wrapper`."""
        self._asked += 1
        return execute(*rest)

    def measured(self, name: str, act: Any) -> Any:
        """Do something and note what it took."""
        self._asked, begun = 0, time.process_time()
        result = act()
        self.seconds[name] += time.process_time() - begun
        self.queries[name] += self._asked
        self.requests[name] += 1
        return result

    def table(self) -> str:
        """Lines for each kind, and for all together."""
        lines = [f"{'':24}{'number':>8}{'CPU, ms':>9}{'queries':>9}"]
        for name, number in self.requests.most_common():
            mean = 1_000 * self.seconds[name] / number
            lines.append(f"{name:24}{number:8}{mean:9.2f}{self.queries[name] / number:9.1f}")
        number = self.requests.total()
        mean = 1_000 * sum(self.seconds.values()) / number
        return "\n".join([*lines, f"{'all':24}{number:8}{mean:9.2f}{self.queries.total() / number:9.1f}"])


def main() -> None:
    """Run and print."""
    parser = options(__doc__, people=20, cards=15)
    parser.add_argument("--postgresql", action="store_true")
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "camp"
        if args.postgresql:
            os.environ["DATABASE_URL"] = stack.enter_context(postgresql())
        _make(folder)
        _drive(args.people, args.cards)


def _make(folder: Path) -> None:
    """A campaign that can be joined, as `endoxa collect init` makes it, in this process."""
    from endoxa_collect.project.folder import enter, making

    with making(folder) as made:
        enter(made, new=True)
        from endoxa_collect.project.folder import prepare
        from endoxa_collect.project.starting import collect_static, start

        prepare()
        started = start("laces", "laces", "organiser", password=None, organisation=None, contact=None)
    collect_static()
    os.environ["ENDOXA_JOIN"] = f"/j/{started.code}/"


def _drive(people: int, cards: int) -> None:
    from django.db import connection

    from crowd_on_phones import Contributor

    random.seed(1)
    costs, crowd = Costs(), []
    before = _of_postgres()
    with connection.execute_wrapper(costs.count):
        for _ in range(people):
            person: Any = Contributor.__new__(Contributor)
            person.client = Phone(costs)
            person.on_start()
            crowd.append(person)
        for _ in range(cards):
            for person in crowd:
                person.one_card()
    print(costs.table())
    if connection.vendor == "postgresql":
        share = 1_000 * (_of_postgres() - before) / costs.requests.total()
        print(f"PostgreSQL: {share:.2f} ms of CPU a request")
    connection.close()


def _of_postgres() -> float:
    """Seconds of CPU of the PostgreSQL process that answers us."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
