"""`endoxa curate`: turn free-text answers into associations of identities and attributes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl
from annotated_types import Ge, Le

from endoxa.commands.curate_review import evaluate, review
from endoxa.commands.options import Layout, ReaderModels
from endoxa.commands.verbs import (
    Outcome,
    add_command,
    argument,
    command_group,
    language_option,
    note,
    plan_line,
    table_option,
)
from endoxa.curate import group as grouping
from endoxa.curate.associations import associations as gather
from endoxa.curate.associations import mentions
from endoxa.curate.encoders import chosen_encoder
from endoxa.curate.group import Method
from endoxa.curate.opposites import Lexicon, load_lexicon
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.runs.progress import shown
from endoxa.schema.options import ANALYSIS, ASKING, DATA, ITEMS, OUTPUT, Option
from endoxa.sources.files import require_apart
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.headers import with_respondents

if TYPE_CHECKING:
    from endoxa.curate.normalise import Tables
    from endoxa.curate.survey import SurveyMap
    from endoxa.curate.survey.reading import Survey
    from endoxa.curate.survey.statements import Statement
    from endoxa.runs.asking.readers import ReaderSettings

app = command_group("curate")

SHOWN = 5
"""Columns or respondents that a warning names."""


BY_NAME = Option(group=DATA, metavar="COLUMN", default="the one with a usual name")
"""A column of the rows."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of a table with one statement per row.

    Attributes:
        question_column: With --statement-column: name of the question (women, men, religion ...).
        axis_column: With --statement-column: column of the social axis.
        identity_column: With --statement-column: column of the group that a statement or its question is about.
        country_column: With --statement-column: column of the country.
        region_column: With --statement-column: column of the region within a country.
        language_column: With --statement-column: column of the language.
        keep: With --statement-column: also keep this column; repeatable.
        attribute_column: With --identity-column: column of what is said of the group; statements are then not read.
    """

    question_column: Annotated[str | None, BY_NAME] = None
    axis_column: Annotated[str | None, BY_NAME] = None
    identity_column: Annotated[str | None, BY_NAME] = None
    country_column: Annotated[str | None, BY_NAME] = None
    region_column: Annotated[str | None, BY_NAME] = None
    language_column: Annotated[str | None, BY_NAME] = None
    keep: Annotated[tuple[str, ...], Option(group=DATA, metavar="COLUMN")] = ()
    attribute_column: Annotated[str | None, Option(group=DATA, metavar="COLUMN")] = None


def extract(
    survey: Annotated[Path, argument(metavar="SURVEY", sample="survey")],
    *,
    out: Annotated[Path | None, Option(group=OUTPUT, short="-o")] = None,
    map: Annotated[Path | None, Option(group=DATA, sample="map")] = None,  # noqa: A002
    preset: Annotated[Literal["afristereo"] | None, Option(group=DATA)] = None,
    print_map: Annotated[bool, Option(group=OUTPUT, only_on=True)] = False,
    statement_column: Annotated[str | None, Option(group=DATA, metavar="COLUMN")] = None,
    respondent: Annotated[
        str | None,
        Option(group=DATA, metavar="COLUMN", default="that of the mapping, or one with a usual name"),
    ] = None,
    rows: Rows,
    layout: Layout,
    language: Annotated[str | None, Option(group=DATA, metavar="CODE")] = None,
    languages: Annotated[
        str | None, Option(group=DATA, metavar="CODES", default="those of the mapping")
    ] = None,
    identities: Annotated[Path | None, Option(group=DATA)] = None,
    translate: Annotated[
        str | None, Option(group=ASKING, metavar="BACKEND", default="no translation")
    ] = None,
    reader: Annotated[str | None, Option(group=ASKING, metavar="MODEL", default="rules only")] = None,
    asking: ReaderModels,
) -> Outcome:
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

    With --statement-column, each row is one statement, and people stand in several rows. The questions women, men,
    girls and boys are about that group; any other name is an axis, unless --map or --preset defines it. Columns with
    usual names (respondent, participant id, country, país, langue ...) are taken for what they say. With
    --identity-column and --attribute-column the pairs of the table are taken, in any language, and brought into the
    forms of this toolkit.

    \b
    Examples:
      endoxa curate extract export.csv --print-map > map.toml
      endoxa curate extract export.csv --map map.toml -o statements.csv
      endoxa curate extract export.csv --preset afristereo -o statements.csv --translate translations.csv
      endoxa curate extract rows.csv --statement-column text --question-column topic -o statements.csv
      endoxa curate extract survey.xlsx --sheet Answers --statement-column said --respondent code -o statements.csv
      endoxa curate extract export.csv --map map.toml --reader openai/gpt-5-mini --plan -o statements.csv

    Options:
        survey: Survey export: .csv, .tsv, .jsonl, .parquet or .xlsx.
        out: Statements: .csv, .tsv, .jsonl or .parquet.
        map: Column mapping (TOML).
        preset: Built-in column mapping.
        print_map: Print a draft mapping for SURVEY (or the preset), and exit.
        statement_column: Column with one statement per row; statements are not split.
        respondent: Column with a code of who answered; it may repeat with --statement-column, where a person counts
            once.
        language: Language of all statements (ISO 639); disables language identification.
        languages: Candidate languages (en,fr).
        identities: Your own synonyms of group names (TOML).
        translate: Translate into English with hf/MODEL, openai/NAME, http://HOST:PORT/v1#NAME or a table of
            translations (columns original, translation).
        reader: Chat model that reads: openai/NAME, anthropic/NAME, http://HOST:PORT/v1#NAME, hf/ID, sim/NAME. The
            statements are sent to it. Its reading stands, and the rules say where they differ.
    """  # noqa: D301
    from endoxa.curate.normalise import with_identities
    from endoxa.curate.second import StatementReaderSettings, reader_items, to_read
    from endoxa.curate.survey import load_map, preset_path
    from endoxa.curate.survey import statements as texts
    from endoxa.curate.survey.reading import draft_map
    from endoxa.curate.translation import open_translator

    if print_map:
        text = preset_path(preset).read_text(encoding="utf-8") if preset else draft_map(survey)
        return Outcome([text.removesuffix("\n")])
    if out is None:
        raise UserError("Missing --out. Name a file for the statements: .csv, .tsv, .jsonl or .parquet.")
    asking.require(reader)
    require_apart([out], [Path(translate) if translate and Path(translate).suffix else None])
    if map and preset:
        raise UserError("Give --map or --preset, not both.")
    survey_map = load_map(map) if map else load_map(preset_path(preset)) if preset else None
    codes = tuple(word.strip().lower() for word in (languages or "").split(",") if word.strip())
    statements, kept = _statements(survey, survey_map, statement_column, respondent, rows)
    tables = with_identities(identities) if identities else None
    translator = open_translator(translate) if translate else None
    if language is not None:
        statements = [replace(statement, language=language.lower()) for statement in statements]
    candidates = codes or (survey_map.languages if survey_map else ())
    statements = texts.identify_languages(statements, candidates)
    with shown("statements") as progress:
        if translator:
            memory = out.with_name(f"{out.name}.translations.jsonl")
            statements = texts.translate_statements(statements, translator, memory, progress)
        extracted = texts.extract_all(statements, kept, progress, tables)
    of_readers: list[str] = []
    if reader is not None:
        settings = asking.settings(StatementReaderSettings, survey, (reader,))
        if asking.plan:
            return Outcome([plan_line(asking.planned(to_read(reader_items(extracted)), settings))])
        extracted, of_readers = _read_twice(extracted, settings, out, tables)
    counts = texts.count_lines(statements, extracted, translated=translator is not None)
    written = f"{plural(extracted.height, 'row')} written to {out}"
    following = f"Next: endoxa curate group {out}{language_option(extracted)} -o groups.csv"
    return Outcome((*of_readers, *counts, written, following), {"out": extracted})


