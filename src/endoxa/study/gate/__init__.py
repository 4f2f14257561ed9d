"""Release gates: is a candidate model worse than a baseline by more than a margin?"""

from endoxa.study.gate.results import Gate, GateTest
from endoxa.study.gate.run import gate

__all__ = ["Gate", "GateTest", "gate"]
