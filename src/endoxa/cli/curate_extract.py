"""`endoxa curate extract`: from a survey export to statements with identity and attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import polars as pl

    from endoxa.curate.survey import Statement, Survey, SurveyMap

_SHOWN = 5


def extract(
    survey: Annotated[
        Path, typer.Argument(metavar="SURVEY", help="The export: .csv, .tsv, .jsonl, .parquet or .xlsx.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Statements: .csv, .tsv, .jsonl or .parquet."),
    ] = None,
    map_file: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="TOML that says which columns are what.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="A map that comes with endoxa: afristereo.")
    ] = None,
    print_map: Annotated[
        bool, typer.Option("--print-map", help="Print a draft of a map for SURVEY (or the preset) and stop.")
    ] = False,
    statement_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="SURVEY has one statement per row, in this column; nothing is split."
        ),
    ] = None,
    question_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="With --statement-column: the question's name (women, men, religion ...)."
        ),
    ] = None,
    country_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="With --statement-column: country; 'country' if present."),
    ] = None,
    language_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="With --statement-column: language; 'language' if present."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="With --statement-column: also keep this column. Repeatable."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Language of all statements (ISO 639); not identified then."),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(metavar="CODES", help="Languages to choose among, as en,fr; else those of the map."),
    ] = None,
    identities: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="TOML with your own names of groups that mean the same."),
    ] = None,
    translate: Annotated[
        str | None,
        typer.Option(
            metavar="BACKEND",
            help="Translate into English with hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME or a table of "
            "translations (columns original, translation). Without it nothing is translated.",
        ),
    ] = None,
) -> None:
    """Split answers into statements and read identity and attribute out of each.

    A map names the columns that are read; all others are left out:

    \b
      country = "In which country do you live?"
      languages = ["en", "es"]
      [[question]]
      column = "What do people say about women"   # the header, or its beginning
      name = "women"
      axis = "gender"
      identity = "women"                          # only if all answers are about one group
      [[keep]]
      column = "Your age"
      name = "age_group"

    With --statement-column every row stands alone. A question called women, men, girls or boys is about that group;
    any other name is an axis, unless --map or --preset defines it.

    \b
    Examples:
      endoxa curate extract export.csv --print-map > map.toml
      endoxa curate extract export.csv --map map.toml -o statements.csv
      endoxa curate extract export.csv --preset afristereo -o statements.csv --translate hf/Helsinki-NLP/opus-mt-fr-en
      endoxa curate extract rows.csv --statement-column text --question-column topic -o statements.csv
    """  # noqa: D301
    from endoxa.cli.progress import shown
    from endoxa.curate.normalise import with_identities
    from endoxa.curate.survey import (
        RowColumns,
        extract_all,
        identify_languages,
        read_statements,
        translate_statements,
    )
    from endoxa.curate.translation import open_translator
    from endoxa.datasets.files import require_apart
    from endoxa.datasets.frames import write_table
    from endoxa.errors import UserError

    if print_map:
        typer.echo(_map_text(survey, preset), nl=False)
        return
    if output is None:
        raise UserError("Say where the statements go: -o statements.csv (or .tsv, .jsonl, .parquet).")
    tables = Path(translate) if translate and Path(translate).suffix else None
    require_apart([output], [survey, map_file, identities, tables])
    survey_map = _map(map_file, preset)
    candidates = _codes(languages) or (survey_map.languages if survey_map else ())
    only_rows = {
        "--question-column": question_column,
        "--country-column": country_column,
        "--language-column": language_column,
        "--keep": keep,
    }
    if statement_column is None:
        given = next((name for name, value in only_rows.items() if value), None)
        if given:
            raise UserError(
                f"{given} needs --statement-column, which says that SURVEY has one statement per row."
            )
        statements, kept = _of_answers(survey, survey_map)
    else:
        columns = RowColumns(
            statement_column, question_column, country_column, language_column, tuple(keep or ())
        )
        statements, kept = read_statements(survey, columns, survey_map), columns.keep
    known = with_identities(identities) if identities else None
    translator = open_translator(translate) if translate else None
    statements = identify_languages(_declared(statements, language), candidates)
    with shown("statements") as progress:
        if translator:
            memory = output.with_name(f"{output.name}.translations.jsonl")
            statements = translate_statements(statements, translator, memory, progress)
        table = extract_all(statements, kept, progress, known)
    write_table(table, output)
    _print_counts(statements, table, translated=translator is not None)
    typer.echo(f"{table.height} rows written to {output}")


def _map_text(survey: Path, preset: str | None) -> str:
    from endoxa.curate.survey import draft_map, preset_text

    return preset_text(preset) if preset else draft_map(survey)


def _map(map_file: Path | None, preset: str | None) -> SurveyMap | None:
    from endoxa.curate.survey import load_map, load_preset
    from endoxa.errors import UserError

    if map_file and preset:
        raise UserError("Give --map or --preset, not both.")
    if map_file:
        return load_map(map_file)
    return load_preset(preset) if preset else None


def _codes(words: str | None) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in (words or "").split(",") if word.strip())


def _of_answers(path: Path, survey_map: SurveyMap | None) -> tuple[list[Statement], tuple[str, ...]]:
    """Statements of a survey's answers; what was left out and what looks odd is said on stderr."""
    from endoxa.curate.survey import flag_chatbots, read_survey, split_survey
    from endoxa.errors import UserError

    if survey_map is None:
        raise UserError(
            f"Say which columns of {path} hold answers: --map FILE.toml (draft one with --print-map), "
            "--preset afristereo, or --statement-column COLUMN for one statement per row."
        )
    survey = read_survey(path, survey_map)
    statements, reasons = flag_chatbots(split_survey(survey, survey_map), survey)
    _warn(survey, statements, reasons)
    return statements, survey.kept


