"""What the tests catch: small faults put into the code one at a time, each against the tests of its room.

    python tests/house/mutants.py --draw 100 --seed 7     add 100, drawn by a seed from the code as it is now
    python tests/house/mutants.py                         try those that were not tried yet
    python tests/house/mutants.py --room src/endoxa/study  try the recorded mutants of a room again
    python tests/house/mutants.py --trace                 note which tests run which mutant (needs `coverage`), once
    python tests/house/mutants.py --score                 print the score, by room

A mutant is one changed operator, condition, number or returned value. It is tried in a copy of the sources that stands
before the installed ones, so the working tree stays as it is. `mutants.csv` has a row for each: what it replaces, and
whether tests failed (`killed`), passed (`survived`) or used up the processor time (`limit`: not killed). The script
continues where it stopped, and later a mutant is looked up by its line, wherever that line has moved; where the line no
longer stands, it is `gone`.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("mutants.csv")
TRACE = ROOT / "build" / "mutants.json"
"""For each mutant, "path:line", the ids of the tests that run its line, the quickest first."""
MOST_TESTS = 200
"""Of the tests that run a mutant's line, how many are tried."""
CPU_SECONDS = 60
"""Processor time of the tests of one mutant; the machine may be busy with something else."""

SITE = "packages/endoxa-collect/src/endoxa_collect"
PLACES = ("src/endoxa/**/*.py", f"{SITE}/**/*.py")
"""What is drawn from. The first 200, by the seed 20261128, were drawn from what computes: statistics, estimates, study,
runs, curate, and the site's sampler, cards, export and withdrawals; the next 100, by 20261129, from all of it."""

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
}  # fmt: skip
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file.

    Attributes:
        path: file below the repository.
        line: number of its first line when it was drawn, from 1.
        text: the line as it stood, without spaces around it.
        before: the code that is replaced, which begins in this line.
        after: the code that replaces it.
        occurrence: which occurrence of `before` from the start of the line, from 0.
        outcome: "killed", "survived", "limit" or "gone"; empty before it was tried.
        seconds: processor time of the tests.
    """

    path: str
    line: int
    text: str
    before: str
    after: str
    occurrence: int
    outcome: str = ""
    seconds: float = 0.0

    @property
    def room(self) -> str:
        """The folder whose tests are run: a package of the toolkit, an instrument, or a room of the site."""
        parts = Path(self.path).parts
        depth = 4 if parts[2] == "instruments" else 5 if parts[0] == "packages" else 3
        return "/".join(parts[: min(depth, len(parts) - 1)])

    @property
    def place(self) -> str:
        """File and line: the name of the mutant among what was traced."""
        return f"{self.path}:{self.line}"

    def applied(self, source: str) -> str | None:
        """The source with the change, None where its line no longer stands there."""
        lines = source.splitlines(keepends=True)
        numbers = [number for number, line in enumerate(lines) if line.strip() == self.text]
        if not numbers:
            return None
        nearest = min(numbers, key=lambda number: abs(number + 1 - self.line))
        rest = "".join(lines[nearest:])
        pieces = rest.split(self.before)
        if len(pieces) < self.occurrence + 2:
            return None
        first, second = pieces[: self.occurrence + 1], pieces[self.occurrence + 1 :]
        return "".join(lines[:nearest]) + self.before.join(first) + self.after + self.before.join(second)


def changed(node: ast.AST) -> ast.AST | None:
    """A node with one fault in it, or None where none of ours applies."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARED:
            return ast.Compare(node.left, [COMPARED[type(operator)]()], node.comparators)
        case ast.BinOp(op=operator) if type(operator) in COMPUTED:
            return ast.BinOp(node.left, COMPUTED[type(operator)](), node.right)
        case ast.BoolOp(op=operator):
            return ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            return ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in SWAPPED:
            return ast.Call(ast.Name(SWAPPED[name]), node.args, node.keywords)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            return ast.Return(ast.Constant(None))
    return None


def code_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below one that runs: without annotations, decorators and what only types read."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not (
                isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            ):
                yield child
                yield from code_nodes(child)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    for node in code_nodes(ast.parse(source)):
        fault = changed(node)
        if fault is None:
            continue
        before = ast.get_source_segment(source, node)
        assert before is not None
        line = lines[node.lineno - 1]
        start = len(line.encode()[: node.col_offset].decode())
        after = ast.unparse(ast.fix_missing_locations(fault))
        yield Mutant(
            path=path.relative_to(ROOT).as_posix(),
            line=node.lineno,
            text=line.strip(),
            before=before,
            after=f"({after})" if isinstance(node, ast.expr) else after,
            occurrence=line[:start].count(before),
        )


