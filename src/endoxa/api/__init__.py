"""The Python interface: the words, defaults and numbers of the command line, for notebooks and programs.

`endoxa` itself hands all of it on, loaded when it is first used: `import endoxa as ex`, then `ex.probe_pairs(...)`.
"""

from endoxa.api.data import load_pairs, load_questions, load_stories, load_tests
from endoxa.api.functions import (
    extract,
    probe_embeddings,
    probe_pairs,
    probe_questions,
    probe_stories,
    rate_harm,
)
from endoxa.api.models import live_model
from endoxa.api.result import Result, read_logs, read_run
from endoxa.api.runs import analyze, build, command, probe, probe_conditions
from endoxa.study.compare.gate import gate
from endoxa.study.compare.results import Comparison, Gate
from endoxa.study.compare.run import compare

__all__ = [
    "Comparison",
    "Gate",
    "Result",
    "analyze",
    "build",
    "command",
    "compare",
    "extract",
    "gate",
    "live_model",
    "load_pairs",
    "load_questions",
    "load_stories",
    "load_tests",
    "probe",
    "probe_conditions",
    "probe_embeddings",
    "probe_pairs",
    "probe_questions",
    "probe_stories",
    "rate_harm",
    "read_logs",
    "read_run",
]
