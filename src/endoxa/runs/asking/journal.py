"""The crash-safe memory of a run that asks: every raw answer, and the calls and batches that are under way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

from endoxa.models.chat.spec import Submission
from endoxa.models.chat.thoughts import spoken
from endoxa.runs.asking.jobs import SKIPPED, Answered
from endoxa.runs.journal import JournalFile
from endoxa.schema import ChatAnswer, Usage

SHOWN_CAUSE = 100
"""Characters of an error that name its cause."""
_ATTEMPTS = re.compile(r"^failed \d+ times: ")

TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    model INTEGER, job INTEGER, turn INTEGER, text TEXT, finish TEXT, refused INTEGER, served_model TEXT,
    reasoning TEXT, error TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, cached_tokens INTEGER,
    reasoning_tokens INTEGER, batched INTEGER, system_fingerprint TEXT DEFAULT '', PRIMARY KEY (model, job, turn)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
    model INTEGER, tag TEXT, batch_id TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, requests INTEGER,
    mark TEXT, PRIMARY KEY (model, tag)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lost (
    model INTEGER, batched INTEGER, known INTEGER, prompt_tokens INTEGER, completion_tokens INTEGER, calls INTEGER
);
CREATE TABLE IF NOT EXISTS begun (
    model INTEGER, job INTEGER, turn INTEGER, prompt_tokens INTEGER, completion_tokens INTEGER,
    PRIMARY KEY (model, job, turn)
) WITHOUT ROWID;
"""
ANSWER = (
    "text, finish, refused, served_model, reasoning, error, prompt_tokens, completion_tokens, cached_tokens, "
    "reasoning_tokens"
)


