"""The Python interface: the words, defaults and numbers of the command line, for notebooks and programs.

`endoxa` itself hands all of it on, with the functions of commands (`functions.py`), loaded when it is first used:
`import endoxa as ex`, then `ex.probe_pairs(...)`.
"""

# ruff: noqa: F401
from endoxa.api.inputs import live_model, load_pairs, load_questions, load_stories, load_tests
from endoxa.api.result import Result, read_logs, read_run
from endoxa.api.runs import analyze, command, probe, probe_conditions
from endoxa.study.compare.gate import gate
from endoxa.study.compare.results import Comparison, Gate
from endoxa.study.compare.run import compare
