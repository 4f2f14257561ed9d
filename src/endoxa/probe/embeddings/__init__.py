"""From association tests and encoders to vectors: one vector per distinct text, model and pooling."""

from __future__ import annotations

from endoxa.probe.embeddings.run import EmbeddingsSummary, probe_embeddings
from endoxa.probe.embeddings.settings import EmbeddingsSettings

__all__ = ["EmbeddingsSettings", "EmbeddingsSummary", "probe_embeddings"]
