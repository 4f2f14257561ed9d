"""Association tests and encoders in, a vector of every distinct text out.

Each text is encoded once for all tests. Vectors go into the journal as batches finish; when a model is through, they
are written to one file for each pooling. Estimates and report are made from these files.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import read_tests, shared_words, write_tests
from endoxa.instruments.association_tests.probe.settings import EmbeddingsSettings
from endoxa.instruments.association_tests.probe.texts import (
    chosen_tests,
    distinct_texts,
    texts_of,
    unknown_shares,
)
from endoxa.models.encoders import Encoded, Encoder, EncoderSpec, Vector, check_texts, parse_encoder
from endoxa.models.encoders.facts import fit_poolings, look_at_encoder
from endoxa.models.encoders.static import write_npz
from endoxa.runs.executors import begun_ahead, encoders
from endoxa.runs.folder import NOTES, TESTS, VECTORS
from endoxa.runs.instrument import Work
from endoxa.runs.items import chunked
from endoxa.runs.journal import COMMIT_SECONDS, JournalFile
from endoxa.schema import AssociationTest, Progress
from endoxa.schema.options import deciding
from endoxa.sources.files import require_file, sha256

TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
    model INTEGER, pooling TEXT, text INTEGER, vector BLOB, PRIMARY KEY (model, pooling, text)
) WITHOUT ROWID
"""


TEXTS_AT_ONCE = 1024
"""Texts that an encoder is given at once."""


class VectorJournal(JournalFile):
    """Vectors of one run, on disk; texts and models go by their numbers in the run."""

    def __init__(self, path: Path) -> None:
        """Open or create the file; see `JournalFile`."""
        super().__init__(path, TABLE)

    def done(self, model: int, poolings: Iterable[str]) -> set[int]:
        """Numbers of the texts that have a vector under every one of `poolings`."""
        found = []
        for pooling in poolings:
            query = "SELECT text FROM vectors WHERE model = ? AND pooling = ?"
            with self._explained():
                found.append({number for (number,) in self._db.execute(query, (model, pooling))})
        return set.intersection(*found) if found else set()

    def add(self, model: int, numbers: Iterable[int], encoded: Iterable[Encoded]) -> None:
        """Remember the vectors of the texts called `numbers`, in one transaction."""
        rows = [
            (model, pooling, number, np.ascontiguousarray(vector, dtype="<f4").tobytes())
            for number, one in zip(numbers, encoded, strict=True)
            for pooling, vector in one.vectors.items()
        ]
        with self._explained(), self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    def vectors(self, model: int, pooling: str) -> Vector:
        """All vectors of a model under a pooling (texts x width), by the number of the text.

        Raises:
            UserError: they are of different widths (a server changed its model between two starts).
        """
        query = "SELECT vector FROM vectors WHERE model = ? AND pooling = ? ORDER BY text"
        with self._explained():
            rows = [np.frombuffer(row, dtype="<f4") for (row,) in self._db.execute(query, (model, pooling))]
        if len({row.size for row in rows}) != 1:
            raise UserError(
                f"The journal {self._path} contains vectors of different lengths, possibly of two models. Start "
                "over with --restart."
            )
        return np.stack(rows)


@dataclass(frozen=True, slots=True)
class Encoding:
    """The run as all its steps see it."""

    settings: EmbeddingsSettings
    out: Path
    tests: Sequence[AssociationTest]
    texts: Sequence[str]
    journal: VectorJournal
    progress: Progress


