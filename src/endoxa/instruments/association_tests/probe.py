"""Association tests and encoders in, a vector of every distinct text out.

Each text is encoded once for all tests. Vectors go into the journal as batches finish; when a model is through, they
are written to one file for each pooling. Estimates and report are made from these files.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import (
    distinct_texts,
    read_tests,
    shared_words,
    texts_of,
    write_tests,
)
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.models.encoders import check_texts, fit_poolings, look_at_encoder, open_encoders, parse_encoder
from endoxa.models.encoders.encoder import Encoded, Encoder, EncoderSpec, Vector
from endoxa.models.encoders.static import write_npz
from endoxa.models.scoring import WORTH_SAYING
from endoxa.runs.folder import NOTES, TESTS, VECTORS
from endoxa.runs.instrument import Work
from endoxa.runs.journal import COMMIT_SECONDS, JournalFile, chunked
from endoxa.schema import AssociationTest, Progress
from endoxa.schema.options import deciding
from endoxa.sources.files import require_file, sha256

log = logging.getLogger(__name__)

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
        numbers_done = []
        for pooling in poolings:
            query = "SELECT text FROM vectors WHERE model = ? AND pooling = ?"
            with self._explained():
                numbers_done.append({number for (number,) in self._db.execute(query, (model, pooling))})
        return set.intersection(*numbers_done) if numbers_done else set()

    def add(self, model: int, numbers: Iterable[int], encoded: Iterable[Encoded]) -> None:
        """Remember the vectors of the texts called `numbers`, in one transaction."""
        rows = [
            (model, pooling, number, np.ascontiguousarray(vector, dtype="<f4").tobytes())
            for number, vectors_of_text in zip(numbers, encoded, strict=True)
            for pooling, vector in vectors_of_text.vectors.items()
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


def chosen_tests(
    tests: Sequence[AssociationTest], languages: Sequence[str], path: Path
) -> list[AssociationTest]:
    """The tests in one of `languages`, or all where none is named.

    Raises:
        UserError: there is none.
    """
    kept = [test for test in tests if not languages or test.language in languages]
    if not kept:
        there = ", ".join(sorted({test.language or "none named" for test in tests}))
        raise UserError(
            f"{path} contains no test in the language {', '.join(languages)}. Available: {there}."
        )
    return kept


def unknown_shares(encoder: Encoder, tests: Sequence[AssociationTest]) -> dict[str, float]:
    """Share (0 to 1) of tokens or words the encoder does not know, by language ('' where a test names none).

    An encoder made for one script reads another as a row of unknown tokens, and gives every text nearly the same
    vector; so the share is recorded and, where it matters, said. Empty where the encoder does not tell.
    """
    by_language: dict[str, dict[str, None]] = {}
    for test in tests:
        by_language.setdefault(test.language, {}).update(dict.fromkeys(texts_of(test)))
    shares = {language: encoder.unknown_share(list(texts)) for language, texts in sorted(by_language.items())}
    recorded = {language: share for language, share in shares.items() if share is not None}
    for language, share in recorded.items():
        if share > WORTH_SAYING:
            log.warning(
                "%s: %.0f %% of the tokens of its %stexts are unknown to the tokenizer; the vectors are unreliable",
                encoder.name,
                100 * share,
                f"'{language}' " if language else "",
            )
    return recorded


@dataclass(frozen=True, slots=True)
class Encoding:
    """The run as all its steps see it."""

    settings: EmbeddingsSettings
    tests: Sequence[AssociationTest]
    texts: Sequence[str]
    journal: VectorJournal
    progress: Progress


def embeddings_work(settings: EmbeddingsSettings, out: Path) -> Work:
    """Every distinct text of the tests under every encoder and pooling.

    Raises:
        UserError: any user error in tests, encoders, poolings or settings.
    """
    path = Path(settings.data)
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
        work = Encoding(settings, tests, texts, journal, progress)
        finished = bool(before.get("finished"))
        models = list(before["models"]) if finished else []
        vectors = list(before["vectors"]) if finished else []
        for spec in specs[len(models) :]:
            progress(f"checking the texts with {spec.text}", 0, len(texts))
            check_texts(spec, settings.encoder_options(), fitted.poolings[spec.text], texts)
        for number, spec in list(enumerate(specs))[len(models) :]:
            described = _encode_model(work, number, spec, fitted.poolings[spec.text])
            models.append({**described, "fingerprint": facts[spec.text].fingerprint})
            (out / VECTORS).mkdir(exist_ok=True)
            for pooling in fitted.poolings[spec.text]:
                name = f"{VECTORS}/{number + 1}-{pooling}.npz"
                write_npz(out / name, texts, journal.vectors(number, pooling))
                vectors.append({"model": spec.text, "pooling": pooling, "file": name})
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
        contents={"data": digest},
        facts={
            "notice": settings.notice,
            "data": {
                "path": settings.data,
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
    for encoder in open_encoders(spec, options, poolings, work.texts):
        unknown = unknown_shares(encoder, work.tests)
        _encode_missing(work, number, encoder)
        facts = {**encoder.describe(), **facts, "unknown_tokens": unknown}
    return {**facts, "poolings": list(poolings)}


def _encode_missing(work: Encoding, number: int, encoder: Encoder) -> None:
    """Encode the texts that the journal does not hold; what is new is kept whatever ends the loop."""
    what = f"encoding with {encoder.name} ({', '.join(encoder.poolings)})"
    done = work.journal.done(number, encoder.poolings)
    missing = [k for k in range(len(work.texts)) if k not in done]
    count = len(done)
    fresh: list[tuple[int, Encoded]] = []

    def save() -> None:
        work.journal.add(
            number, [place for place, _ in fresh], [vectors_of_text for _, vectors_of_text in fresh]
        )
        work.progress(what, count, len(work.texts))
        fresh.clear()

    save()
    saved = time.monotonic()
    try:
        for _, chunk in chunked(missing, TEXTS_AT_ONCE):
            for vectors_of_text in encoder.encode([work.texts[k] for k in chunk]):
                fresh.append((chunk[vectors_of_text.index], vectors_of_text))
                count += 1
                if time.monotonic() - saved > COMMIT_SECONDS:
                    save()
                    saved = time.monotonic()
    finally:
        save()


def _parse(models: Sequence[str]) -> list[EncoderSpec]:
    if not models:
        raise UserError(
            "No encoder was given: name at least one with --model, for example hf/google-bert/bert-base-uncased."
        )
    if twice := [name for place, name in enumerate(models) if name in models[:place]]:
        raise UserError(f"The encoder '{twice[0]}' is given twice. Name each encoder once.")
    return [parse_encoder(text) for text in models]