def drawn(number: int, seed: int) -> list[Mutant]:
    """Mutants of the code as it is now."""
    paths = sorted(
        path for pattern in PLACES for path in ROOT.glob(pattern) if "migrations" not in path.parts
    )
    everything = [mutant for path in paths for mutant in mutants_of(path)]
    return random.Random(seed).sample(everything, number)


def room_tests(mutant: Mutant, *, near: bool = False) -> list[str]:
    """Test files of the mutant's room, or the `near` ones: those that name its module, or are called like it."""
    path = Path(mutant.path)
    site = path.parts[0] == "packages"
    base = ROOT / ("packages/endoxa-collect/tests" if site else "tests")
    room = base.joinpath(*Path(mutant.room).parts[4 if site else 2 :])
    files = sorted(base.glob("test_*.py") if room == base or not room.is_dir() else room.rglob("test_*.py"))
    module = ".".join(path.with_suffix("").parts[3 if site else 1 :]).removesuffix(".__init__")

    def named(file: Path) -> bool:
        return module in file.read_text(encoding="utf-8") or path.stem in file.stem

    wanted = filter(named, files) if near else sorted(files, key=lambda file: not named(file))
    return [str(file.relative_to(ROOT)) for file in wanted]


def tests_of(mutant: Mutant) -> list[str]:
    """What to run: the quickest tests that run the mutant's line and still stand, and near files; or the room's."""
    names = json.loads(TRACE.read_text()).get(mutant.place, []) if TRACE.exists() else []
    functions = dict.fromkeys(name.split("[")[0] for name in names)
    standing = [name for name in functions if is_there(name.split("::")[0], name.split("::")[-1])]
    return [*standing[:MOST_TESTS], *room_tests(mutant, near=True)] if standing else room_tests(mutant)


def is_there(path: str, function: str) -> bool:
    """Whether a test that was traced still stands."""
    file = ROOT / path
    return file.exists() and f"def {function}(" in file.read_text(encoding="utf-8")


def tried(mutant: Mutant, copy: Path) -> Mutant:
    """The mutant with its outcome.

    Args:
        mutant: what to try.
        copy: a folder that nothing else uses meanwhile, for a copy of the sources.
    """
    path = ROOT / mutant.path
    fault = mutant.applied(path.read_text(encoding="utf-8")) if path.exists() else None
    if fault is None:
        return replace(mutant, outcome="gone", seconds=0.0)
    for sources in ("src", "packages/endoxa-collect/src"):  # anew: a fault may have removed files
        leave = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / sources, copy / sources, ignore=leave, dirs_exist_ok=True)
    (copy / mutant.path).write_text(fault, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        Path(__file__).stem,
        "-m",
        "not browser",
        *tests_of(mutant),
    ]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(
            (f"{copy}/src", f"{copy}/packages/endoxa-collect/src", str(Path(__file__).parent))
        ),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(copy),
        "MUTANT": mutant.place,
    }
    limit = f'ulimit -t {CPU_SECONDS}; exec "$@"'
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    try:
        done = subprocess.run(
            ["sh", "-c", limit, "sh", *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            timeout=15 * CPU_SECONDS,
            check=False,
        )
        outcome = {0: "survived", 1: "killed", 2: "killed", 3: "killed", 4: "killed"}.get(
            done.returncode, "limit"
        )
    except subprocess.TimeoutExpired:
        outcome = "limit"
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = min(end.ru_utime - start.ru_utime, time.monotonic() - began)
    return replace(mutant, outcome=outcome, seconds=round(seconds, 1))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Called by pytest, to which this module is given as a plugin: tests that run the mutant first, slow ones last."""
    names = json.loads(TRACE.read_text()).get(os.environ.get("MUTANT"), []) if TRACE.exists() else []
    order = {name: number for number, name in enumerate(names)}
    items.sort(
        key=lambda item: (
            item.get_closest_marker("slow") is not None,
            order.get(item.nodeid, len(order)),
        )
    )


def trace(files: list[str], mutants: list[Mutant]) -> dict[str, list[str]]:
    """Run the quick tests of files, in this process; the tests that run each mutant's line, the quickest first."""
    import pytest

    import coverage

    class Contexts:
        """Names the lines that a test runs after it."""

        seconds: ClassVar[dict[str, float]] = {}

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
            began = time.perf_counter()
            traced.switch_context(item.nodeid)
            yield
            self.seconds[item.nodeid] = time.perf_counter() - began

    traced = coverage.Coverage(
        data_file=None, include=sorted({str(ROOT / mutant.path) for mutant in mutants}), config_file=False
    )
    traced.start()
    pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not browser and not slow", *files], [Contexts()])
    traced.stop()
    data = traced.get_data()
    runs = {
        mutant.place: data.contexts_by_lineno(str(ROOT / mutant.path)).get(mutant.line, [])
        for mutant in mutants
    }
    return {
        place: sorted(filter(None, names), key=lambda name: Contexts.seconds.get(name, 0.0))
        for place, names in runs.items()
    }


def recorded() -> list[Mutant]:
    """The rows of the table."""
    numbers = (("line", int), ("occurrence", int), ("seconds", float))
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [
            Mutant(**row | {name: kind(row[name]) for name, kind in numbers}) for row in csv.DictReader(file)
        ]


def write(mutants: list[Mutant]) -> None:
    """Replace the table at once, so that a kill leaves the earlier one."""
    draft = TABLE.with_suffix(".draft")
    with draft.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(asdict(mutants[0])), lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(mutant) for mutant in mutants)
    draft.replace(TABLE)


