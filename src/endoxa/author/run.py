"""A run of `endoxa author`: requests to every model, answers in a run folder, drafts in a table.

The run folder (`STEM_run` beside the table) holds every raw answer; the table and its companions are made from it and
can be made again at no cost.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.author.kind import Ask, Judged, Kind, Row, cell
from endoxa.author.prompts import Prompts, Reply, read_prompts, read_reply
from endoxa.author.settings import AuthorSettings
from endoxa.curate.language import with_language
from endoxa.errors import UserError
from endoxa.runs.asking.cost import Planned, expect, parse_models, planned, warn_of_schemas
from endoxa.runs.asking.jobs import Job, draw_seed
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.asking.outcomes import AnswerCounts, count_answers
from endoxa.runs.asking.run import Questions, asking_work
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Work
from endoxa.runs.journal import chosen
from endoxa.schema.chat import answer_object
from endoxa.schema.drafts import (
    AFTER_STOP,
    DRAFT,
    DRAFT_COLUMNS,
    FAILED,
    LEFT_OUT_COLUMNS,
    REFUSED,
    REPEATED,
    UNREADABLE,
    YIELD_COLUMNS,
)
from endoxa.schema.provenance import BUILT_BY, WORDS, words_cell
from endoxa.sources.files import sha256
from endoxa.sources.frames import read_table
from endoxa.sources.identities import identity_key
from endoxa.words.identifiers import IDENTIFIER, identifier_in


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run before it is asked.

    Attributes:
        kind: what is drafted.
        settings: its settings.
        data: the rows that --limit or --sample takes of the data.
        available: number of rows of the data.
        prompts: the prompts.
        asks: every request.
        context: what the kind judges rows with; made before anything is asked, so that nothing fails afterwards.
    """

    kind: Kind
    settings: AuthorSettings
    data: pl.DataFrame
    available: int
    prompts: Prompts
    asks: tuple[Ask, ...]
    context: Any


@dataclass(frozen=True, slots=True)
class Drafted:
    """What came of a run: drafts, rows that are none, and counts by model."""

    drafts: pl.DataFrame
    left_out: pl.DataFrame
    yields: pl.DataFrame


def prepare(kind: Kind, settings: AuthorSettings) -> Prepared:
    """Read the data and write the requests.

    Raises:
        UserError: anything about data, prompts or settings that a user can mend.
    """
    path = Path(settings.data)
    data = read_table(path, kind.needs)
    for number, row in enumerate(data.iter_rows(named=True), start=1):
        flagged = IDENTIFIER in str(row.get("flag") or "").split()
        for name in kind.needs:
            if not cell(row, name):
                raise UserError(f"{path}, row {number}: '{name}' is empty. Fill it in, or leave the row out.")
            kind_of_data = IDENTIFIER if flagged else identifier_in(str(row[name]))
            if kind_of_data:
                raise UserError(
                    f"{path}, row {number}: '{name}' holds personal data ({kind_of_data}), which is never sent to a "
                    "model or service. Correct the cell, or leave the row out."
                )
    context = kind.context(settings, data)
    available = data.height
    rows = chosen(lambda: data.iter_rows(named=True), settings, _stratum, _content)
    data = pl.DataFrame(list(rows), schema=data.schema)
    if data.is_empty():
        raise UserError(f"{path} has no rows. Expected a table with {', '.join(kind.needs) or 'your data'}.")
    if kind.speaks is not None:
        data = with_language(data, kind.speaks, settings.row_language, path.name)
    prompts = read_prompts(settings.prompt_language, Path(settings.prompts) if settings.prompts else None)
    asks = tuple(kind.asks(settings, data, prompts, context))
    return Prepared(kind, settings, data, available, prompts, asks, context)


def _stratum(row: Mapping[str, Any]) -> tuple[str, ...]:
    groups = ("language", "country", "region", "axis", "identity")
    return tuple(identity_key(str(row.get(name) or "")) for name in groups)


def _content(row: Mapping[str, Any]) -> str:
    return json.dumps(list(row.values()))


