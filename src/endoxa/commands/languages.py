"""`endoxa languages`: endoxa's own words by language, and whether native speakers have checked them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.settings_command import Groups
from endoxa.commands.verbs import Group, Outcome, argument
from endoxa.report.words import plural
from endoxa.schema.options import DATA, OUTPUT, Option

if TYPE_CHECKING:
    from endoxa.words import State

HELP = "Show endoxa's own words by language, and whether native speakers have checked them."
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
      endoxa collect task add camp --kind words --items items.csv
    """  # noqa: D301
    import polars as pl

    from endoxa.words.items import items as made

    rows = made(language, component)
    lines = (
        f"{plural(len(rows), 'text')} written to {out}",
        f"Next: endoxa collect task add CAMPAIGN --kind words --items {out}",
    )
    return Outcome(lines, {"out": pl.DataFrame(rows)})


def patch(
    outcomes: Annotated[
        Path, argument("What items came to: NAME_items of `collect task export`.", metavar="OUTCOMES")
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
    lines.append(f"Next: git apply {out} (in endoxa's repository; for page texts also: make messages)")
    return Outcome(lines)


LANGUAGES.add(items)
LANGUAGES.add(patch)


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