def print_score(mutants: list[Mutant]) -> None:
    """Killed of tried mutants, by room and in all; a line for each that was not killed."""
    rooms = Counter((mutant.room, mutant.outcome) for mutant in mutants)
    for room in (*sorted({mutant.room for mutant in mutants}), ""):
        counts = Counter({out: n for (name, out), n in rooms.items() if room == name}) if room else Counter(
            mutant.outcome for mutant in mutants
        )  # fmt: skip
        number = sum(n for outcome, n in counts.items() if outcome not in {"", "gone"})
        share = f"{counts['killed'] / number:.0%}" if number else "-"
        print(f"{room or 'all':60} {counts['killed']:4} of {number:4} {share:>5}  {dict(counts)}")
    for mutant in mutants:
        if mutant.outcome in {"survived", "limit"}:
            print(f"{mutant.outcome:9} {mutant.path}:{mutant.line}: {mutant.before!r} -> {mutant.after!r}")


def main() -> None:
    """Try mutants and write the table after each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--room", help="Try the recorded mutants below this folder again.")
    parser.add_argument(
        "--draw", type=int, default=0, help="Add this many mutants to the table; try nothing."
    )
    parser.add_argument("--seed", type=int, default=0, help="Seed of --draw.")
    parser.add_argument("--jobs", type=int, default=2, help="Mutants tried at the same time.")
    parser.add_argument("--trace", action="store_true", help="Note which tests run which mutant.")
    parser.add_argument("--score", action="store_true", help="Print the score; try nothing.")
    arguments = parser.parse_args()
    mutants = recorded()
    if arguments.draw:
        write(mutants + drawn(arguments.draw, arguments.seed))
        return
    if arguments.score:
        print_score(mutants)
        return
    if arguments.trace:
        files = dict.fromkeys(file for mutant in mutants for file in room_tests(mutant))
        TRACE.parent.mkdir(exist_ok=True)
        TRACE.write_text(json.dumps(trace(list(files), mutants), indent=1), encoding="utf-8")
        return
    wanted = [
        number
        for number, mutant in enumerate(mutants)
        if (mutant.path.startswith(arguments.room) if arguments.room else not mutant.outcome)
    ]
    write(mutants)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(arguments.jobs):
            copies.put(Path(folder, str(number)))

        def attempt(number: int) -> tuple[int, Mutant]:
            copy = copies.get()
            try:
                return number, tried(mutants[number], copy)
            finally:
                copies.put(copy)

        for count, (number, mutant) in enumerate(pool.map(attempt, wanted), 1):
            mutants[number] = mutant
            write(mutants)
            print(f"{count} of {len(wanted)}: {mutant.outcome} {mutant.path}:{mutant.line}", flush=True)
    print_score(mutants)


if __name__ == "__main__":
    main()
