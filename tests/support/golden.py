"""Runs cases of commands in one folder and reduces what they leave to plain text that must stay as it is.

Nothing here knows a module of the program: the command line, the files it writes, and the name of its entry point.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, entry_points, version
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import polars as pl
from openpyxl import load_workbook

from collect_support import commands
from endoxa import __version__

DIGITS = 10
"""Significant digits that are compared where no network was computed."""

NETWORK_TOLERANCE = 1e-4
"""Relative difference that another processor may cause in what a network of 32-bit numbers computed."""

TERMINAL = "terminal.txt"
_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w])")
_LONG = re.compile(r"(?<![\w.])-?\d*\.\d{6,}(?:[eE][+-]?\d+)?(?![\w])")


@dataclass(frozen=True)
class Case:
    """What is typed, and what must have been done before.

    Attributes:
        name: name of the case and of the folder into which its commands write.
        commands: lines of `endoxa ...`; `fill FILE COLUMN=VALUE,VALUE` is what people write into a sheet, and
            `replace FILE OLD NEW` and `copy FROM TO` how they edit files.
        after: cases whose files it reads.
        network: whether numbers come from a neural network.
        slow: whether it takes more than a second.
        leave: files that are not compared, as patterns with `*` for any part of a path: other files hold the same
            rows, or they are secrets.
    """

    name: str
    commands: tuple[str, ...]
    after: tuple[str, ...] = ()
    network: bool = False
    slow: bool = False
    leave: tuple[str, ...] = ()


def read_cases(path: Path) -> dict[str, Case]:
    """The cases of a table, by name."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: Case(
            name,
            tuple(line for line in row.pop("commands").replace("\\\n", " ").splitlines() if line.strip()),
            **{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()},
        )
        for name, row in table.items()
    }


@dataclass
class Runner:
    """Runs cases in a folder, each once, after those that it needs.

    Attributes:
        folder: where commands run.
        cases: all cases, by name.
        results: texts by file name, of the cases that were run.
    """

    folder: Path
    cases: dict[str, Case]
    results: dict[str, dict[str, str]] = field(default_factory=dict)

    def texts(self, name: str) -> dict[str, str]:
        """What a case leaves: the terminal and every file, as text that is the same on every machine."""
        if name not in self.results:
            case = self.cases[name]
            for earlier in case.after:
                self.texts(earlier)
            (self.folder / name).mkdir(exist_ok=True)
            terminal = "\n".join(self._typed(line) for line in case.commands)
            texts = {TERMINAL: self._plain(terminal, case)}
            for path in sorted((self.folder / name).rglob("*")):
                inner = path.relative_to(self.folder / name)
                if path.is_file() and not any(fnmatch(inner.as_posix(), pattern) for pattern in case.leave):
                    text = file_text(path)
                    if text is not None:
                        text = self._plain(text, case)
                        same = next((key for key, other in texts.items() if other == text), None)
                        texts[f"{inner.as_posix()}.txt"] = f"The same text as {same}\n" if same else text
            self.results[name] = texts
        return self.results[name]

    def _plain(self, text: str, case: Case) -> str:
        plain = normalised(text, self.folder)
        return (
            re.sub(r"(?<!\.)\b[0-9a-f]{12}\b", "<hash>", plain) if case.network else plain
        )  # of weights, to the last bit

    def _typed(self, line: str) -> str:
        words = shlex.split(line)
        if words[0] == "fill":
            fill(self.folder / words[1], dict(word.split("=", 1) for word in words[2:]))
            return f"$ {line}\n"
        if words[0] == "copy":
            shutil.copyfile(self.folder / words[1], self.folder / words[2])
            return f"$ {line}\n"
        if words[0] == "replace":
            replace(self.folder / words[1], *words[2:])
            return f"$ {line}\n"
        code, output = run_command(words[1:], self.folder)
        ended = f"(exit code {code})\n" if code else ""
        return f"$ {' '.join(line.split())}\n{output}{ended}"


def run_command(words: list[str], folder: Path) -> tuple[int, str]:
    """Exit code and output (first the standard output, then warnings and errors) of one command.

    Commands of the campaign site set up Django once for one campaign, so each has a process of its own. There the
    system's random bytes come from a seed.
    """
    environment = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    if words[0] == "collect":
        kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        done = commands.run(_PROGRAM, *words, env={**kept, **environment}, cwd=folder, timeout=120)
        return done.returncode, done.stdout + done.stderr
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        chdir(folder),
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", ["endoxa", *words]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            _program()()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue() + err.getvalue()


