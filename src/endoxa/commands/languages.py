"""`endoxa languages`: endoxa's own words by language, and whether native speakers have checked them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.plugins import SUMMARIES, Groups
from endoxa.commands.verbs import Group, Outcome, argument, table
from endoxa.report.words import plural
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    from rich.table import Table

    from endoxa.curate.cases import Result
    from endoxa.words import State
    from endoxa.words.coverage import Coverage

HELP = SUMMARIES["languages"]
app = typer.Typer(cls=Groups, rich_markup_mode=None, help=HELP)
LANGUAGES = Group("languages", HELP, app=app)

ONLY_COMPONENT = "Only this component (`story prompts`); repeatable."


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    *,
    component: Annotated[
        list[str] | None, typer.Option("--component", metavar="NAME", help=ONLY_COMPONENT)
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="CODE", help="Only this language (ISO 639); repeatable."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, a row for each component and language.")
    ] = False,
) -> None:
    """List endoxa's own words by component and language, with their state: unreviewed, or reviewed by N speakers.

    Words are reviewed when at least two native speakers have judged every text as it is now. English is the source.

    \b
    Examples:
      endoxa languages
      endoxa languages --language hi
      endoxa languages --component "story prompts" --json
    """  # noqa: D301
    if context.invoked_subcommand is not None:
        return
    from endoxa.words import states

    listed = states(component or (), language or ())
    if as_json:
        typer.echo(json.dumps([_row(state) for state in listed], ensure_ascii=False, indent=1))
        return
    _print(listed, files=bool(component or language))
    names = sorted({name for state in listed for name in state.names})
    if names:
        typer.echo(f"\nReviewed by, among others: {', '.join(names)}")
    if any(state.word == "unreviewed" for state in listed):
        typer.echo("\nNext: endoxa languages items --language CODE -o items.csv (docs: language check)")


def items(
    *,
    language: Annotated[str, Option("Language of the texts (ISO 639).", DATA, metavar="CODE")],
    out: Annotated[
        Path,
        Option(
            "Items to write: .csv, .tsv, .jsonl or .parquet.", OUTPUT, short="-o", metavar="FILE", table=True
        ),
    ],
    component: Annotated[tuple[str, ...], Option(ONLY_COMPONENT, DATA, metavar="NAME")] = (),
) -> Outcome:
    """Write the texts of a language as items of the language check, each as people would read it.

    \b
    Examples:
      endoxa languages items --language hi -o items.csv
      endoxa languages items --language ar --component "story prompts" --component "page texts" -o items.csv
      endoxa collect import camp items.csv --task words
    """  # noqa: D301
    import polars as pl

    from endoxa.words.items import items as made

    rows = made(language, component)
    lines = (
        f"{plural(len(rows), 'text')} written to {out}",
        f"Next: endoxa collect import CAMPAIGN {out} --task words",
    )
    return Outcome(lines, {"out": pl.DataFrame(rows)})


def patch(
    outcomes: Annotated[
        Path, argument("What items came to: NAME_items of `collect export --task`.", metavar="OUTCOMES")
    ],
    *,
    out: Annotated[Path, Option("Patch to write (unified diff).", OUTPUT, short="-o", metavar="FILE")],
    source: Annotated[
        Path | None,
        Option(
            "Copy of endoxa's repository to compare with.", DATA, metavar="DIR", default="what is installed"
        ),
    ] = None,
) -> Outcome:
    """Write a patch of the language files from what speakers said, for `git apply` in endoxa's repository.

    Texts that speakers did not agree about are listed and stay as they are. A component of which every text is settled
    is entered as reviewed.

    \b
    Example:
      endoxa languages patch words_items.csv -o hindi.diff
    """  # noqa: D301
    from datetime import UTC, datetime

    from endoxa.errors import UserError
    from endoxa.sources.frames import read_table
    from endoxa.words.components import PACKAGE
    from endoxa.words.packs import user_packs
    from endoxa.words.patch import REQUIRED, make_patch

    package = PACKAGE if source is None else source / "src" / "endoxa"
    if not (package / "words").is_dir():
        raise UserError(f"{source} has no folder src/endoxa/words. Expected a copy of endoxa's repository.")
    table = read_table(outcomes, REQUIRED)
    rows = [{name: str(value or "") for name, value in row.items()} for row in table.to_dicts()]
    made = make_patch(rows, f"{datetime.now(UTC):%Y-%m-%d}", package)
    lines = [f"Left as it is: {name}: {reason}" for name, reason in made.left]
    lines += [
        f"Reviewed by {review.speakers}: {review.component}, {review.language}" for review in made.reviews
    ]
    if not made.diff:
        return Outcome([*lines, "Nothing to change: no text was corrected, and no component is complete."])
    out.write_text(made.diff, encoding="utf-8", newline="\n")
    lines.append(f"Written: {out} ({plural(made.changed, 'text')} corrected)")
    place = (
        "in the folder of the pack"
        if user_packs()
        else "in endoxa's repository; for page texts also: make messages"
    )
    lines.append(f"Next: git apply {out} ({place})")
    return Outcome(lines)


def coverage(
    *,
    language: Annotated[
        tuple[str, ...], Option("Only this language (ISO 639); repeatable.", DATA, metavar="CODE")
    ] = (),
    as_json: Annotated[
        bool, Option("Print JSON, a row for each language and joint.", OUTPUT, name="--json", only_on=True)
    ] = False,
) -> Outcome:
    """Show for which joints of the road each language has words: none, a part, drafted, or reviewed by N speakers.

    A joint is partial where the language lacks a file, or parts that English has. Packs of
    yours (`ENDOXA_PACK`) are shown like endoxa's own. With --language, what is missing is listed.

    \b
    Examples:
      endoxa languages coverage
      endoxa languages coverage --language sw
      endoxa languages coverage --json
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.words.coverage import coverage as covered
    from endoxa.words.coverage import joints
    from endoxa.words.packs import PACK, languages_with

    if unknown := sorted({*language} - {*languages_with(PACK)}):
        raise UserError(
            f"There is no pack for '{unknown[0]}'. Expected one of: {', '.join(languages_with(PACK))}. A pack of your "
            "own is named by the variable ENDOXA_PACK."
        )
    cells = covered(language)
    if as_json:
        return Outcome([json.dumps([_coverage_row(cell) for cell in cells], ensure_ascii=False, indent=1)])
    codes = list(dict.fromkeys(cell.language for cell in cells))
    words = {(cell.joint, cell.language): cell.word for cell in cells}
    rows = [[joint.name, *(words[joint.name, code] for code in codes)] for joint in joints()]
    lines = [
        f"{'  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))}".rstrip()
        for table_rows in [[["joint", *codes], *rows]]
        for widths in [[max(map(len, column)) for column in zip(*table_rows, strict=True)]]
        for row in table_rows
    ]
    return Outcome([*lines, *(_missing(cells) if language else ())])