def _statements(
    path: Path, survey_map: SurveyMap | None, column: str | None, respondent: str | None, rows: Rows
) -> tuple[list[Statement], tuple[str, ...]]:
    """Statements of a file and its kept columns; what was assumed goes to stderr.

    Raises:
        UserError: there is no mapping, and no column of statements.
    """
    from endoxa.curate.survey import ColumnChoice
    from endoxa.curate.survey.reading import read_export
    from endoxa.curate.survey.rows import RowColumns, read_statements, sentences_of
    from endoxa.sources.headers import usual_column

    if column is None and survey_map is None and (published := sentences_of(path)):
        path, how = published
        note(how)
    if column is None and survey_map is not None:
        if rows != Rows():
            stated = next(name for name, value in asdict(rows).items() if value not in (None, ()))
            raise UserError(
                f"--{stated.replace('_', '-')} needs --statement-column. Name the column with one statement per row."
            )
        if respondent:
            survey_map = survey_map.model_copy(update={"respondent": ColumnChoice(column=respondent)})
        return _of_answers(path, survey_map)
    if column is None:
        column = usual_column(read_export(path), "statement")
        if column is None:
            raise UserError(
                f"No column mapping for {path}. Give --map FILE.toml (print a draft with --print-map), "
                "--preset afristereo, or --statement-column COLUMN for one statement per row."
            )
        note(
            f"One statement per row, in the column '{column}' (--statement-column names another, --map reads answers)."
        )
    named = {name.removesuffix("_column"): value for name, value in asdict(rows).items()}
    columns = RowColumns(column, respondent=respondent, **named)
    if columns.attribute and not columns.identity:
        raise UserError("--attribute-column needs --identity-column. Name both columns.")
    statements = read_statements(path, columns, survey_map, note)
    return statements, tuple(statements[0].kept)


