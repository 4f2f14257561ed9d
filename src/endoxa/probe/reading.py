"""How much of each language a model's tokenizer can read at all.

A tokenizer made for one script reads another as a row of unknown tokens, and the model then scores sentences it has not
seen. The numbers look like any others, so the share is recorded and, where it matters, said.
"""

from __future__ import annotations

import logging

from endoxa.models.facts import WORTH_SAYING
from endoxa.probe.data import Chunk
from endoxa.schema import Model

log = logging.getLogger(__name__)


def unknown_tokens(model: Model, chunk: Chunk) -> dict[str, float]:
    """Share of unknown tokens by language, in the sentences of one chunk; empty where the model does not tell."""
    texts: dict[str, list[str]] = {}
    for item in chunk.items:
        texts.setdefault(item["language"], []).extend((item["sent_more"], item["sent_less"]))
    shares = {language: model.unknown_share(found) for language, found in sorted(texts.items())}
    known = {language: share for language, share in shares.items() if share is not None}
    for language, share in known.items():
        if share > WORTH_SAYING:
            log.warning(
                "%s reads %.0f %% of the tokens of its '%s' sentences as unknown: its scores there mean little",
                model.name,
                100 * share,
                language,
            )
    return known
