"""`endoxa datasets`: find, check, convert and download files of sentence pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from endoxa.commands.verbs import Outcome, add_command, argument, command_group
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.runs.options import IncludeDrafts
from endoxa.schema import ReadOptions
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, OUTPUT, Option, column_names
from endoxa.sources import READERS
from endoxa.sources.check import check_file
from endoxa.sources.check.problems import Problem, group_problems, write_problems
from endoxa.sources.files import sha256
from endoxa.sources.groups import FORMATS_WITHOUT_GROUPS
from endoxa.sources.layouts import layouts
from endoxa.sources.read import convert_pairs
from endoxa.sources.sources import cached_file, download, source, sources

_NOTICE = "Content notice: files of stereotypes contain offensive sentences. They are for evaluation only."
FIRST_ROWS = 5
"""Rows shown of problems that are alike."""

app = command_group("datasets")

PairsFile = Annotated[Path, argument("File of pairs in a known format.")]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file of pairs is read.

    Attributes:
        format: Format of FILE (see `endoxa datasets list`); `datasets check` also knows associations.
        language: Language of sentences without one (ISO 639).
        prefix: Format s-as: words to put before every identity ('African').
        template: Format s-as: sentence with {identity} and {attribute}.
        include_drafts: drafts that nobody has judged are read, too.
    """

    format: Annotated[str | None, Option(group=DATA, metavar="NAME", default="detected")] = None
    language: Annotated[str | None, Option(group=DATA, metavar="CODE")] = None
    prefix: Annotated[str | None, Option(group=DATA, metavar="WORDS")] = None
    template: Annotated[str | None, Option(group=DATA, metavar="TEXT")] = None
    include_drafts: IncludeDrafts = False

    def options(self) -> ReadOptions:
        """What readers are told."""
        return ReadOptions(language=self.language, prefix=self.prefix, template=self.template)


@dataclass(frozen=True, slots=True)
class NamedReading(Reading):
    """How a file of pairs with columns of any name is read.

    Attributes:
        columns: Your names of our columns (sent_more=stereotype).
    """

    columns: Annotated[
        Mapping[str, str], Option(group=DATA, metavar="OURS=THEIRS,...", parse=column_names)
    ] = field(default_factory=dict)

    def options(self) -> ReadOptions:
        """What readers are told."""
        return replace(Reading.options(self), columns=dict(self.columns))


def list_all(
    name: Annotated[str | None, argument(metavar="NAME")] = None,
) -> Outcome:
    """List the published data sets and the formats that can be read, or describe one data set.

    \b
    Examples:
      endoxa datasets list
      endoxa datasets list crows-pairs

    Options:
        name: One data set: origin, licence, citation, warning, hash, file.
    """  # noqa: D301
    if name is not None:
        return _described(name)
    data_sets = [
        (entry.name, entry.title, entry.format or "(no pairs)", entry.licence) for entry in sources().values()
    ]
    formats = [
        (entry.name, entry.title, entry.units, " ".join(entry.suffixes)) for entry in READERS.all().values()
    ]
    columns = ("name", "description", "unit per row", "file suffixes")
    read = [(entry.name, entry.title, entry.takes, entry.checked) for entry in layouts().values()]
    heads = ("name", "description", "taken by", "checked against")
    return Outcome(
        (
            _table("Data sets", ("name", "content", "format", "licence"), data_sets),
            _table("Formats", columns, formats),
            _table("Layouts of associations and questions", heads, read),
        )
    )


UNVERIFIED = "not published; downloads cannot be verified"


def _described(name: str) -> Outcome:
    """Where a data set comes from, its licence, citation, warning and hash."""
    described = source(name)
    cached = cached_file(described)
    rows = [
        ("title", described.title),
        ("format", described.format or "no pairs"),
        ("licence", described.licence),
        ("citation", described.citation),
        ("warning", described.warning),
        ("note", described.note),
        ("address", "comes with endoxa" if described.is_sample else described.url),
        ("SHA-256", described.sha256 or ("" if described.is_sample else UNVERIFIED)),
        ("file", str(cached) if cached.is_file() else f"Not downloaded. Run: endoxa datasets convert {name}"),
        ("groups", GROUPS.format(described.licence) if described.format in FORMATS_WITHOUT_GROUPS else ""),
    ]
    return Outcome([f"{field + ':':<10}{value}" for field, value in rows if value])


GROUPS = (
    "words/en/identity_groups.csv, compiled by the authors of endoxa from the words in which the published sentences "
    "differ (licence of the sentences: {}). Nobody else has reviewed it, and no speaker of Hindi: Hindi sentences take "
    "the group of the English words of their row. Use your own with `endoxa probe pairs --identities FILE`"
)
"""Where the groups of a data set come from that names none."""


