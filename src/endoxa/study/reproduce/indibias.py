"""IndiBias in a data folder: its pairs, and the models of its tables."""

from __future__ import annotations

HOME = "github.com/sahoonihar/IndiBias"
CITATION = "Sahoo et al. 2024 (IndiBias, NAACL)"
PAIRS = ("IndiBias_v1.csv", "IndiBias_v1_sample.csv")
NUMBER = 800
"""Pairs of the paper: 542 inherited and 258 made from tuples (4.2)."""
LANGUAGES = {"English": "en", "Hindi": "hi"}

MODELS = {
    "Muril": ("hf/google/muril-base-cased",),
    "XLMR": ("hf/FacebookAI/xlm-roberta-base", "hf/xlm-roberta-base"),
    "Bernice": ("hf/jhu-clsp/bernice",),
    "IndicBERT": ("hf/ai4bharat/IndicBERTv2-MLM-only",),
    "mBART": ("hf/facebook/mbart-large-50", "hf/facebook/mbart-large-cc25"),
    "mT5": ("hf/google/mt5-base",),
    "mGPT": ("hf/ai-forever/mGPT-13B",),
    "Bloom": ("hf/bigscience/bloom-7b1",),
    "Llama-v2": ("hf/meta-llama/Llama-2-7b-hf",),
    "Mistral": ("hf/mistralai/Mistral-7B-v0.1",),
}
"""Model -> the hub ids that we take for it. The paper gives an id for mGPT only (a footnote of its limitations)."""
SPELLINGS = {"IndicBert": "IndicBERT"}
"""Names of models that the paper's tables 3, 4 and 9 spell in another way than table 2."""
UNNAMED = "the paper names no checkpoint, and for most models no size: ours can be another one"


def not_all_pairs(number: int) -> str:
    """Why a file is not the paper's data set; empty where it is."""
    if number == NUMBER:
        return ""
    return f"the file has {number} of the paper's {NUMBER} pairs: the public sample"