@cache
def _program() -> Any:
    """What the installed command `endoxa` calls."""
    (script,) = entry_points(group="console_scripts", name="endoxa")
    return script.load()


_PROGRAM = """
import os, random, sys
from importlib.metadata import entry_points
draw = random.Random(" ".join(sys.argv[1:])).randbytes
os.urandom = random._urandom = draw  # ids and codes of a campaign
(script,) = entry_points(group="console_scripts", name="endoxa")
script.load()()
"""


def fill(path: Path, answers: dict[str, str]) -> None:
    """Write into the rows of a table, as people would: the values of a column by turns."""
    values = {name: cycle(text.split(",")) for name, text in answers.items()}
    if path.suffix == ".xlsx":
        book = load_workbook(path)
        sheet = book.worksheets[0]
        for heading in sheet[1]:
            if heading.value in values:
                for row in range(2, sheet.max_row + 1):
                    if sheet.cell(row, 1).value:
                        sheet.cell(row, heading.column).value = next(values[heading.value])
        book.save(path)
    else:
        table = pl.read_csv(path, infer_schema=False)
        names = {name: fnmatched(name, table.columns) for name in values}
        new = {
            column: pl.Series([next(values[name]) for _ in range(table.height)], dtype=pl.String)
            for name, columns in names.items()
            for column in columns
        }
        table.with_columns(**new).write_csv(path)


def replace(path: Path, old: str, new: str) -> None:
    """Replace words that stand in a file once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old}"
    path.write_text(text.replace(old, new.replace("\\n", "\n")), encoding="utf-8")


def fnmatched(name: str, columns: list[str]) -> list[str]:
    """Columns that a name with a star at its end stands for; another name is a column, perhaps a new one."""
    return [one for one in columns if one.startswith(name[:-1])] if name.endswith("*") else [name]


# ------------------------------------------------------------------ files as text

_PICTURES = frozenset({".png", ".svg", ".pdf", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".lock", ".zip"})
_SETTINGS = frozenset({"run.json"})
"""Holds versions, hashes and times; what it says of the run stands on the page, too."""


def file_text(path: Path) -> str | None:
    """A file as text; None for pictures, whose data are in the page, and for what has no fixed content."""
    if path.suffix in _PICTURES or path.name in _SETTINGS:
        return None
    if path.suffix == ".html":
        return page_text(path.read_text(encoding="utf-8"))
    if path.suffix == ".parquet":
        return table_text(pl.read_parquet(path))
    if path.suffix == ".xlsx":
        book = load_workbook(path)
        rows = (
            [page.title, *("" if cell is None else cell for cell in row)]
            for page in book
            for row in page.iter_rows(values_only=True)
        )
        return "".join(" | ".join(map(str, row)) + "\n" for row in rows)
    if path.suffix == ".npz":
        return None
    return path.read_text(encoding="utf-8")


def table_text(table: pl.DataFrame) -> str:
    """One row per line, sorted: rows of models that ran at the same time come in any order."""
    columns = " ".join(f"{name}:{kind}" for name, kind in table.schema.items())
    rows = sorted(" | ".join(_cell(cell) for cell in row) for row in table.iter_rows())
    return "\n".join([columns, *rows]) + "\n"


def _cell(cell: Any) -> str:
    """A cell: text as it is, on one line; other values as JSON."""
    return json.dumps(cell, ensure_ascii=False, default=str).strip('"')


_BLOCKS = re.compile(
    "address|article|aside|blockquote|br|caption|dd|desc|details|div|dl|dt|figcaption|figure|footer|form|h[1-6r]|header|"
    "li|main|nav|ol|option|p|pre|section|select|summary|svg|table|tbody|thead|title|tr|ul"
)
_HIDDEN = frozenset({"script", "style", "template"})


class _Visible(HTMLParser):
    """Texts by block; a chart is its title, its description and the rows that can be downloaded."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if _BLOCKS.fullmatch(tag):
            self.lines.append("")
        if tag in ("td", "th"):
            self.lines[-1] += " | "
        named = dict(attrs)
        if (named.get("href") or "").startswith("data:text/csv"):
            self.lines += ["", *unquote(str(named["href"]).split(",", 1)[1]).splitlines(), ""]
        if tag in _HIDDEN or tag == "svg" or ("svg" in self.open and tag in ("title", "desc")):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        if _BLOCKS.fullmatch(tag):
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else None
        if inside not in _HIDDEN and inside != "svg":
            self.lines[-1] += re.sub(r"\s+", " ", data)