def _coverage_row(cell: Coverage) -> dict[str, object]:
    return {
        "language": cell.language,
        "joint": cell.joint,
        "state": cell.word,
        "there": cell.there,
        "needed": cell.needed,
        "missing": list(cell.missing),
        "speakers": cell.speakers,
    }


def _missing(cells: Sequence[Coverage]) -> list[str]:
    """What is missing, a line for each joint that is not complete."""
    lines = []
    for cell in cells:
        if cell.there < cell.needed:
            shown = ", ".join(cell.missing[:MOST_MISSING])
            more = f" and {len(cell.missing) - MOST_MISSING} more" if len(cell.missing) > MOST_MISSING else ""
            lines.append(f"{cell.language}, {cell.joint}: {cell.word}; missing: {shown}{more}")
    return lines


MOST_MISSING = 6
"""Missing parts that the line of a joint names."""


def check(
    pack: Annotated[str, argument("Folder of a pack, or code of a language (ISO 639).", metavar="DIR|CODE")],
    *,
    out: Annotated[
        Path | None,
        Option("Table of all results.", OUTPUT, short="-o", metavar="FILE", table=True),
    ] = None,
) -> Outcome:
    """Play the cases of a language through, there and back, and look through its words.

    Each row of cases.csv goes through extraction and pairs; what is denied is denied again. Wrong rows are shown with
    what was expected and what came. Also looked at: scripts, words in braces, groups and opposites, and what each joint
    still lacks. The exit code is 1 where a case or a word is wrong.

    \b
    Examples:
      endoxa languages check sw
      endoxa languages check my_wolof -o results.csv
    """  # noqa: D301
    from endoxa.words.check import folder_of
    from endoxa.words.packs import using

    code, folder = folder_of(pack)
    with using([folder] if folder else []):
        return _checked(code, folder)