def _warn(survey: Survey, statements: Sequence[Statement], reasons: dict[str, str]) -> None:
    from endoxa.curate.survey import short_header

    if survey.private:
        listed = ", ".join(f"'{short_header(one.column)}' ({one.kind})" for one in survey.private[:_SHOWN])
        more = f" and {len(survey.private) - _SHOWN} more" if len(survey.private) > _SHOWN else ""
        typer.echo(
            f"Not read, but private by its look: {listed}{more}. Remove such columns before you pass the file on.",
            err=True,
        )
    for flag, sentence in (
        ("long-answer", "very long answers (a missing quote in the export?)"),
        ("identifier", "statements with an e-mail address, phone number or the like in them"),
    ):
        people = dict.fromkeys(one.respondent for one in statements if flag in one.flags)
        if people:
            listed = ", ".join(list(people)[:_SHOWN])
            typer.echo(f"Look at the {sentence}: respondents {listed}; flag '{flag}'.", err=True)
    for code, reason in reasons.items():
        typer.echo(
            f"Respondent {code} may have pasted a chatbot's answers ({reason}); flag 'chatbot'.", err=True
        )


def _declared(statements: Sequence[Statement], language: str | None) -> Sequence[Statement]:
    """The statements in the language that the command names; those of the table stand where it names none."""
    if language is None:
        return statements
    return [replace(one, language=language.lower()) for one in statements]


def _print_counts(statements: Sequence[Statement], table: pl.DataFrame, *, translated: bool) -> None:
    """What came in, what was read, and what a reviewer will have to look at."""
    languages = Counter(one.language for one in statements)
    omitted = table.filter(omit="true")
    reasons = Counter(omitted["omit_reason"])
    people = len({one.respondent for one in statements})
    typer.echo(f"{len(statements)} statements of {people} respondents")
    typer.echo(f"  languages: {_counts(languages)}")
    if translated:
        failed = sum("untranslated" in one.flags for one in statements)
        typer.echo(
            f"  translated: {sum(one.text != one.original for one in statements)}, not translated: {failed}"
        )
    pairs = table.filter(_filled(table, "identity") & _filled(table, "attribute"))
    typer.echo(
        f"  with identity and attribute: {pairs['statement_id'].n_unique()} statements, {pairs.height} pairs"
    )
    typer.echo(
        f"  proposed for omission: {omitted.height} rows" + (f" ({_counts(reasons)})" if reasons else "")
    )
    flags = Counter(flag for one in statements for flag in one.flags)
    if flags:
        typer.echo(f"  flagged: {_counts(flags)}")


def _filled(table: pl.DataFrame, column: str) -> pl.Series:
    return table[column].str.len_chars() > 0


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.most_common())