def _of_answers(path: Path, survey_map: SurveyMap) -> tuple[list[Statement], tuple[str, ...]]:
    """Statements of a survey's answers and its kept columns; warnings go to stderr."""
    from endoxa.curate.survey.reading import read_survey
    from endoxa.curate.survey.statements import flag_chatbots, split_survey

    survey = read_survey(path, survey_map)
    statements, reasons = flag_chatbots(split_survey(survey, survey_map), survey)
    for sentence in _warnings(survey, statements):
        note(sentence)
    for code, reason in reasons.items():
        note(f"Respondent {code} may have pasted a chatbot's answers ({reason}); flag 'chatbot'.")
    return statements, survey.kept


def _warnings(survey: Survey, statements: Sequence[Statement]) -> Iterator[str]:
    from endoxa.curate.survey import shown as short_header

    if survey.private:
        listed = ", ".join(
            f"'{short_header(column)}' ({kind})" for column, kind in list(survey.private.items())[:SHOWN]
        )
        more = f" and {len(survey.private) - SHOWN} more" if len(survey.private) > SHOWN else ""
        yield (
            f"Columns that may hold private data (not read): {listed}{more}. Remove them before you share the file."
        )
    for flag, sentence in (
        ("long-answer", "very long answers (possibly a missing quote in the export)"),
        ("identifier", "statements with an e-mail address, phone number or similar identifier"),
    ):
        people = dict.fromkeys(statement.respondent for statement in statements if flag in statement.flags)
        if people:
            yield f"Check {sentence}: respondents {', '.join(list(people)[:SHOWN])}; flag '{flag}'."


def _read_twice(
    table: pl.DataFrame, settings: ReaderSettings, out: Path, names: Tables | None
) -> tuple[pl.DataFrame, list[str]]:
    """The table with the reading of both readers that stands; the model's own goes into a table beside the output."""
    from endoxa.curate.second import second_reading

    folder = out.with_name(f"{out.name}.model")
    beside = out.with_name(f"{out.stem}.model{out.suffix}")
    with shown("statements") as progress:
        readings = second_reading(table, settings, folder, names=names, progress=progress, command=sys.argv)
    write_table(readings.model, beside)
    unread = f"; {plural(readings.unread, 'answer')} could not be read" if readings.unread else ""
    differing = (
        f"{plural(readings.n_read, 'statement')} read by {settings.models[0]} ({beside}){unread}; the readers "
        f"differ on {readings.differing} (flag 'readers-differ')"
    )
    return readings.combined, [differing, *readings.cost]