def _checked(code: str, folder: Path | None) -> Outcome:
    import polars as pl

    from endoxa.curate.cases import Result, replay
    from endoxa.words.check import faults, read_cases
    from endoxa.words.coverage import coverage as covered

    cases = read_cases(code)
    filled = [case for case in cases if any(case[name] for name in ("statement", "identity", "attribute"))]
    results = [result for case in filled for result in replay(case, code)]
    wrong = [result for result in results if not result.right]
    problems = list(faults(code, folder))
    lines: list[str | Table] = []
    for result in wrong:
        lines += [
            f"cases.csv, row {result.row} ({result.kind or 'no kind'}), {result.joint}: {result.statement}",
            f"  expected  {result.expected or 'nothing'}",
            f"  got       {result.got or 'nothing'}{f' ({result.reason})' if result.reason else ''}",
        ]
    lines += [f"{fault.place} {fault.problem}." for fault in problems]
    if results:
        lines.append(_by_kind(results))
    lines += _missing(covered([code]))
    joints = dict.fromkeys(result.joint for result in results)
    counts = (
        f"{joint} {sum(each.right for each in results if each.joint == joint)} of "
        f"{sum(each.joint == joint for each in results)}"
        for joint in joints
    )
    blank = len(cases) - len(filled)
    lines.append(
        f"{code}: {plural(len(filled), 'case')}{f' and {blank} blank' if blank else ''}; right: "
        f"{', '.join(counts) or 'none'}; {plural(len(problems), 'fault')} in the words."
    )
    names = [*Result.__slots__, "right"]
    rows = [{name: getattr(result, name) for name in names} for result in results]
    schema = dict.fromkeys(names, pl.String) | {"right": pl.Boolean}
    return Outcome(lines, {"out": pl.DataFrame(rows, schema=schema)}, exit_code=1 if wrong or problems else 0)


def _by_kind(results: Sequence[Result]) -> Table:
    """Right results of all by kind and joint."""
    joints = list(dict.fromkeys(result.joint for result in results))
    by_kind: dict[str, dict[str, list[bool]]] = {}
    for result in results:
        by_kind.setdefault(result.kind or "no kind", {}).setdefault(result.joint, []).append(result.right)
    rows = [
        [
            kind,
            *(f"{sum(cells)} of {len(cells)}" if (cells := by_joint.get(joint)) else "-" for joint in joints),
        ]
        for kind, by_joint in by_kind.items()
    ]
    return table("Right results", ["kind", *joints], rows)


def init(
    code: Annotated[str, argument("Code of the language (ISO 639).", metavar="CODE")],
    *,
    out: Annotated[
        Path | None,
        Option("New folder.", OUTPUT, short="-o", metavar="DIR", default="a folder named as the code"),
    ] = None,
) -> Outcome:
    """Begin a pack for a language: what Unicode's CLDR says of it, and blanks for what only its speakers know.

    \b
    Examples:
      endoxa languages init wo
      endoxa languages init ta -o my_tamil
    """  # noqa: D301
    from endoxa.words.create import create

    folder = out or Path(code)
    files = create(code, folder)
    return Outcome(
        (
            f"{plural(len(files), 'file')} written to {folder}",
            f"Next: read {folder / 'README.md'}, fill people.csv and cases.csv, then: endoxa languages check {folder}",
        )
    )


for command in (items, patch, coverage, check, init):
    LANGUAGES.add(command)


def _row(state: State) -> dict[str, object]:
    return {
        "component": state.component,
        "language": state.language,
        "texts": state.texts,
        "state": state.word,
        "speakers": state.speakers,
        "names": list(state.names),
        "files": list(state.files),
    }


def _print(listed: Sequence[State], *, files: bool) -> None:
    """A row for the languages of a component that have one state; with files, a row for each language."""
    rows: dict[tuple[str, ...], list[State]] = {}
    for state in listed:
        rows.setdefault((state.component, state.word, *([state.language] if files else [])), []).append(state)
    cells = [("component", "state", "texts", "languages", "files" if files else "")]
    for (component, word, *_), group in rows.items():
        codes = " ".join(state.language for state in group)
        places = " ".join(group[0].files) if files else ""
        cells.append((component, word, str(sum(state.texts for state in group)), codes, places))
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    for component, word, texts, codes, places in cells:
        line = f"{component:<{widths[0]}}  {word:<{widths[1]}}  {texts:>{widths[2]}}  {codes:<{widths[3]}}  {places}"
        typer.echo(line.rstrip())
