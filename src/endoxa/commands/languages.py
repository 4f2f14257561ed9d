"""`endoxa languages`: endoxa's own words by language, and whether native speakers have checked them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.commands.settings_command import GroupedCommand, Groups
from endoxa.report.words import plural

if TYPE_CHECKING:
    from endoxa.words import State

app = typer.Typer(
    cls=Groups,
    rich_markup_mode=None,
    help="Show endoxa's own words by language, and whether native speakers have checked them.",
)

Components = Annotated[
    list[str] | None,
    typer.Option("--component", metavar="NAME", help="Only this component (`story prompts`); repeatable."),
]
Languages = Annotated[
    list[str] | None,
    typer.Option("--language", metavar="CODE", help="Only this language (ISO 639); repeatable."),
]


@app.callback(invoke_without_command=True)
def overview(
    context: typer.Context,
    *,
    component: Components = None,
    language: Languages = None,
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

    found = states(component or (), language or ())
    if as_json:
        typer.echo(json.dumps([_row(one) for one in found], ensure_ascii=False, indent=1))
        return
    _print(found, files=bool(component or language))
    names = sorted({name for one in found for name in one.names})
    if names:
        typer.echo(f"\nReviewed by, among others: {', '.join(names)}")
    if any(one.word == "unreviewed" for one in found):
        typer.echo("\nNext: endoxa languages items --language CODE -o items.csv (docs: language check)")


@app.command(cls=GroupedCommand)
def items(
    *,
    language: Annotated[str, typer.Option(metavar="CODE", help="Language of the texts (ISO 639).")],
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Items to write: .csv, .tsv, .jsonl or .parquet."),
    ],
    component: Components = None,
) -> None:
    """Write the texts of a language as items of the language check, each as people would read it.

    \b
    Examples:
      endoxa languages items --language hi -o items.csv
      endoxa languages items --language ar --component "story prompts" --component "page texts" -o items.csv
      endoxa collect task add camp --kind words --items items.csv
    """  # noqa: D301
    import polars as pl

    from endoxa.sources.frames import require_table_name, write_table
    from endoxa.words.items import items as made

    require_table_name(output)
    rows = made(language, component or ())
    write_table(pl.DataFrame(rows), output)
    typer.echo(f"{plural(len(rows), 'text')} written to {output}")
    typer.echo(f"Next: endoxa collect task add CAMPAIGN --kind words --items {output}")


@app.command(cls=GroupedCommand)
def patch(
    outcomes: Annotated[
        Path,
        typer.Argument(metavar="OUTCOMES", help="What items came to: NAME_items of `collect task export`."),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Patch to write (unified diff).")
    ],
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Copy of endoxa's repository to compare with.  [default: what is installed]"
        ),
    ] = None,
) -> None:
    """Write a patch of the language files from what speakers said, for `git apply` in endoxa's repository.

    Texts that speakers did not agree about are listed and stay as they are. A component of which every text is settled
    is entered as reviewed.

    \b
    Example:
      endoxa languages patch words_items.csv -o hindi.diff
    """  # noqa: D301
    from datetime import UTC, datetime

    from endoxa.errors import UserError
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import read_table
    from endoxa.words.patch import REQUIRED, make_patch
    from endoxa.words.texts import PACKAGE

    require_apart([output], [outcomes])
    package = PACKAGE if source is None else source / "src" / "endoxa"
    if not (package / "words").is_dir():
        raise UserError(f"{source} has no folder src/endoxa/words. Expected a copy of endoxa's repository.")
    table = read_table(outcomes, REQUIRED)
    rows = [{name: str(value or "") for name, value in row.items()} for row in table.to_dicts()]
    made = make_patch(rows, f"{datetime.now(UTC):%Y-%m-%d}", package)
    for name, reason in made.left:
        typer.echo(f"Left as it is: {name}: {reason}")
    for one in made.reviews:
        typer.echo(f"Reviewed by {one.speakers}: {one.component}, {one.language}")
    if not made.diff:
        typer.echo("Nothing to change: no text was corrected, and no component is complete.")
        return
    output.write_text(made.diff, encoding="utf-8", newline="\n")
    typer.echo(f"Written: {output} ({plural(made.changed, 'text')} corrected)")
    typer.echo(f"Next: git apply {output} (in endoxa's repository; for page texts also: make messages)")


def _row(one: State) -> dict[str, object]:
    return {
        "component": one.component,
        "language": one.language,
        "texts": one.texts,
        "state": one.word,
        "speakers": one.speakers,
        "names": list(one.names),
        "files": list(one.files),
    }


def _print(found: Sequence[State], *, files: bool) -> None:
    """A row for the languages of a component that have one state; with files, a row for each language."""
    rows: dict[tuple[str, ...], list[State]] = {}
    for one in found:
        rows.setdefault((one.component, one.word, *([one.language] if files else [])), []).append(one)
    cells = [("component", "state", "texts", "languages", "files" if files else "")]
    for (component, word, *_), own in rows.items():
        codes = " ".join(one.language for one in own)
        places = " ".join(own[0].files) if files else ""
        cells.append((component, word, str(sum(one.texts for one in own)), codes, places))
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    for component, word, texts, codes, places in cells:
        line = f"{component:<{widths[0]}}  {word:<{widths[1]}}  {texts:>{widths[2]}}  {codes:<{widths[3]}}  {places}"
        typer.echo(line.rstrip())
