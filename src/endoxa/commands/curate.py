"""`endoxa curate`: turn free-text answers into associations of identities and attributes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import polars as pl
from annotated_types import Ge, Le

from endoxa.commands.curate_extract import extract
from endoxa.commands.curate_review import evaluate, review
from endoxa.commands.verbs import Outcome, add_command, argument, command_group, note, table_option
from endoxa.curate import group as grouping
from endoxa.curate.associations import associations as gather
from endoxa.curate.associations import mentions
from endoxa.curate.encoders import chosen_encoder
from endoxa.curate.group import Method
from endoxa.curate.opposites import Lexicon, load_lexicon
from endoxa.errors import UserError
from endoxa.report.words import plural
from endoxa.schema.options import ANALYSIS, DATA, ITEMS, OUTPUT, Option
from endoxa.sources.frames import read_table, write_table
from endoxa.sources.headers import with_respondents

app = command_group("curate")


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
) -> Outcome:
    """Aggregate statements into associations: identity, canonical attribute, number of respondents.

    Statements proposed for omission, without identity or attribute, or flagged as written by a chatbot are left out and
    counted. An association reported under several axes gets the axis with the most respondents. In the summary each
    respondent is counted once, and split by nothing.

    \b
    Examples:
      endoxa curate associations statements.csv --groups groups.csv -o associations.csv
      endoxa curate associations statements.csv -o associations.csv --by country --min-support 2
      endoxa curate associations statements.csv --groups groups.csv -o associations.csv --summary summary

    Options:
        statements: Table with columns identity and attribute.
        by: Split associations by 'country' or 'axis'; repeatable.
        min_support: Minimum number of respondents per association.
        summary: Also write frequency and composition tables that are safe to share, and a figure, into this folder.
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
    written = [] if summary is None else _summarised(statements, summary, counting)
    return Outcome(
        (f"{gathered.table.height} associations written to {out}", *written), {"out": gathered.table}
    )


def _summarised(statements: Path, folder: Path, counting: Counting) -> list[str]:
    """Frequency and composition tables that are safe to share, and a figure."""
    from endoxa.curate.pages import save_frequencies
    from endoxa.curate.summary import summarise

    counted = mentions(
        *counting.tables(statements), source=counting.source, include_flagged=counting.include_flagged
    )
    made = summarise(counted.table)
    paths = {name: folder / f"{name}.csv" for name in made}
    for name, table in made.items():
        write_table(table, paths[name])
    return [str(path) for path in (*paths.values(), *save_frequencies(made["frequencies"], folder))]


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