@dataclass(frozen=True, slots=True)
class Totals:
    """Calls and tokens of one model, asked one by one or in batches.

    Attributes:
        calls: number of calls.
        batched: they went through the provider's batch interface.
        usage: their tokens.
        counted: the provider counted the tokens; otherwise no answer came, and they are the most it can have been.
    """

    calls: int
    batched: bool
    usage: Usage
    counted: bool = True


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch under way.

    Attributes:
        submission: by what it is found again.
        batch_id: the provider's, or None where it is not known whether the batch arrived.
        worst: the most tokens that it can take.
    """

    submission: Submission
    batch_id: str | None
    worst: Usage


class AnswerJournal(JournalFile):
    """Answers of one run, on disk; models and jobs go by their numbers in the run."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; see `JournalFile`."""
        super().__init__(path, TABLES)

    def add(self, model: int, answered: Iterable[Answered]) -> None:
        """Remember answers, in one transaction; an answer that is known already stays as it is."""
        rows = []
        for entry in answered:
            said = entry.answer
            texts = (said.text, said.finish, int(said.refused), said.served_model, said.reasoning, said.error)
            tokens, more = astuple(said.usage), (int(entry.batched), said.system_fingerprint)
            rows.append((model, entry.job, entry.turn, *texts, *tokens, *more))
        with self._explained(), self._transaction():
            self._db.executemany(
                f"INSERT OR IGNORE INTO answers VALUES ({','.join('?' * 15)})",  # noqa: S608
                rows,
            )
            self._db.executemany(
                "DELETE FROM begun WHERE model = ? AND job = ? AND turn = ?", (row[:3] for row in rows)
            )

    def begin_call(self, model: int, job: int, turn: int, worst: Usage) -> None:
        """Remember that a call of at most these tokens is about to be sent, until its answer is added.

        Nothing is forced to the disk: this survives the death of the process, not that of the machine.
        """
        tokens = (worst.prompt_tokens, worst.completion_tokens)
        self._rows("INSERT OR REPLACE INTO begun VALUES (?, ?, ?, ?, ?)", model, job, turn, *tokens)

    def end_call(self, model: int, job: int, turn: int) -> None:
        """Forget a call that ended without an answer, and is not billed or counted elsewhere."""
        self._rows("DELETE FROM begun WHERE model = ? AND job = ? AND turn = ?", model, job, turn)

    def lose_calls(self, model: int) -> Totals:
        """Count the calls as lost that an earlier process began and did not end; returns what they took at most."""
        sums = "count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0)"
        with self._explained(), self._transaction():
            ((calls, *tokens),) = self._rows(f"SELECT {sums} FROM begun WHERE model = ?", model)  # noqa: S608
            self._rows(
                "INSERT INTO lost SELECT model, 0, 0, prompt_tokens, completion_tokens, 1 FROM begun WHERE model = ?",
                model,
            )
            self._rows("DELETE FROM begun WHERE model = ?", model)
        return Totals(calls, batched=False, usage=Usage(*tokens), counted=False)

    def answers(self, model: int, first: int, last: int) -> dict[int, list[ChatAnswer]]:
        """Answers of the jobs first..last (both included), in the order of their turns."""
        query = (
            f"SELECT job, {ANSWER} FROM answers WHERE model = ? AND job BETWEEN ? AND ? ORDER BY job, turn"  # noqa: S608
        )
        by_job: dict[int, list[ChatAnswer]] = {}
        for job, *columns in self._rows(query, model, first, last):
            text, finish, refused, served_model, reasoning, error, *tokens = columns
            answer = ChatAnswer(text, finish, bool(refused), Usage(*tokens), served_model, reasoning, error)
            by_job.setdefault(job, []).append(spoken(answer))  # stored as it came, thoughts parted here
        return by_job

    def count(self, model: int) -> int:
        """Answers of a model so far, all turns counted."""
        ((count,),) = self._rows("SELECT count(*) FROM answers WHERE model = ?", model)
        return int(count)

    def totals(self, model: int) -> list[Totals]:
        """What the calls of a model took: the batched ones apart, and those apart whose tokens nobody counted."""
        query = (
            "SELECT batched, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), "
            "sum(reasoning_tokens), 1 FROM answers WHERE model = ? AND finish <> ? GROUP BY batched "
            "UNION ALL SELECT batched, sum(calls), sum(prompt_tokens), sum(completion_tokens), 0, 0, known "
            "FROM lost WHERE model = ? GROUP BY batched, known "
            "UNION ALL SELECT 0, count(*), sum(prompt_tokens), sum(completion_tokens), 0, 0, 0 "
            "FROM begun WHERE model = ? GROUP BY model"
        )
        return [
            Totals(calls, bool(batched), Usage(*tokens), bool(counted))
            for batched, calls, *tokens, counted in self._rows(query, model, SKIPPED, model, model)
        ]

    def served(self, model: int) -> list[dict[str, str | int]]:
        """What the server said that a model is, with the number of answers, in the order of the jobs."""
        query = (
            "SELECT served_model, system_fingerprint, count(*) FROM answers "
            "WHERE model = ? AND served_model || system_fingerprint <> '' GROUP BY 1, 2 ORDER BY min(job)"
        )
        names = ("served_model", "system_fingerprint", "answers")
        return [dict(zip(names, row, strict=True)) for row in self._rows(query, model)]

    def add_lost(self, model: int, usage: Usage, *, counted: bool) -> None:
        """Remember a call that may be billed and whose answer is not kept; tokens that are not known are the most."""
        tokens = (usage.prompt_tokens, usage.completion_tokens)
        self._rows("INSERT INTO lost VALUES (?, 0, ?, ?, ?, 1)", model, int(counted), *tokens)

    def worked(self, model: int) -> bool:
        """Whether a model has answered anything."""
        return bool(self._rows("SELECT 1 FROM answers WHERE model = ? AND error = '' LIMIT 1", model))

    def causes(self, model: int) -> dict[str, int]:
        """Why jobs of a model ended with an error, and how many; what a provider refused or filtered is an answer.

        A cause is the message without the number of attempts and without what the server sent; most frequent first.
        """
        query = """SELECT error, count(DISTINCT job) FROM answers
            WHERE model = ? AND error <> '' AND NOT refused GROUP BY error"""
        causes: Counter[str] = Counter()
        for error, jobs in self._rows(query, model):
            causes[_ATTEMPTS.sub("", error).partition(": '")[0][:SHOWN_CAUSE].strip()] += jobs
        return dict(causes.most_common())

    def forget_errors(self, model: int) -> None:
        """Forget the answers that ended with an error, so that they are asked for again."""
        self._rows("DELETE FROM answers WHERE model = ? AND error <> '' AND NOT refused", model)

    def begin_batch(self, model: int, submission: Submission, worst: Usage) -> None:
        """Remember that a batch of at most these tokens is about to be handed in, before it has an id."""
        row = (worst.prompt_tokens, worst.completion_tokens, submission.requests, submission.mark)
        self._rows("INSERT INTO batches VALUES (?, ?, NULL, ?, ?, ?, ?)", model, submission.tag, *row)

    def name_batch(self, model: int, tag: str, batch_id: str) -> None:
        """Remember the id the provider gave."""
        self._rows("UPDATE batches SET batch_id = ? WHERE model = ? AND tag = ?", batch_id, model, tag)

    def end_batch(self, model: int, tag: str) -> None:
        """Forget a batch whose answers are here."""
        self._rows("DELETE FROM batches WHERE model = ? AND tag = ?", model, tag)

    def lose_batch(self, model: int, tag: str) -> None:
        """Count a batch as lost that nobody can find, at the most that it can have taken, and forget it."""
        with self._explained(), self._transaction():
            self._rows(
                "INSERT INTO lost SELECT model, 1, 0, prompt_tokens, completion_tokens, requests "
                "FROM batches WHERE model = ? AND tag = ?",
                *(model, tag),
            )
            self.end_batch(model, tag)

    def batches(self, model: int) -> list[Batch]:
        """The batches under way."""
        query = (
            "SELECT tag, requests, mark, batch_id, prompt_tokens, completion_tokens FROM batches WHERE model = ? "
            "ORDER BY tag"
        )
        return [
            Batch(Submission(tag, requests, mark), batch_id, Usage(*tokens))
            for tag, requests, mark, batch_id, *tokens in self._rows(query, model)
        ]
