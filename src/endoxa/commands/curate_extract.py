"""`endoxa curate extract`: turn a survey export into statements with identity and attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endoxa.report.words import plural

if TYPE_CHECKING:
    import polars as pl

    from endoxa.curate.survey import Statement, Survey, SurveyMap

_SHOWN = 5


def extract(
    survey: Annotated[
        Path, typer.Argument(metavar="SURVEY", help="Survey export: .csv, .tsv, .jsonl, .parquet or .xlsx.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Statements: .csv, .tsv, .jsonl or .parquet."),
    ] = None,
    map_file: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="Column mapping (TOML).")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Built-in column mapping: afristereo.")
    ] = None,
    print_map: Annotated[
        bool, typer.Option("--print-map", help="Print a draft mapping for SURVEY (or the preset), and exit.")
    ] = False,
    statement_column: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with one statement per row; statements are not split."),
    ] = None,
    question_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="With --statement-column: name of the question (women, men, religion ...)."
        ),
    ] = None,
    country_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="With --statement-column: column of the country.  [default: country]"
        ),
    ] = None,
    language_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="With --statement-column: column of the language.  [default: language]"
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="With --statement-column: also keep this column; repeatable."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Language of all statements (ISO 639); disables language identification."
        ),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(metavar="CODES", help="Candidate languages (en,fr).  [default: those of the mapping]"),
    ] = None,
    identities: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Your own synonyms of group names (TOML)."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What reviewers taught, from `endoxa curate learn` (TOML)."),
    ] = None,
    translate: Annotated[
        str | None,
        typer.Option(
            metavar="BACKEND",
            help="Translate into English with hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME or a table of "
            "translations (columns original, translation).  [default: no translation]",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Second reader, a chat model: openai/NAME, anthropic/NAME, http://HOST:PORT/v1#NAME, hf/ID, sim/NAME. "
            "The statements are sent to it.  [default: rules only]",
        ),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option("--batch", help="With --model: use the provider's batch interface (half the price)."),
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="With --model: stop before it costs more than this."),
    ] = None,
    price: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT",
            help="With --model: price in US dollars per million tokens.  [default: list price]",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="With --model: only print expected calls, tokens and cost.")
    ] = False,
) -> None:
    """Split survey answers into statements and extract identity and attribute from each.

    A mapping names the columns to read; all other columns are ignored:

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

    With --statement-column, each row is one statement. The questions women, men, girls and boys are about that group;
    any other name is an axis, unless --map or --preset defines it.

    \b
    Examples:
      endoxa curate extract export.csv --print-map > map.toml
      endoxa curate extract export.csv --map map.toml -o statements.csv
      endoxa curate extract export.csv --preset afristereo -o statements.csv --translate hf/Helsinki-NLP/opus-mt-fr-en
      endoxa curate extract rows.csv --statement-column text --question-column topic -o statements.csv
      endoxa curate extract export.csv --map map.toml --model openai/gpt-5-mini --plan -o statements.csv
    """  # noqa: D301
    from endoxa.curate.extract.lexicon import read_lexicon
    from endoxa.curate.normalise import with_identities
    from endoxa.curate.survey import (
        RowColumns,
        extract_all,
        identify_languages,
        read_statements,
        translate_statements,
    )
    from endoxa.curate.translation import open_translator
    from endoxa.errors import UserError
    from endoxa.runs.progress import shown
    from endoxa.sources.files import require_apart
    from endoxa.sources.frames import write_table

    if print_map:
        typer.echo(_map_text(survey, preset), nl=False)
        return
    if output is None:
        raise UserError("Missing --out. Name a file for the statements: .csv, .tsv, .jsonl or .parquet.")
    only_model = {"--batch": batch, "--max-cost": max_cost, "--price": price, "--plan": plan}
    given = next((name for name, value in only_model.items() if value), None)
    if given and model is None:
        raise UserError(f"{given} needs --model. Name the model that reads the statements, too.")
    tables = Path(translate) if translate and Path(translate).suffix else None
    require_apart([output], [survey, map_file, identities, lexicon, tables])
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
            raise UserError(f"{given} needs --statement-column. Name the column with one statement per row.")
        statements, kept = _of_answers(survey, survey_map)
    else:
        columns = RowColumns(
            statement_column, question_column, country_column, language_column, tuple(keep or ())
        )
        statements, kept = read_statements(survey, columns, survey_map), columns.keep
    known = with_identities(identities) if identities else None
    taught = read_lexicon(lexicon) if lexicon else None
    translator = open_translator(translate) if translate else None
    statements = identify_languages(_declared(statements, language), candidates)
    with shown("statements") as progress:
        if translator:
            memory = output.with_name(f"{output.name}.translations.jsonl")
            statements = translate_statements(statements, translator, memory, progress)
        table = extract_all(statements, kept, progress, known, taught)
    if model is not None:
        from endoxa.commands.curate_second import print_reader_plan, read_twice, reader_settings

        reader = reader_settings(survey, model, batch=batch, max_cost=max_cost, price=price)
        if plan:
            print_reader_plan(table, reader)
            return
        table = read_twice(table, reader, output, known)
    write_table(table, output)
    _print_counts(statements, table, translated=translator is not None)
    typer.echo(f"{plural(table.height, 'row')} written to {output}")


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
    """Statements of a survey's answers and its kept columns; warnings go to stderr.

    Raises:
        UserError: there is no mapping.
    """
    from endoxa.curate.survey import flag_chatbots, read_survey, split_survey
    from endoxa.errors import UserError

    if survey_map is None:
        raise UserError(
            f"No column mapping for {path}. Give --map FILE.toml (print a draft with --print-map), "
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
            f"Columns that may hold private data (not read): {listed}{more}. Remove them before you share the file.",
            err=True,
        )
    for flag, sentence in (
        ("long-answer", "very long answers (possibly a missing quote in the export)"),
        ("identifier", "statements with an e-mail address, phone number or similar identifier"),
    ):
        people = dict.fromkeys(one.respondent for one in statements if flag in one.flags)
        if people:
            listed = ", ".join(list(people)[:_SHOWN])
            typer.echo(f"Check {sentence}: respondents {listed}; flag '{flag}'.", err=True)
    for code, reason in reasons.items():
        typer.echo(
            f"Respondent {code} may have pasted a chatbot's answers ({reason}); flag 'chatbot'.", err=True
        )


def _declared(statements: Sequence[Statement], language: str | None) -> Sequence[Statement]:
    """The statements with the language of the command line, or unchanged if none was given."""
    if language is None:
        return statements
    return [replace(one, language=language.lower()) for one in statements]


def _print_counts(statements: Sequence[Statement], table: pl.DataFrame, *, translated: bool) -> None:
    """Print counts of statements, extracted pairs, proposed omissions and flags."""
    languages = Counter(one.language for one in statements)
    omitted = table.filter(omit="true")
    reasons = Counter(omitted["omit_reason"])
    people = len({one.respondent for one in statements})
    typer.echo(f"{plural(len(statements), 'statement')} of {plural(people, 'respondent')}")
    typer.echo(f"  languages: {_counts(languages)}")
    if translated:
        failed = sum("untranslated" in one.flags for one in statements)
        typer.echo(
            f"  translated: {sum(one.text != one.original for one in statements)}"
            + (f", not translated: {failed}" if failed else "")
        )
    pairs = table.filter(_filled(table, "identity") & _filled(table, "attribute"))
    typer.echo(
        f"  with identity and attribute: {plural(pairs['statement_id'].n_unique(), 'statement')}, "
        f"{plural(pairs.height, 'pair')}"
    )
    if reasons:
        typer.echo(f"  proposed for omission: {plural(omitted.height, 'row')} ({_counts(reasons)})")
    flags = Counter(flag for one in statements for flag in one.flags)
    if flags:
        typer.echo(f"  flagged: {_counts(flags)}")


def _filled(table: pl.DataFrame, column: str) -> pl.Series:
    return table[column].str.len_chars() > 0


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counted.most_common())
