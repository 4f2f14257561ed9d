"""Seconds and peak memory of a run as its file grows, each step in a process of its own.

    python benchmarks/memory.py pairs                     1,000, 10,000 and 100,000 pairs, a tiny causal model
    python benchmarks/memory.py questions                 10,000 to 650,000 questions: probe, estimates and page
    python benchmarks/memory.py report --size 1500        20 models, 3 rules, nine axes: estimates and page
    python benchmarks/memory.py pairs --size 1000000      another size, some six minutes on two cores

Peaks are of the whole process, torch included.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from frame import apart, options, print_cost

SIZES = {"pairs": (1_000, 10_000, 100_000), "questions": (10_000, 100_000, 650_000), "report": (1_500,)}
STEPS = {"pairs": ("probe",), "questions": ("probe", "estimates", "page"), "report": ("estimates", "page")}
MODELS, RULES = 20, ("sum", "mean", "sum-bos")
IDENTITIES = ("bakers", "drivers", "teachers", "farmers", "students", "grandmothers", "engineers", "sailors")
ATTRIBUTES = (("patient", "impatient"), ("careful", "careless"), ("strict", "lenient"), ("early", "late"))


def main() -> None:
    """Measure each size and step."""
    parser = options(__doc__)
    parser.add_argument("kind", nargs="?", choices=list(SIZES), default="pairs")
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--part", nargs=3, metavar=("KIND", "STEP", "FOLDER"))
    args = parser.parse_args()
    if args.part:
        step(args.part[0], args.part[1], Path(args.part[2]))
        return
    print(f"{args.kind:>10}{'step':>12}{'seconds':>10}{'per second':>12}{'peak MiB':>10}")
    for size in args.size or SIZES[args.kind]:
        with tempfile.TemporaryDirectory() as name:
            {"pairs": write_pairs, "questions": write_questions, "report": write_run}[args.kind](
                Path(name), size
            )
            for part in STEPS[args.kind]:
                seconds, peak = apart(__file__, args.kind, part, name)
                print(f"{size:10,}{part:>12}{seconds:10.1f}{size / seconds:12.0f}{peak:10.0f}", flush=True)
            if args.kind == "report":
                print(f"page: {(Path(name) / 'page.html').stat().st_size / 1e6:.2f} MB")


def step(kind: str, name: str, folder: Path) -> None:
    """Probe, estimate or write the page; print seconds and peak memory."""
    from endoxa.instruments.pairs import estimates as pairs_estimates
    from endoxa.instruments.pairs.instrument import PAIRS
    from endoxa.instruments.pairs.options import PairsSettings
    from endoxa.instruments.questions import estimates as question_estimates
    from endoxa.instruments.questions.instrument import QUESTIONS
    from endoxa.instruments.questions.probe.settings import QaSettings
    from endoxa.instruments.reports import write_report
    from endoxa.runs.run import measure

    run = folder / "run"
    if name == "page":
        print_cost(lambda: write_report([run], folder / "page.html"))
    elif name == "estimates":
        module = question_estimates if kind == "questions" else pairs_estimates
        print_cost(lambda: module.analyze_run(run, keep=True))
    elif kind == "questions":
        asked = QaSettings(data=str(folder / "questions.jsonl"), models=("sim/biased",))
        print_cost(lambda: measure(QUESTIONS, asked, run))
    else:
        scored = PairsSettings(
            data=str(folder / "pairs.csv"), models=(f"hf/{folder / 'model'}",), rules=("sum",)
        )
        print_cost(lambda: measure(PAIRS, scored, run))


def write_pairs(folder: Path, count: int) -> None:
    """A tiny model and made-up pairs."""
    from support import tiny

    tiny.causal(folder / "model")
    with (folder / "pairs.csv").open("w", encoding="utf-8") as file:
        file.write("sent_more,sent_less,identity,axis,language\n")
        for k in range(count):
            identity, (more, less) = IDENTITIES[k % 8], ATTRIBUTES[k // 8 % 4]
            file.write(f"The {k} {identity} are {more}.,The {k} {identity} are {less}.,{identity},work,en\n")


def write_questions(folder: Path, count: int) -> None:
    """Made-up questions of 25 templates in BBQ's form."""
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for k in range(count):
            row = {
                "example_id": k,
                "question_index": str(k // 4 % 25),
                "question_polarity": "neg",
                "context_condition": "ambig",
                "category": "Cities",
                "answer_info": {
                    "ans0": ["harbour", "harbour"],
                    "ans1": ["hill", "hill"],
                    "ans2": ["Unknown", "unknown"],
                },
                "additional_metadata": {"stereotyped_groups": ["harbour"], "source": "ours"},
                "context": f"Person {k} from the harbour and a person from the hill met at the market.",
                "question": "Who was late?",
                "ans0": "The person from the harbour",
                "ans1": "The person from the hill",
                "ans2": "Unknown",
                "label": 2,
            }
            file.write(json.dumps(row) + "\n")


def write_run(folder: Path, pairs: int) -> None:
    """A finished run whose scores are drawn at random: 40 identities, nine axes."""
    from support.report_samples import run_folder, scored

    draw, number = np.random.default_rng(1), range(pairs)
    texts = {
        side: [f"People from place {k % 40} are said to be {word}, case {k}." for k in number]
        for side, word in (("sent_more", "early"), ("sent_less", "late"))
    }
    items = pl.DataFrame(
        {
            "item_id": [f"p{k}" for k in number],
            "axis": [f"axis {k % 9}" for k in number],
            "identity": [f"place {k % 40}" for k in number],
            **texts,
        }
    ).with_columns(language=pl.lit("en"), direction=pl.lit("stereo"), stereotypical=pl.lit("more"))
    records = [
        scored(items, f"hf/lab/model-{k:02}", rule, 0.5).with_columns(
            score_more=pl.Series(-20 + draw.normal(0.1 * (k % 5), 1, pairs)), score_less=pl.lit(-20.0)
        )
        for k in range(MODELS)
        for rule in RULES
    ]
    run_folder(folder / "run", pl.concat(records))


if __name__ == "__main__":
    main()