def page_text(html: str) -> str:
    """What a page says: a line for each paragraph, heading and row of a table; rows behind charts as CSV."""
    page = _Visible()
    page.feed(html)
    lines = (" ".join(line.split()).strip("| ") for line in page.lines)
    return "".join(f"{line}\n" for line in lines if line)


# ------------------------------------------------------------------ what differs between machines and days

_PLACEHOLDERS = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\b20\d\d-[01]\d-[0-3]\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?)?( ?UTC|Z|[+-]00:00)?", "<time>"),
        (r"\b[0-9a-f]{32,}\b", "<hash>"),
        (rf"\b{re.escape(__version__)}\b", "<version>"),
        (r"\b\d+(\.\d+)? (s|ms|seconds?|minutes?)\b", "<duration>"),
        (r"(?m)^[^|\n]*: [0-9,]+ of [0-9,]+ [\w ]+(, [0-9.,]+ [\w ]+/s.*)?\n", ""),  # progress, as often as it took
        (r"\b\d{1,2} [A-Z][a-z]+ 20\d\d\b", "<date>"),
    )
)  # fmt: skip


def normalised(text: str, folder: Path) -> str:
    """Text without paths, times, hashes and versions, numbers with `DIGITS` digits, no blanks at the ends of lines."""
    text = text.replace(str(folder), "<folder>").replace("\r\n", "\n")
    for pattern, by in _PLACEHOLDERS:
        text = pattern.sub(by, text)
    for package, number in _versions():
        text = re.sub(rf"(?i)({re.escape(package)}\W{{1,6}}){re.escape(number)}", r"\1<version>", text)
    text = _LONG.sub(lambda match: f"{float(match.group()):.{DIGITS}g}", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    names = (
        "torch",
        "transformers",
        "numpy",
        "scipy",
        "polars",
        "statsmodels",
        "tokenizers",
    )
    found = []
    for name in names:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return (*found, ("Python", ".".join(map(str, sys.version_info[:3]))))


# ------------------------------------------------------------------ comparison


def first_difference(expected: str, actual: str, network: bool) -> str | None:
    """The first line that differs, in both texts; None if they say the same."""
    lines = expected.splitlines(), actual.splitlines()
    for number, (old, new) in enumerate(zip(*lines, strict=False), start=1):
        if not (old == new or _same(old, new, network)):
            return f"line {number}\n  expected: {old}\n  now:      {new}"
    if len(lines[0]) != len(lines[1]):
        longer = max(lines, key=len)[min(map(len, lines))]
        return f"{len(lines[0])} lines expected, {len(lines[1])} now; first without a partner:\n  {longer}"
    return None


def _same(old: str, new: str, network: bool) -> bool:
    """Whether lines are equal but for the last bits of numbers."""
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    return all(map(_close, _NUMBER.findall(old), _NUMBER.findall(new), cycle([network])))


def _close(old: str, new: str, network: bool) -> bool:
    first, second = (float(text.replace("−", "-")) for text in (old, new))
    if not network:
        return math.isclose(first, second, rel_tol=10.0 ** (1 - DIGITS), abs_tol=1e-12)
    digits = len(old.partition(".")[2].split("e")[0])
    return math.isclose(
        first, second, rel_tol=NETWORK_TOLERANCE, abs_tol=max(1e-5, 1.01 * 10.0**-digits if digits else 0)
    )


def compare(expected: Path, texts: dict[str, str], network: bool) -> Iterator[str]:
    """Sentences about what is not as it was in the folder of a case."""
    names = {path.relative_to(expected).as_posix() for path in expected.rglob("*") if path.is_file()}
    for name in sorted(names - texts.keys()):
        yield f"{name}: no longer written"
    for name, text in texts.items():
        if name not in names:
            yield f"{name}: was not written before"
        elif difference := first_difference((expected / name).read_text(encoding="utf-8"), text, network):
            yield f"{name}: {difference}"
