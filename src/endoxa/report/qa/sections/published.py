"""The tables of the published name-based BBQ, for one's own models."""

from __future__ import annotations

from endoxa.report.document import Column, Section, Table
from endoxa.report.qa.published import PaperTable, paper_tables
from endoxa.report.qa.results import QaResults


def published(results: QaResults) -> Section:
    """Tables 1 to 6 of Pelosio et al. (2025)."""
    return Section(
        anchor="published",
        title="The published tables for these models",
        tables=tuple(_shown(table) for table in paper_tables(results)),
        notes=(
            "Numbered as in Pelosio et al. (2025), whose tables print mean and standard deviation over three "
            "seeds. Intervals resample templates with all their questions, because questions made from one "
            "template are not independent. These tables claim nothing: verdicts stand in the tables of leans and of "
            "differences.",
        ),
    )


def _shown(table: PaperTable) -> Table:
    return Table(
        f"Table {table.number}. {table.title}",
        (Column("model"), *(Column(name, numeric=True) for name in table.heads)),
        table.rows,
        notes=table.notes,
    )