def jobs(of: Prepared) -> Iterator[Job]:
    """The conversations of a run, in the order of their numbers."""
    for number, ask in enumerate(of.asks):
        schemas = (_schema(of.kind, ask),) if of.settings.structured else ()
        facts = {
            "probe": "author",
            "task": of.kind.name,
            "number": number,
            "fields": list(of.kind.fields),
            "wanted": ask.wanted,
            "allowed": {name: list(values) for name, values in ask.allowed.items()},
            **ask.facts,
            **ask.simulated,
        }
        readable = (partial(_readable, of),) if of.settings.structured else ()
        yield Job(number, (ask.text,), of.settings.system, _seed(of, number), facts, schemas, readable)


def _seed(of: Prepared, number: int) -> int:
    draw = of.asks[number].draw
    return draw_seed(of.settings.seed, number if draw is None else draw)


def _schema(kind: Kind, ask: Ask) -> dict[str, Any]:
    """JSON schema of an answer."""
    cells = {
        name: {"type": "string", **({"enum": list(ask.allowed[name])} if name in ask.allowed else {})}
        for name in kind.fields
    }
    return answer_object({"rows": {"type": "array", "items": answer_object(cells)}})


def author_work(kind: Kind, settings: AuthorSettings) -> Work:
    """Every request to every model.

    Raises:
        UserError: any user error in data, prompts, models or settings.
    """
    specs = parse_models(settings.models)
    warn_of_schemas(settings, specs)
    of = prepare(kind, settings)
    digest = sha256(Path(settings.data))
    return asking_work(
        Questions(
            settings=settings,
            specs=specs,
            contents={"data": digest, "prompts": {"id": of.prompts.id, "texts": dict(of.prompts.texts)}},
            data={"path": settings.data, "sha256": digest, "prompts": of.prompts.id},
            scan=lambda _: len(of.asks),
            jobs=lambda: jobs(of),
            turns=1,
            calls=1,
            write=lambda journal, folder: _write_records(of, journal, folder),
            outcomes=partial(_outcomes, of),
        )
    )


def plan(kind: Kind, settings: AuthorSettings) -> list[Planned]:
    """Expected calls, tokens and cost by model; nothing is asked.

    Raises:
        UserError: as `author_work`, for data and the names of models.
    """
    specs = parse_models(settings.models)
    of = prepare(kind, settings)
    work = expect((job, [kind.tokens * ask.wanted]) for job, ask in zip(jobs(of), of.asks, strict=True))
    return planned(settings, specs, work)


def _write_records(of: Prepared, journal: AnswerJournal, folder: Path) -> dict[str, int]:
    rows = []
    for place, model in enumerate(of.settings.models):
        answers = journal.answers(place, 0, max(len(of.asks) - 1, 0))
        for number, ask in enumerate(of.asks):
            answer = answers[number][-1]
            rows.append(
                {
                    "model": model,
                    "number": number,
                    "answer": answer.text,
                    "finish": answer.finish,
                    "served_model": answer.served_model,
                    "refused": answer.refused,
                    "prompt_sha256": hashlib.sha256(ask.text.encode()).hexdigest()[:12],
                    "prompt_tokens": answer.usage.prompt_tokens,
                    "completion_tokens": answer.usage.completion_tokens,
                    "error": answer.error,
                }
            )
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / RECORDS)
    return {"records": len(rows), "asked": sum(ask.wanted for ask in of.asks)}


def _readable(of: Prepared, text: str) -> bool:
    reply = read_reply(text, of.kind.fields, of.settings.prompt_language)
    return bool(reply.rows or reply.after or reply.stopped or reply.refused)


def _outcomes(of: Prepared, folder: Path) -> tuple[AnswerCounts, ...]:
    """What became of the answers: one is read where it gave a row, or said that there is none."""
    rows = []
    for record in pl.read_parquet(folder / RECORDS).iter_rows(named=True):
        reply, reason = _reply(of, record)
        answers = {
            "read": not reason,
            "refused": reply.refused,
            "blank": not record["answer"].strip(),
        }
        rows.append(
            {"context": "", **{name: record[name] for name in ("model", "finish", "error")}, **answers}
        )
    return count_answers(pl.DataFrame(rows))