@dataclass(frozen=True, slots=True)
class Meanings:
    """How the meanings of attributes are compared.

    Attributes:
        attribute_column: Column that holds the attributes.
        encoder: all-MiniLM-L6-v2 (installed), hf/ORG/NAME or hf/FOLDER (any sentence-transformers model), or
            same-words.
        language: Language of the attributes.
        lexicon: Your own antonyms: columns one, other, pos.
    """

    attribute_column: Annotated[str, Option(group=DATA, metavar="NAME")] = "attribute"
    encoder: Annotated[
        str | None,
        Option(
            group=ITEMS,
            metavar="NAME",
            default="all-MiniLM-L6-v2 in English, else same-words",
        ),
    ] = None
    language: Annotated[
        str | None, Option(group=DATA, metavar="CODE", default="the only one that the file names, else en")
    ] = None
    lexicon: Annotated[Path | None, Option(group=DATA)] = None

    def read(
        self, file: Path, written: Collection[str] = (), *, as_written: bool
    ) -> tuple[dict[str, int], Lexicon]:
        """How often each attribute of a table is said, and the lexicon of their language."""
        language = self.language or grouping.language_of(file)
        counts = grouping.read_attributes(
            file, self.attribute_column, language, note, written, as_written=as_written
        )
        return counts, load_lexicon(language, self.lexicon)


def group(
    file: Annotated[Path, argument(sample="statements")],
    *,
    out: Annotated[Path, table_option("Groups")],
    tau: Annotated[float, Ge(0.0), Le(1.0), Option(group=ANALYSIS)] = 0.55,
    method: Annotated[Method, Option(group=ANALYSIS)] = "endoxa",
    existing: Annotated[Path | None, Option(group=DATA, metavar="GROUPS")] = None,
    meanings: Meanings,
) -> Outcome:
    """Group attributes with similar meanings; opposites and negations are never merged.

    \b
    Examples:
      endoxa curate group statements.csv -o groups.csv
      endoxa curate group new.csv --existing groups.csv -o groups-2.csv
      endoxa curate group statements.csv --method afristereo -o published.csv

    Options:
        file: Statements, or another table of attributes.
        tau: Minimum cosine similarity to merge groups.
        method: endoxa, or afristereo (as published; depends on the order of rows).
        existing: Existing groups, kept unchanged; new attributes are added.
    """  # noqa: D301
    if method == "afristereo" and existing is not None:
        raise UserError(
            "The method 'afristereo' cannot extend existing groups. Leave out --method or --existing."
        )
    counts, lexicon = meanings.read(file, grouping.SCHEMA, as_written=method == "afristereo")
    earlier = grouping.read_existing(existing) if existing else None
    encoder = chosen_encoder(meanings.encoder, lexicon.language, note)
    table = grouping.group_attributes(counts, encoder, lexicon, tau=tau, method=method, existing=earlier)
    groups = table["group_id"].n_unique()
    return Outcome((f"{len(table)} attributes in {groups} groups written to {out}",), {"out": table})


class Apart(StrEnum):
    """Columns by which associations can be split."""

    COUNTRY = "country"
    AXIS = "axis"


