"""`endoxa analyze`: compute estimates from runs, stories, ratings, votes and data sets."""

from __future__ import annotations

from endoxa.commands.analyze_associations import associations
from endoxa.commands.analyze_novelty import novelty
from endoxa.commands.analyze_people import agreement, ratings
from endoxa.commands.analyze_run import run
from endoxa.commands.plugins import SUMMARIES
from endoxa.commands.verbs import Group

ANALYZE = Group("analyze", SUMMARIES["analyze"], printing=True)
app = ANALYZE.app

ANALYZE.add(run, following="endoxa report {runs} -o report.html")
ANALYZE.add(
    associations,
    following="endoxa report {out} -o report.html, or have them rated: endoxa probe harm --data {out} --model ...",
)
ANALYZE.add(ratings, following="endoxa report {out} -o report.html")
ANALYZE.add(
    agreement, following="ask more raters where agreement is low, or go on: endoxa curate review --help"
)
ANALYZE.add(novelty, following="endoxa report {out} -o novelty.html")
