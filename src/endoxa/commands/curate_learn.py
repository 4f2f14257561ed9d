"""`endoxa curate learn`: what reviewers' corrections teach for the next batch of a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endoxa.report.words import plural
from endoxa.schema.options import OUTPUT, Option


def learn(
    reviewed: Annotated[
        list[Path],
        typer.Argument(
            metavar="REVIEWED...", help="Tables of `endoxa curate review apply`, or gold files; one or more."
        ),
    ],
    *,
    out: Annotated[
        Path, Option("Lexicon (TOML), for `endoxa curate extract --lexicon`.", OUTPUT, short="-o")
    ],
) -> None:
    """Learn names, spellings and habits of writing from reviewers' corrections.

    The lexicon is a text file: look it through and edit it before you use it. `endoxa curate evaluate REVIEWED --learn`
    measures what it gains on other respondents than those it was learned from.

    \b
    Examples:
      endoxa curate learn reviewed.csv -o lexicon.toml
      endoxa curate learn wave1.csv wave2.csv -o lexicon.toml
      endoxa curate extract wave3.csv --map map.toml --lexicon lexicon.toml -o statements.csv
    """  # noqa: D301
    from endoxa.curate.evaluation import learn as teach
    from endoxa.curate.evaluation import read_gold
    from endoxa.curate.extract.lexicon import LISTS, TABLES, written_lexicon
    from endoxa.errors import UserError
    from endoxa.report.files import replace_text
    from endoxa.sources.files import require_apart

    if out.suffix.lower() != ".toml":
        raise UserError(f"'{out}' cannot be written: the name of a lexicon must end in .toml.")
    require_apart([out], reviewed)
    gold = [one for path in reviewed for one in read_gold(path)]
    lexicon = teach(gold)
    people = len({one.unit for one in gold})
    heading = f"Learned from {plural(len(gold), 'reviewed statement')} of {plural(people, 'respondent')}."
    replace_text(out, written_lexicon(lexicon, heading))
    typer.echo(heading)
    for name in (*TABLES, *LISTS):
        count = len(getattr(lexicon, name))
        if count:
            typer.echo(f"  {name}: {count}")
    typer.echo(
        f"Lexicon written to {out}" if lexicon else f"Nothing to learn; empty lexicon written to {out}"
    )
