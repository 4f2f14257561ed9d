"""From association tests and encoders to vectors: one vector per distinct text, model and pooling."""

from __future__ import annotations

from endoxa.instruments.association_tests.probe.run import EmbeddingsSummary, probe_embeddings
from endoxa.instruments.association_tests.probe.settings import EmbeddingsSettings

__all__ = ["EmbeddingsSettings", "EmbeddingsSummary", "probe_embeddings"]
