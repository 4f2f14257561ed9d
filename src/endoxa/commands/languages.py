"""`endoxa languages`: endoxa's own words by language, and whether native speakers have checked them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from endoxa.commands.plugins import SUMMARIES
from endoxa.commands.verbs import Group, Outcome, argument, table
from endoxa.report.words import plural
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    from rich.table import Table

    from endoxa.curate.cases import Result
    from endoxa.words import State
    from endoxa.words.coverage import Coverage

LANGUAGES = Group("languages", SUMMARIES["languages"])
app = LANGUAGES.app


def _patched(outcomes: Path, out: Path, source: Path | None) -> Outcome:
    """A patch of the language files from what speakers said.

    Raises:
        UserError: the table of outcomes cannot be read, or the source is no copy of the repository.
    """
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


def _every_language() -> Outcome:
    """The state of our own words by component, and for which joints of the road each language has words."""
    from endoxa.words import states
    from endoxa.words.coverage import coverage, joints

    listed, cells = states(), coverage()
    rows: dict[tuple[str, str], list[State]] = {}
    for state in listed:
        rows.setdefault((state.component, state.word), []).append(state)
    components = table(
        "endoxa's own words (reviewed: at least two native speakers have judged every text as it is now)",
        ("component", "state", "texts", "languages"),
        [
            (*names, str(sum(state.texts for state in group)), " ".join(state.language for state in group))
            for names, group in rows.items()
        ],
        texts=2,
        wrap=True,
    )
    codes = list(dict.fromkeys(cell.language for cell in cells))
    words = {(cell.joint, cell.language): cell.word for cell in cells}
    names = sorted({name for state in listed for name in state.names})
    return Outcome(
        (
            components,
            table(
                "Joints of the road (partial: lacks a file, or parts that English has)",
                ("language", *(joint.name for joint in joints())),
                [(code, *(words[joint.name, code] for joint in joints())) for code in codes],
                wrap=True,
            ),
            *([f"Reviewed by, among others: {', '.join(names)}"] if names else []),
            "Next: endoxa languages check CODE --sheet items.csv (docs: language check)",
        ),
        facts={"components": list(map(_row, listed)), "joints": list(map(_coverage_row, cells))},
    )


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
    pack: Annotated[
        str | None,
        argument(
            "Folder of a pack, or code of a language (ISO 639); without one, all are listed.",
            metavar="DIR|CODE",
        ),
    ] = None,
    *,
    component: Annotated[
        tuple[str, ...],
        Option("With --sheet: only this component (`story prompts`); repeatable.", DATA, metavar="NAME"),
    ] = (),
    apply: Annotated[
        Path | None,
        Option(
            "What speakers said: NAME_items of `collect export --task`. Writes a patch to --out.",
            DATA,
            metavar="FILE",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        Option(
            "With --apply: copy of endoxa's repository.", DATA, metavar="DIR", default="what is installed"
        ),
    ] = None,
    sheet: Annotated[
        Path | None,
        Option(
            "Write the texts of the language as items of the language check.",
            OUTPUT,
            metavar="FILE",
            table=True,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            "Table of all results; with --apply, the patch (unified diff).",
            OUTPUT,
            short="-o",
            metavar="FILE",
        ),
    ] = None,
) -> Outcome:
    """Check the words of a language: its cases there and back, its words, and what each joint of the road lacks.

    Each row of cases.csv goes through extraction and pairs; what is denied is denied again. Wrong rows are shown with
    what was expected and what came. Also looked at: scripts, words in braces, groups, opposites, and the sentences of
    faults.csv that must not come out. The exit code is 1 where something is wrong. Without CODE, the words of all
    languages are listed with their state.

    For native speakers: --sheet writes every text as they would read it, a campaign asks them, and --apply makes a
    patch for `git apply` of what they said; texts that they did not agree about stay, and a component of which every
    text is settled is entered as reviewed.

    \b
    Examples:
      endoxa languages check
      endoxa languages check sw
      endoxa languages check my_wolof -o results.csv
      endoxa languages check hi --sheet items.csv
      endoxa collect import camp items.csv --task words
      endoxa languages check hi --apply words_items.csv -o hindi.diff
    """  # noqa: D301
    from endoxa.errors import UserError
    from endoxa.words.check import folder_of
    from endoxa.words.packs import using

    if pack is None:
        if sheet or apply or out:
            raise UserError(
                "--sheet, --apply and --out are about one language. Name its code, or the folder of a pack."
            )
        return _every_language()
    if apply is not None:
        if out is None:
            raise UserError("--apply writes a patch. Name its file with --out.")
        return _patched(apply, out, source)
    if sheet is not None:
        return _sheet(pack, component, sheet)
    code, folder = folder_of(pack)
    with using([folder] if folder else []):
        return _checked(code, folder, out)


def _sheet(code: str, component: Sequence[str], sheet: Path) -> Outcome:
    """The texts of a language as items of the language check, each as people would read it."""
    import polars as pl

    from endoxa.words.items import items

    rows = items(code, component)
    lines = (
        f"{plural(len(rows), 'text')} written to {sheet}",
        f"Next: endoxa collect import CAMPAIGN {sheet} --task words",
    )
    return Outcome(lines, {"sheet": pl.DataFrame(rows)})


def _checked(code: str, folder: Path | None, out: Path | None) -> Outcome:
    import polars as pl

    from endoxa.curate.cases import Result, replay
    from endoxa.instruments.probes import faults as probe_faults
    from endoxa.instruments.probes import kinds, probes
    from endoxa.sources.frames import require_table_name
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
    known = list(probe_faults(code))
    for probe, text in known:
        lines.append(
            f"faults.csv, {probe['kind']}, {probe['joint']}: {probe['identity']} {probe['attribute']}"
        )
        lines.append(
            f"  never {probe['never']}  got {text}" if text else f"  nothing with {probe['instead']}"
        )
    if missing := [kind for kind in kinds() if kind not in {probe["kind"] for probe in probes(code)}]:
        lines.append(f"Kinds of fault without a probe in faults.csv: {', '.join(missing)}.")
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
        f"{', '.join(counts) or 'none'}; {plural(len(problems), 'fault')} in the words; "
        f"{plural(len(probes(code)), 'probe')} of known faults, {len(known)} wrong."
    )
    names = [*Result.__slots__, "right"]
    rows = [{name: getattr(result, name) for name in names} for result in results]
    schema = dict.fromkeys(names, pl.String) | {"right": pl.Boolean}
    if out is not None:
        require_table_name(out)
    return Outcome(
        lines, {"out": pl.DataFrame(rows, schema=schema)}, exit_code=1 if wrong or problems or known else 0
    )


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


LANGUAGES.add(check, printing=True)
LANGUAGES.add(init)


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
