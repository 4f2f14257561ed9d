"""`endoxa languages`: endoxa's own words by language, and whether native speakers have checked them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl

from endoxa.commands.verbs import Outcome, add_command, argument, command_group
from endoxa.errors import UserError
from endoxa.report.tables import headline_of
from endoxa.report.words import plural
from endoxa.schema.headline import Headline
from endoxa.schema.options import DATA, OUTPUT, Option
from endoxa.sources.frames import require_table_name
from endoxa.words.check import faults, folder_of, items, read_cases
from endoxa.words.packs import using
from endoxa.words.state import coverage

app = command_group("languages")


def _every_language() -> Outcome:
    """The state of our own words by component, and for which joints of the road each language has words."""
    from endoxa.words.state import states

    components = [asdict(state) | {"state": state.word} for state in states()]
    cells = [asdict(cell) | {"state": cell.word} for cell in coverage()]
    by_state = (
        pl.DataFrame(components)
        .group_by("component", "state", maintain_order=True)
        .agg(pl.col("texts").sum(), languages=pl.col("language").str.join(" "))
    )
    by_joint = pl.DataFrame(cells).pivot("joint", index="language", values="state")
    names = sorted({name for component in components for name in component["names"]})
    return Outcome(
        (
            headline_of(
                "endoxa's own words (reviewed: at least two native speakers have judged every text as it is now)",
                by_state,
            ),
            headline_of("Joints of the road (partial: lacks a file)", by_joint),
            *([f"Reviewed by, among others: {', '.join(names)}"] if names else []),
            "Next: endoxa languages check CODE --sheet items.csv (docs: language check)",
        ),
        facts={"components": components, "joints": cells},
    )


def check(
    pack: Annotated[str | None, argument(metavar="DIR|CODE")] = None,
    *,
    component: Annotated[tuple[str, ...], Option(group=DATA, metavar="NAME")] = (),
    sheet: Annotated[Path | None, Option(group=OUTPUT, table=True)] = None,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
) -> Outcome:
    """Check the words of a language: its cases there and back, its words, and what each joint of the road lacks.

    Each row of cases.csv goes through extraction and pairs; what is denied is denied again. Wrong rows are shown with
    what was expected and what came. Also looked at: scripts, words in braces, groups, opposites, and the sentences of
    faults.csv that must not come out. The exit code is 1 where something is wrong. Without CODE, the words of all
    languages are listed with their state.

    For native speakers: --sheet writes every text as they would read it, and a campaign asks them.

    \b
    Examples:
      endoxa languages check
      endoxa languages check sw
      endoxa languages check my_wolof -o results.csv
      endoxa languages check hi --sheet items.csv
      endoxa collect import camp items.csv --task words

    Options:
        pack: Folder of a pack, or code of a language (ISO 639); without one, all are listed.
        component: With --sheet: only this component (`story prompts`); repeatable.
        sheet: Write the texts of the language as items of the language check.
        out: Table of all results.
    """  # noqa: D301
    if pack is None:
        if sheet or out:
            raise UserError(
                "--sheet and --out are about one language. Name its code, or the folder of a pack."
            )
        return _every_language()
    if sheet is not None:
        rows = items(pack, component)
        lines = (
            f"{plural(len(rows), 'text')} written to {sheet}",
            f"Next: endoxa collect import CAMPAIGN {sheet} --task words",
        )
        return Outcome(lines, {"sheet": pl.DataFrame(rows)})
    code, folder = folder_of(pack)
    with using([folder] if folder else []):
        return _checked(code, folder, out)


def _checked(code: str, folder: Path | None, out: Path | None) -> Outcome:
    from endoxa.curate.cases import Result, replay
    from endoxa.instruments import probes

    cases = read_cases(code)
    filled = [case for case in cases if any(case[name] for name in ("statement", "identity", "attribute"))]
    results = [result for case in filled for result in replay(case, code)]
    problems = list(faults(code, folder))
    lines: list[str | Headline] = []
    for result in results:
        if not result.right:
            lines += [
                f"cases.csv, row {result.row} ({result.kind or 'no kind'}), {result.joint}: {result.statement}",
                f"  expected  {result.expected or 'nothing'}",
                f"  got       {result.got or 'nothing'}{f' ({result.reason})' if result.reason else ''}",
            ]
    lines += [f"{fault.place} {fault.problem}." for fault in problems]
    wrong = list(probes.faults(code))
    for probe, text in wrong:
        lines.append(
            f"faults.csv, {probe['kind']}, {probe['joint']}: {probe['identity']} {probe['attribute']}"
        )
        lines.append(
            f"  never {probe['never']}  got {text}" if text else f"  nothing with {probe['instead']}"
        )
    probed = [probe["kind"] for probe in probes.probes(code)]
    if missing := [kind for kind in probes.kinds() if kind not in probed]:
        lines.append(f"Kinds of fault without a probe in faults.csv: {', '.join(missing)}.")
    schema = dict.fromkeys((*Result.__slots__, "right"), pl.String) | {"right": pl.Boolean}
    table = pl.DataFrame([{name: getattr(result, name) for name in schema} for result in results], schema)
    share = pl.format("{} of {}", pl.col("right").sum(), pl.len()).alias("right")
    if results:
        kinds = table.with_columns(pl.col("kind").replace("", "no kind"))
        by_kind = kinds.group_by("kind", "joint", maintain_order=True).agg(share)
        by_kind = by_kind.pivot("joint", index="kind", values="right")
        lines.append(headline_of("Right results", by_kind))
    lines += [
        f"{code}, {cell.joint}: {cell.word}; missing: {', '.join(cell.missing)}"
        for cell in coverage([code])
        if cell.missing
    ]
    counts = table.group_by("joint", maintain_order=True).agg(share).rows()
    blank = len(cases) - len(filled)
    lines.append(
        f"{code}: {plural(len(filled), 'case')}{f' and {blank} blank' if blank else ''}; right: "
        f"{', '.join(map(' '.join, counts)) or 'none'}; {plural(len(problems), 'fault')} in the words; "
        f"{plural(len(probed), 'probe')} of known faults, {len(wrong)} wrong."
    )
    if out is not None:
        require_table_name(out)
    right = not problems and not wrong and table["right"].all()
    return Outcome(lines, {"out": table}, exit_code=int(not right))


def init(
    code: Annotated[str, argument(metavar="CODE")],
    *,
    out: Annotated[
        Path | None, Option(group=OUTPUT, short="-o", metavar="DIR", default="a folder named as the code")
    ] = None,
) -> Outcome:
    """Begin a pack for a language: what Unicode's CLDR says of it, and blanks for what only its speakers know.

    \b
    Examples:
      endoxa languages init wo
      endoxa languages init ta -o my_tamil

    Options:
        code: Code of the language (ISO 639).
        out: New folder.
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


add_command(app, check, printing=True)
add_command(app, init)