@dataclass(frozen=True, slots=True)
class Counting:
    """What of a table of statements is counted.

    Attributes:
        groups: Groups of attributes, from `endoxa curate group`.
        source: Name of the survey, if the table has none.
        include_flagged: Also count statements flagged as written by a chatbot.
        respondent: Column with a code of who said it; each person counts once.
    """

    groups: Annotated[Path | None, Option(group=DATA)] = None
    source: Annotated[str, Option(group=DATA, metavar="NAME")] = ""
    include_flagged: Annotated[bool, Option(group=DATA, only_on=True)] = False
    respondent: Annotated[
        str | None, Option(group=DATA, metavar="COLUMN", default="respondent, or one with a usual name")
    ] = None

    def tables(self, statements: Path) -> tuple[pl.DataFrame, pl.DataFrame | None]:
        """The statements, and the groups of attributes."""
        columns = ("attribute", "group_id", "canonical")
        groups = read_table(self.groups, columns) if self.groups is not None else None
        needed = ("identity", "attribute", *([self.respondent] if self.respondent else []))
        return with_respondents(read_table(statements, needed), self.respondent), groups


def associations(
    statements: Annotated[Path, argument(metavar="STATEMENTS", sample="statements")],
    *,
    out: Annotated[Path, table_option("Associations")],
    counting: Counting,
    by: Annotated[tuple[Apart, ...], Option(group=ANALYSIS, metavar="WHAT")] = (),
    min_support: Annotated[int, Option(group=ANALYSIS)] = 1,
    summary: Annotated[Path | None, Option(group=OUTPUT, metavar="FOLDER")] = None,
    min_cell: Annotated[int, Ge(1), Option(group=ANALYSIS)] = 5,
) -> Outcome:
    """Aggregate statements into associations: identity, canonical attribute, number of respondents.

    Statements proposed for omission, without identity or attribute, or flagged as written by a chatbot are left out and
    counted. An association reported under several axes gets the axis with the most respondents. In the summary each
    respondent is counted once, by every column that was kept; subgroups with counts below --min-cell are merged, so
    that small counts cannot be derived from other tables either.

    \b
    Examples:
      endoxa curate associations statements.csv --groups groups.csv -o associations.csv
      endoxa curate associations statements.csv -o associations.csv --by country --min-support 2
      endoxa curate associations statements.csv --groups groups.csv -o associations.csv --summary summary

    Options:
        statements: Table with columns identity and attribute.
        by: Split associations by 'country' or 'axis'; repeatable.
        min_support: Minimum number of respondents per association.
        summary: Also write frequency and composition tables that are safe to share into this folder.
        min_cell: With --summary: minimum count shown for a subgroup.
    """  # noqa: D301
    gathered = gather(
        *counting.tables(statements),
        source=counting.source,
        by_country=Apart.COUNTRY in by,
        by_axis=Apart.AXIS in by,
        min_support=min_support,
        include_flagged=counting.include_flagged,
    )
    note(
        *(f"{plural(count, 'statement')} left out: {reason}." for reason, count in gathered.left_out.items())
    )
    note(*gathered.notes)
    if gathered.rare:
        note(f"{gathered.rare} associations left out: fewer than {min_support} respondents.")
    if gathered.table.is_empty():
        raise UserError(
            f"{statements}: no association with {min_support} or more respondents. Lower --min-support."
        )
    written = [] if summary is None else _summarised(statements, summary, counting, min_cell)
    return Outcome(
        (f"{gathered.table.height} associations written to {out}", *written), {"out": gathered.table}
    )


def _summarised(statements: Path, folder: Path, counting: Counting, min_cell: int) -> list[str]:
    """Frequency and composition tables that are safe to share."""
    from endoxa.curate.summary import summarise, write_summary

    counted = mentions(
        *counting.tables(statements), source=counting.source, include_flagged=counting.include_flagged
    )
    made = summarise(counted.table, min_cell)
    note(*made.notes)
    return [str(path) for path in write_summary(made, folder)]


for command in (extract, review, evaluate):
    add_command(app, command)
add_command(
    app, group, following="endoxa curate associations {settings.file} --groups {out} -o associations.csv"
)
add_command(
    app,
    associations,
    following="endoxa build pairs {out} -o pairs.csv, or: endoxa build qa {out}{language} -o questions.jsonl",
)
