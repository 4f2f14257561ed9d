"""The Python interface: the words, defaults and numbers of the command line, for notebooks and programs.

`endoxa` itself hands all of it on, loaded when it is first used: `import endoxa as ex`, then `ex.probe_pairs(...)`.
"""

# ruff: noqa: F401
from endoxa.api.data import (
    load_pairs,
    load_questions,
    load_stories,
    load_tests,
)
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
from endoxa.api.runs import (
    analyze,
    command,
    probe,
    probe_conditions,
)
from endoxa.study.compare.results import Comparison
from endoxa.study.compare.run import compare
from endoxa.study.gate.results import Gate
from endoxa.study.gate.run import gate
