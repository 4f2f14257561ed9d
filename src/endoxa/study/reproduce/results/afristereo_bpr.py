"""AfriStereo's bias preference ratios of eleven models (table 8)."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.sources.frames import read_table
from endoxa.study.reproduce.afristereo import CITATION, EVALUATED_PAIRS, HOME, PAIRS
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given, Standing
from endoxa.study.reproduce.scored import of_every_model, require_models, require_pairs, scored

NAME = "afristereo-bpr"
MODELS = {
    "GPT-2 Medium": (0.69, ("hf/openai-community/gpt2-medium", "hf/gpt2-medium")),
    "GPT-2 Large": (0.69, ("hf/openai-community/gpt2-large", "hf/gpt2-large")),
    "GPT-Neo": (0.71, ("hf/EleutherAI/gpt-neo-1.3B",)),
    "Flan-T5-Large": (0.63, ("hf/google/flan-t5-large",)),
    "BioGPT Large": (0.55, ("hf/microsoft/BioGPT-Large",)),
    "FinBERT": (0.50, ("hf/ProsusAI/finbert",)),
    "Mistral 7B": (0.75, ("hf/mistralai/Mistral-7B-v0.1",)),
    "Phi-3 Mini": (0.70, ("hf/microsoft/Phi-3-mini-4k-instruct",)),
    "Llama 3.2 3B": (0.78, ("hf/meta-llama/Llama-3.2-3B",)),
    "Qwen 2.5 7B": (0.71, ("hf/Qwen/Qwen2.5-7B",)),
    "Gemma 2 2B": (0.71, ("hf/google/gemma-2-2b",)),
}
"""Model -> printed ratio, and the hub ids that we take for it: the paper gives names and sizes, no ids."""
BY_AXIS = {
    ("Qwen 2.5 7B", "age"): 0.91,
    ("Qwen 2.5 7B", "profession"): 1.00,
    ("Gemma 2 2B", "age"): 0.86,
    ("Gemma 2 2B", "profession"): 0.87,
}
"""Ratios by axis in the text (6.1.3)."""
RULES = ("afristereo", "pll", "completion")
_EIGHT, _TEXT = "Table 8", "6.1.3"
_KNOWN = (
    "the paper speaks of 1,163 pairs, its notebook of 123; it gives names of models without ids; models of 2023 and "
    "2024 were "
    "run in 4 bits; and the notebook's score counts one token too many (docs/methods/scoring-rules.md)"
)
_ONE_PAIR = Tolerance(
    0.005 + 1 / EVALUATED_PAIRS, "printed with 2 decimals; one of 123 pairs more or less by rounding"
)


def _cells(_given: Given) -> list[Cell]:
    table = [Cell(_EIGHT, f"BPR, {model}", value, _ONE_PAIR, _KNOWN) for model, (value, _) in MODELS.items()]
    text = [
        Cell(_TEXT, f"BPR, {model}, {axis}", value, Tolerance(0.005, "printed with 2 decimals"), _KNOWN)
        for (model, axis), value in BY_AXIS.items()
    ]
    return [*table, *text]


def _compute(given: Given) -> Mapping[Key, Ours]:
    path = given.need(NAME, HOME, PAIRS)
    require_models(RESULT, given)
    require_pairs(path)
    pairs = read_table(path).height
    other = (
        ""
        if pairs == EVALUATED_PAIRS
        else f"the file has {pairs} of the {EVALUATED_PAIRS} pairs; the authors' table of them is in no repository"
    )
    found = {
        key: Ours(None, "no model was given for it (--model)") for key in (one.key for one in _cells(given))
    }

    def of_one(one: Standing) -> dict[Key, Ours]:
        made: dict[Key, Ours] = {}
        table = scored(given, one, path, RULES).filter(name="bpr")
        why = "; ".join(text for text in (one.why, other) if text)
        for row in table.unique("axis", maintain_order=True).iter_rows(named=True):
            key = (
                (_EIGHT, f"BPR, {one.label}")
                if row["axis"] == "all"
                else (_TEXT, f"BPR, {one.label}, {row['axis']}")
            )
            if row["axis"] == "all" or key in found:
                made[key] = Ours(row["value"], why, one.genuine and not other)
        return made

    return of_every_model(given, found, of_one)


RESULT = PublishedResult(
    name=NAME,
    title="AfriStereo: bias preference ratios of eleven models (table 8)",
    citation=f"{CITATION}, table 8 and 6.1.3",
    needs=(
        Need("file", PAIRS, f"{HOME}; the table of {EVALUATED_PAIRS} pairs is not in it, ask the authors"),
        Need(
            "weights",
            "any of the eleven models",
            "the Hugging Face hub: --model hf/openai-community/gpt2-medium ...",
        ),
    ),
    cells=_cells,
    compute=_compute,
    models={label: names for label, (_, names) in MODELS.items()},
    notes=(
        "Causal models are scored as the published notebook does (rule `afristereo`), masked ones with "
        "pseudo-log-likelihood, "
        "encoder-decoders by the completion of a question.",
    ),
)
