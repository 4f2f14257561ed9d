"""From the journal to `records.parquet`: each story with its profile, and with every vote behind it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.datasets.stereotales import WHOLE_NUMBERS, Story, Vocabulary
from endoxa.probe.asking.journal import AnswerJournal
from endoxa.probe.extract.jobs import chunks
from endoxa.probe.extract.reading import ProfileReader, Read, read_refusal
from endoxa.probe.extract.settings import ExtractSettings
from endoxa.probe.extract.voting import Decision, Vote, decide
from endoxa.probe.folder import RECORDS
from endoxa.probe.parts import parquet_in_parts
from endoxa.schema import ChatAnswer
from endoxa.schema.stories import EXTRACTED_COLUMNS

WHOLE = (*WHOLE_NUMBERS, "refusal", "n_parsed")
TYPES = {name: pl.Int64 if name in WHOLE else pl.String for name in EXTRACTED_COLUMNS}
UNFINISHED = ("length", "error")
"""A text without a word that ended so is no refusal: the model ran out of tokens, or the request failed. Nor is one of
thoughts alone."""


def write_records(
    settings: ExtractSettings, vocabulary: Vocabulary, journal: AnswerJournal, out: Path
) -> dict[str, int]:
    """Write `records.parquet` into the run folder.

    Returns:
        "records": its rows; "refused": refusals among them, and "wordless": texts without a word, about which nobody
        was asked; "unparsed": profiles that could not be read; "undecided": answers to the question of refusal that
        could not be read; "unlisted": values that are none of their attribute's, of stories that are no refusals.
    """
    reader = ProfileReader.of(vocabulary)
    counts: Counter[str] = Counter(records=0, refused=0, wordless=0, unparsed=0, undecided=0, unlisted=0)
    with parquet_in_parts(out / RECORDS) as add:
        for first, chunk in chunks(settings):
            rows = []
            for story, answers in _answered(first, chunk, settings, journal):
                votes = _votes(answers, reader)
                decision = decide(votes, vocabulary)
                row = _row(story, answers, votes, decision)
                counts.update(
                    records=1,
                    refused=row["refusal"],
                    wordless=not answers,
                    unparsed=len(votes) - decision.parsed,
                    undecided=sum(vote.refusal is None for vote in votes.values()),
                    unlisted=0 if row["refusal"] else sum(len(vote.unlisted) for vote in votes.values()),
                )
                rows.append(row)
            add(pl.DataFrame(rows, schema=TYPES, orient="row"))
    return dict(counts)


def _answered(
    first: int, chunk: Sequence[Story], settings: ExtractSettings, journal: AnswerJournal
) -> Iterator[tuple[Story, dict[str, Sequence[ChatAnswer]]]]:
    """Each story with the answers of each extractor; none where nobody was asked."""
    last = first + len(chunk) - 1
    known = [journal.answers(place, first, last) for place in range(len(settings.models))]
    for number, story in enumerate(chunk, start=first):
        yield (
            story,
            {
                model: answers[number]
                for model, answers in zip(settings.models, known, strict=True)
                if number in answers
            },
        )


def _votes(answers: Mapping[str, Sequence[ChatAnswer]], reader: ProfileReader) -> dict[str, Vote]:
    return {
        model: _vote(read_refusal(refusal.text), reader.read(profile.text))
        for model, (refusal, profile) in answers.items()
    }


def _vote(refusal: bool | None, read: Read | None) -> Vote:
    return Vote(refusal, None) if read is None else Vote(refusal, read.profile, read.unlisted)


def _row(
    story: Story, answers: Mapping[str, Sequence[ChatAnswer]], votes: Mapping[str, Vote], decision: Decision
) -> dict[str, Any]:
    cells = {
        name: int(value) if value and name in WHOLE_NUMBERS else value or None
        for name, value in story.cells.items()
    }
    silent = not story.text.strip() and story.cells["finish"] not in UNFINISHED
    return {
        **cells,
        "refusal": int(decision.refusal or silent),
        "extracted_attributes_json": _json(decision.profile),
        "votes_json": _json({model: vote.profile for model, vote in votes.items()}),
        "refusal_votes_json": _json({model: vote.refusal for model, vote in votes.items()}),
        "unlisted_json": _json(
            {model: sorted(vote.unlisted) for model, vote in votes.items() if vote.unlisted}
        ),
        "raw_json": _json({model: [one.text for one in several] for model, several in answers.items()}),
        "n_parsed": decision.parsed,
    }


def _json(found: Mapping[str, Any]) -> str:
    return json.dumps(found, ensure_ascii=False)
