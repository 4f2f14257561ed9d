"""`endoxa analyze`: compute estimates from runs, stories, ratings, votes and data sets."""

from __future__ import annotations

from collections.abc import Callable

from endoxa.commands.analyze_associations import associations
from endoxa.commands.analyze_novelty import novelty
from endoxa.commands.analyze_people import agreement, ratings
from endoxa.commands.analyze_run import run
from endoxa.commands.verbs import Outcome, add_command, command_group

app = command_group("analyze")
FOLLOWING: dict[Callable[..., Outcome | None], str] = {
    run: "endoxa report {runs} -o report.html",
    associations: (
        "endoxa report {out} -o report.html, or have them rated: endoxa probe harm --data {out} --model ..."
    ),
    ratings: "endoxa report {out} -o report.html",
    agreement: "ask more raters where agreement is low, or go on: endoxa curate review --help",
    novelty: "endoxa report {out} -o novelty.html",
}
"""The commands with what to do next."""
for command, following in FOLLOWING.items():
    add_command(app, command, following=following, printing=True)
