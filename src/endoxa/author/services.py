"""Engines of translation that are no chat models: LibreTranslate, DeepL, local translation models, tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl

from endoxa.author.kind import cell, row_name
from endoxa.author.kinds.translate import translation_checks
from endoxa.author.run import YIELD_TYPES, Drafted, Prepared, draft_types
from endoxa.author.settings import TranslateSettings
from endoxa.curate.translation import Translator, open_translator, translate_all
from endoxa.curate.translation.web import open_deepl, open_libretranslate
from endoxa.schema import Progress
from endoxa.schema.drafts import DRAFT, FAILED, YIELD_COLUMNS
from endoxa.schema.provenance import BUILT_BY

LIBRE, DEEPL, SEQ2SEQ, TABLE = "libretranslate:", "deepl", "seq2seq:", "table:"


def is_service(engine: str) -> bool:
    """Whether these words name an engine that is no chat model."""
    return engine.startswith((LIBRE, SEQ2SEQ, TABLE)) or engine == DEEPL or engine.startswith(f"{DEEPL}:")


def open_service(engine: str) -> Translator:
    """The engine that these words name.

    Raises:
        UserError: it cannot be had.
    """
    if engine.startswith(LIBRE):
        return open_libretranslate(engine.removeprefix(LIBRE))
    if engine.startswith(SEQ2SEQ):
        return open_translator(f"hf/{engine.removeprefix(SEQ2SEQ)}")
    if engine.startswith(TABLE):
        return open_translator(engine.removeprefix(TABLE))
    return open_deepl(engine.removeprefix(DEEPL).removeprefix(":"))


def translated(of: Prepared, folder: Path, progress: Progress, before: Drafted | None) -> Drafted:
    """The translations of all services, after those of chat models.

    What was translated is remembered in the run folder, so a run that was killed goes on.

    Raises:
        UserError: an engine fails as a whole.
    """
    settings = of.settings
    assert isinstance(settings, TranslateSettings)
    rows = list(of.data.iter_rows(named=True))
    languages = [cell(row, "language") for row in rows]
    folder.mkdir(parents=True, exist_ok=True)
    drafts = [] if before is None else [before.drafts]
    yields = [] if before is None else [before.yields]
    for engine in settings.services:
        counts: Counter[str] = Counter(asked=len(rows))
        texts = [str(row[name]) for row in rows for name in ("sent_more", "sent_less")]
        languages_twice = [language for language in languages for _ in range(2)]
        memory = folder / "translations.jsonl"
        translations = translate_all(
            texts, languages_twice, open_service(engine), target=settings.to, memory=memory, progress=progress
        )
        made = []
        for place, row in enumerate(rows):
            more, less = translations[2 * place], translations[2 * place + 1]
            if more.failed or less.failed:
                counts[FAILED] += 1
                continue
            checks = translation_checks(
                more.text, less.text, str(row["sent_more"]), str(row["sent_less"]), settings.to
            )
            name = row_name(row, place + 1)
            carried = {
                "draft_id": f"translate-{engine}-{name}",
                "status": DRAFT,
                "task": "translate",
                "source_ids": name,
                "source": f"draft by {engine}",
                "position": 1,
                "batch": 1,
                "checks": " ".join(checks),
                BUILT_BY: "endoxa author translate",
                "sent_more": more.text,
                "sent_less": less.text,
            }
            made.append({column: carried.get(column) for column in draft_types(of.kind)})
        counts["answers"] = counts["rows"] = counts["drafts"] = len(made)
        drafts.append(pl.DataFrame(made, schema=draft_types(of.kind)))
        counted = {name: counts[name] for name in YIELD_COLUMNS} | {
            "model": engine,
            "spread": None,
            "cost_usd": None,
        }
        yields.append(pl.DataFrame([counted], schema=YIELD_TYPES))
    left_out = pl.DataFrame() if before is None else before.left_out
    return Drafted(pl.concat(drafts), left_out, pl.concat(yields))
