"""Fisher's exact test of r x c tables with fixed margins, drawn as long as its decision is open."""

from endoxa.analyze.associations.fisher.exchanging import Exchanged, improbability
from endoxa.analyze.associations.fisher.sampling import Sampled, stream
from endoxa.analyze.associations.fisher.stopping import FIRST_ROUND, Decisions, decide, rejected

__all__ = [
    "FIRST_ROUND",
    "Decisions",
    "Exchanged",
    "Sampled",
    "decide",
    "improbability",
    "rejected",
    "stream",
]