def embeddings_work(settings: EmbeddingsSettings, out: Path) -> Work:
    """Every distinct text of the tests under every encoder and pooling.

    Raises:
        UserError: any user error in tests, encoders, poolings or settings.
    """
    path = Path(settings.tests)
    require_file(path)
    specs = _parse(settings.models)
    tests = chosen_tests(read_tests(path), settings.languages, path)
    facts = {spec.text: look_at_encoder(spec, settings.encoder_options()) for spec in specs}
    fitted = fit_poolings(specs, facts, settings.poolings)
    digest = sha256(path)
    loading = deciding(settings.options, of_models=True)
    texts = distinct_texts(tests)

    def measure(
        journal: VectorJournal, _items: int, before: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        write_tests(tests, out / TESTS)
        work = Encoding(settings, out, tests, texts, journal, progress)
        finished = bool(before.get("finished"))
        models = list(before["models"]) if finished else []
        vectors = list(before["vectors"]) if finished else []
        for spec in specs[len(models) :]:
            progress(f"checking the texts with {spec.text}", 0, len(texts))
            check_texts(spec, settings.encoder_options(), fitted.poolings[spec.text], texts)
        for number, spec in list(enumerate(specs))[len(models) :]:
            described = _encode_model(work, number, spec, fitted.poolings[spec.text])
            models.append({**described, "fingerprint": facts[spec.text].fingerprint})
            vectors.extend(_write_vectors(work, number, spec, fitted.poolings[spec.text]))
        return {"models": models, "vectors": vectors}

    return Work(
        settings=settings,
        models=[
            {
                "name": spec.text,
                "fingerprint": facts[spec.text].fingerprint,
                "poolings": list(fitted.poolings[spec.text]),
                **loading,
            }
            for spec in specs
        ],
        contents={"tests": digest},
        facts={
            "notice": settings.notice,
            "data": {
                "path": settings.tests,
                "sha256": digest,
                "format": "association tests",
                NOTES: shared_words(tests),
            },
            "models": [],
            "poolings": {spec.text: list(fitted.poolings[spec.text]) for spec in specs},
            "layer": settings.layer,
            "vectors": [],
            "left_out": list(fitted.left_out),
        },
        journal=VectorJournal,
        scan=lambda _: len(tests),
        measure=measure,
        write=lambda _journal, _out: {
            "tests": len(tests),
            "texts": len(texts),
            "sentences": sum(1 for test in tests for _ in texts_of(test)),
            "vectors": sum(map(len, fitted.poolings.values())),
        },
        keeps_journal=False,
    )


def _encode_model(work: Encoding, number: int, spec: EncoderSpec, poolings: Sequence[str]) -> dict[str, Any]:
    """Bring every text's vectors of one model into the journal; returns the model's facts for `run.json`."""
    work.progress(f"loading {spec.text}", 0, len(work.texts))
    facts: dict[str, Any] = {}
    options = work.settings.encoder_options()
    with encoders(spec, options, poolings, work.texts, work.settings.engine) as (several, ahead):
        for encoder in several:
            unknown = unknown_shares(encoder, work.tests)
            _encode_missing(work, number, encoder, ahead)
            facts = {**encoder.describe(), **facts, "unknown_tokens": unknown}
    return {**facts, "poolings": list(poolings)}


def _encode_missing(work: Encoding, number: int, encoder: Encoder, ahead: int) -> None:
    """Encode the texts that the journal does not hold; what is new is kept whatever ends the loop."""
    what = f"encoding with {encoder.name} ({', '.join(encoder.poolings)})"
    done = work.journal.done(number, encoder.poolings)
    missing = [k for k in range(len(work.texts)) if k not in done]
    count = len(done)
    fresh: list[tuple[int, Encoded]] = []
    begun = (
        (chunk, encoder.encode([work.texts[k] for k in chunk]))
        for _, chunk in chunked(missing, TEXTS_AT_ONCE)
    )

    def save() -> None:
        work.journal.add(number, [place for place, _ in fresh], [one for _, one in fresh])
        work.progress(what, count, len(work.texts))
        fresh.clear()

    save()
    saved = time.monotonic()
    try:
        for chunk, encoded in begun_ahead(begun, ahead):
            for one in encoded:
                fresh.append((chunk[one.index], one))
                count += 1
                if time.monotonic() - saved > COMMIT_SECONDS:
                    save()
                    saved = time.monotonic()
    finally:
        save()


def _write_vectors(
    work: Encoding, number: int, spec: EncoderSpec, poolings: Sequence[str]
) -> list[dict[str, str]]:
    """A file of vectors for each pooling of one model; returns their entries for `run.json`."""
    (work.out / VECTORS).mkdir(exist_ok=True)
    entries = []
    for pooling in poolings:
        name = f"{VECTORS}/{number + 1}-{pooling}.npz"
        write_npz(work.out / name, work.texts, work.journal.vectors(number, pooling))
        entries.append({"model": spec.text, "pooling": pooling, "file": name})
    return entries


def _parse(models: Sequence[str]) -> list[EncoderSpec]:
    if not models:
        raise UserError(
            "No encoder was given: name at least one with --model, for example hf/google-bert/bert-base-uncased."
        )
    for k, name in enumerate(models):
        if name in models[:k]:
            raise UserError(f"The encoder '{name}' is given twice. Name each encoder once.")
    return [parse_encoder(text) for text in models]
