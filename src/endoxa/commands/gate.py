"""`endoxa gate`: is a candidate model worse than a baseline?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from endoxa.commands.verbs import Outcome
from endoxa.runs.folder import RECORDS, RUN
from endoxa.runs.options import DEFAULT_CONFIDENCE, Confidence
from endoxa.schema.options import ANALYSIS, DATA, OUTPUT, Option
from endoxa.sources.files import require_apart


def gate(
    *,
    baseline: Annotated[Path, Option(group=DATA, metavar="RUN")],
    candidate: Annotated[Path, Option(group=DATA, metavar="RUN")],
    margin: Annotated[float, Option(group=ANALYSIS)],
    out: Annotated[tuple[Path, ...], Option(group=OUTPUT, short="-o")] = (),
    measure: Annotated[tuple[str, ...], Option(group=ANALYSIS, metavar="NAME", default="all of these")] = (),
    axis: Annotated[
        tuple[str, ...], Option(group=ANALYSIS, default="all items, and every axis with 6 identities or more")
    ] = (),
    rule: Annotated[
        tuple[str, ...], Option(group=ANALYSIS, default="every one of both runs, a test each")
    ] = (),
    baseline_model: Annotated[str | None, Option(group=DATA, metavar="MODEL")] = None,
    candidate_model: Annotated[str | None, Option(group=DATA, metavar="MODEL")] = None,
    confidence: Annotated[Confidence, Option(group=ANALYSIS)] = DEFAULT_CONFIDENCE,
    most_left_out: Annotated[float, Option(group=ANALYSIS, metavar="SHARE")] = 0.1,
    human: Annotated[Path | None, Option(group=DATA)] = None,
) -> Outcome:
    """Decide whether a candidate model is worse than a baseline by more than a margin.

    Exit codes: 0 not worse by more than the margin, 1 worse, 4 undecided (the output says how many more items would
    decide), 2 error. Runs are paired by item; identities and attributes are both samples. Worse is further from the
    neutral value, on either side; for accuracies and the share answered, lower. It passes if every test passes. Runs
    over different data are refused, and runs with different settings, unless conditions may differ in them: the output
    says in which they do.

    \b
    Examples:
      endoxa gate --baseline out/a --candidate out/b --margin 0.02
      endoxa gate --baseline out/a --candidate out/b --margin 0.05 --axis all --axis age -o gate.json
      endoxa gate --baseline out/c#baseline --candidate out/c#careful --margin 0.05
      endoxa gate --baseline out/a --candidate out/b --margin 0.02 -o gate.json -o gate.md -o gate.xml
      endoxa gate --baseline out/q1 --candidate out/q2 --measure bias_ambig --margin 0.05 -o gate.json
      endoxa gate --baseline out/encoder-a --candidate out/encoder-b --margin 0.3
      endoxa gate --baseline out/s1-read --candidate out/s2-read --margin 0.05

    Options:
        baseline: Finished run of the model in use.
        candidate: Finished run of the new model, same data.
        margin: Largest difference that is accepted, in the units of the measure (0.02: two points of a share).
        out: Also write the decision: .json, .md (summary for a pull request), .xml (JUnit for CI: worse fails,
            undecided is skipped) or .html (page); repeatable.
        measure: Measure; repeatable. Pairs: preference_ratio. Questions: bias_ambig, bias_disambig, accuracy_ambig,
            accuracy_disambig, answered. Association tests: effect_size. Stories: strength, answered. Ratings of harm:
            harm_recognized, harmless_recognized, answered.
        axis: Axis, category or association test, a test each; repeatable. all: all items together, and nothing else.
        rule: Scoring rule of pairs or protocol of questions; repeatable.
        baseline_model: Model of the baseline run, where it holds several.
        candidate_model: Model of the candidate run, where it holds several.
        confidence: 1 minus the largest chance of a wrong pass, and of a wrong failure.
        most_left_out: Share of items that may have no score or readable answer in one of the runs; with more a test is
            undecided.
        human: People's ratings of harm (as for analyze run), with which ratings of harm are compared.
    """  # noqa: D301
    from endoxa.study.compare.gate import gate as decide
    from endoxa.study.compare.results import Gate, require_suffix

    for path in out:
        require_suffix(path, Gate.suffixes)
    require_apart(out, [run / name for run in (baseline, candidate) for name in (RUN, RECORDS)])
    decision = decide(
        baseline,
        candidate,
        margin=margin,
        measure=measure,
        axis=axis,
        rule=rule,
        baseline_model=baseline_model,
        candidate_model=candidate_model,
        confidence=confidence,
        most_left_out=most_left_out,
        human=human,
    )
    for path in out:
        decision.save(path)
    lines = [str(decision), *([f"Written: {', '.join(map(str, out))}"] if out else [])]
    return Outcome(lines, exit_code=decision.exit_code)