def drafted(of: Prepared, records: pl.DataFrame, cost: Mapping[str, float | None]) -> Drafted:
    """Drafts, what was left out, and the yield of each model, from the records of a run.

    Args:
        of: the run as it was prepared.
        records: a row for each request and model.
        cost: US dollars by model.
    """
    drafts: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    yields: list[dict[str, Any]] = []
    for part in records.partition_by("model", maintain_order=True):
        before, model = len(drafts), part["model"][0]
        counts = _add_rows_of_model(of, part, drafts, left_out)
        counts["drafts"] = len(drafts) - before
        yields.append(
            {name: counts[name] for name in YIELD_COLUMNS} | {"model": model, "cost_usd": cost.get(model)}
        )
    numbers = dict.fromkeys(("seed", "batch", "position"), pl.Int64)
    types = dict.fromkeys((*DRAFT_COLUMNS, *of.kind.columns), pl.String) | numbers
    return Drafted(
        of.kind.unite(of.settings, of.data, pl.DataFrame(drafts, schema=types)),
        pl.DataFrame(left_out, schema=dict.fromkeys(LEFT_OUT_COLUMNS, pl.String), strict=False),
        pl.DataFrame(yields, schema_overrides={"cost_usd": pl.Float64}),
    )


def _add_rows_of_model(
    of: Prepared, records: pl.DataFrame, drafts: list[dict[str, Any]], left_out: list[dict[str, Any]]
) -> Counter[str]:
    """Add the drafts of one model, and what is none; counts by reason."""
    seen: set[object] = set()
    counts: Counter[str] = Counter()
    for record in records.iter_rows(named=True):
        ask = of.asks[record["number"]]
        left = {"model": record["model"], "batch": str(ask.batch)}
        reply, reason = _reply(of, record)
        counts.update(asked=ask.wanted, answers=reason != FAILED, stopped=reply.stopped)
        if reason:
            counts[reason] += 1
            left_out.append(
                {**left, "position": "0", "reason": reason, "row": record["error"] or record["answer"]}
            )
        for position, row in enumerate((*reply.rows, *reply.after), start=1):
            judged = Judged(reason=AFTER_STOP)
            if position <= len(reply.rows):
                judged = of.kind.judged(of.settings, of.context, ask, row)
            same = None if judged.reason else of.kind.same(judged.cells)
            reason = judged.reason or (REPEATED if same in seen else "")
            counts["rows"] += 1
            if reason:
                counts[reason] += 1
                written = json.dumps(row, ensure_ascii=False)
                left_out.append({**left, "position": str(position), "reason": reason, "row": written})
            else:
                seen.add(same)
                drafts.append(_draft(of, ask, record, position, judged))
    return counts


def _reply(of: Prepared, record: Row) -> tuple[Reply, str]:
    """What an answer holds, and why it gave nothing at all; empty where it gave rows."""
    if record["error"]:
        return Reply(()), FAILED
    if record["refused"]:
        return Reply((), refused=True), REFUSED
    reply = read_reply(record["answer"], of.kind.fields, of.settings.prompt_language)
    if reply.rows or reply.after or reply.stopped:
        return reply, ""
    return reply, REFUSED if reply.refused else UNREADABLE


def _draft(of: Prepared, ask: Ask, record: Row, position: int, judged: Judged) -> dict[str, Any]:
    key = f"{of.kind.name}|{record['model']}|{record['prompt_sha256']}|{record['number']}|{position}"
    return {
        "draft_id": f"{of.kind.name}-{hashlib.sha256(key.encode()).hexdigest()[:10]}",
        "status": DRAFT,
        "task": of.kind.name,
        "source_ids": "; ".join(ask.sources),
        "source": f"draft by {record['model']}",
        "model_version": record["served_model"],
        "prompt_id": of.prompts.id,
        "prompt_sha256": record["prompt_sha256"],
        "seed": _seed(of, record["number"]),
        "batch": ask.batch,
        "position": position,
        "checks": " ".join(judged.checks),
        BUILT_BY: f"endoxa author {of.kind.name}",
        WORDS: "" if of.settings.prompts else words_cell([("author prompts", of.settings.prompt_language)]),
        **{name: judged.cells.get(name, "") for name in of.kind.columns},
    }