def check(
    file: Annotated[Path, argument()],
    *,
    reading: NamedReading,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
    show_text: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False,
    every: Annotated[bool, Option(group=OUTPUT, name="--all", only_on=True)] = False,
) -> Outcome:
    """Check a file: each problem with its number and the first rows that have it.

    A table with the columns association_id, identity and attribute, for example the pairs exported from a campaign, is
    checked as associations, a file in BBQ's format as questions. Rows withdrawn from the campaign are skipped.

    The exit code is 1 if there is a problem of severity 'error', else 0.

    \b
    Examples:
      endoxa datasets check pairs.csv
      endoxa datasets check table.csv --prefix African --out problems.csv
      endoxa datasets check mine.csv --columns sent_more=stereotype,sent_less=other
      endoxa datasets check export/pairs.csv

    Options:
        file: File of pairs in a known format, of associations, or of questions.
        out: Also write the problems as CSV.
        show_text: Also print the text of the data that causes each problem.
        every: List every row of every problem, not the first few.
    """  # noqa: D301
    problems = check_file(file, reading.options(), reading.format)
    lines = list(_problem_lines(problems, show_text, every))
    if out is not None:
        write_problems(problems, out, show_text)
        lines.append(f"{plural(len(problems), 'problem')} written to {out}")
    return Outcome(lines, exit_code=int(any(problem.severity == "error" for problem in problems)))


def convert(
    file: Annotated[str, argument(metavar="FILE|NAME")],
    *,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
    reading: NamedReading,
    mirror: Annotated[str | None, Option(group=DATA, metavar="PLACE")] = None,
) -> Outcome:
    """Convert a file of pairs to endoxa's own format; download a published data set.

    A data set is downloaded into the cache, where every command finds it by its name, and its hash is verified; a valid
    copy from an earlier download is kept. --mirror takes it from a folder or another address.

    \b
    Examples:
      endoxa datasets convert crows-pairs
      endoxa datasets convert crows-pairs --mirror /media/stick/datasets -o crows.csv
      endoxa datasets convert published.csv -o pairs.parquet
      endoxa datasets convert table.csv --template "Most {identity} are {attribute}." -o pairs.jsonl

    Options:
        file: File of pairs in a known format, or a published data set, which is downloaded.
        out: File to write: .csv, .tsv, .jsonl or .parquet. Without it, only download.
        mirror: Folder or http address with a copy of the data set.
    """  # noqa: D301
    path, lines = Path(file), list[str]()
    if not path.exists() and file in sources():
        path, lines = _downloaded(file, mirror)
    if out is None and lines:
        return Outcome(lines)
    if out is None:
        raise UserError("Missing --out. Name the file to write.")
    written = convert_pairs(path, out, reading.options(), reading.format)
    return Outcome([*lines, f"{plural(written, 'pair')} written to {out}", _NOTICE])


def _downloaded(name: str, mirror: str | None) -> tuple[Path, list[str]]:
    """The file of a data set, verified, and what is to be known of it."""
    described = source(name)
    terms = f"{described.warning} Licence: {described.licence}. Please cite: {described.citation}."
    path = download(name, mirror)
    verified = "as published" if described.sha256 else "not verified: no published hash"
    return path, [terms, f"{path}", f"SHA-256 {sha256(path)} ({verified})"]


add_command(app, list_all, "list")
for command in (check, convert):
    add_command(app, command)


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Headline:
    return Headline(title, columns, rows, words=columns)


def _problem_lines(problems: list[Problem], show_text: bool, every: bool) -> Iterator[str | Headline]:
    """Counts per check, then the problems, alike ones together; text of the data only on request."""
    if not problems:
        yield "No problems found."
        return
    groups = group_problems(problems)
    yield _table(
        "Problems by check",
        ("severity", "check", "problems"),
        [(str(group[0].severity), name, str(len(group))) for name, group in groups.items()],
    )
    if show_text:
        yield _NOTICE
    for name, group in groups.items():
        yield f"\n{name}"
        alike: dict[tuple[str, str], list[Problem]] = {}
        for problem in group:
            alike.setdefault((problem.column, problem.message), []).append(problem)
        for (column, message), several in alike.items():
            where = f"column '{column}': " if column else ""
            number = f" ({plural(len(several), 'row')})" if len(several) > 1 else ""
            yield f"  {where}{message}{number}"
            places = [_place(problem, show_text) for problem in several]
            shown = places if every else places[:FIRST_ROWS]
            more = len(places) - len(shown)
            left_out = f" and {more} more (--all lists them)" if more else ""
            yield "    " + ("\n    " if show_text else ", ").join(shown) + left_out


def _place(problem: Problem, show_text: bool) -> str:
    """'row 3 (p3)', with the words of the data on request."""
    place = f"row {problem.row}" if problem.row else "whole file"
    place += f" ({problem.item_id})" if problem.item_id else ""
    return place + (f" [{problem.text}]" if show_text and problem.text else "")
