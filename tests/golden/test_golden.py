"""Whatever a user reads of fixed small inputs stays as it is: numbers, tables, pages, terminal.

Cases are in `cases.toml`, inputs in `inputs/`, and what was read before in `expected/`, a folder for each case.
`python -m pytest tests/golden --update-golden` rewrites it: the diff of the commit then shows readers' differences.
"""

from __future__ import annotations

import os
import shutil
import string
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from support import tiny
from support.golden import Case, Runner, compare, normalised, read_cases

HOME = Path(__file__).parent
CASES = read_cases(HOME / "cases.toml")


def letters(folder):
    """A tiny BERT that reads letters: trained vocabularies come out in another order in each process."""
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    signs = [f"{before}{sign}" for before in ("", "##") for sign in f"{string.ascii_lowercase}.,'"]
    words = {word: place for place, word in enumerate([*special.values(), *signs])}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(2)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    network = BertModel(BertConfig(vocab_size=len(words), max_position_embeddings=128, **size))
    network.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    shutil.copytree(HOME / "inputs", folder / "inputs")
    tiny.causal(folder / "models" / "first")
    tiny.causal(folder / "models" / "second", n_layer=1)
    letters(folder / "models" / "letters")
    return Runner(folder, CASES)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=[pytest.mark.slow] if case.slow else [])
        for case in CASES.values()
    ],
)
def test_case(case, runner, request):
    texts = runner.texts(case.name)
    expected = HOME / "expected" / case.name
    if request.config.getoption("--update-golden", default=False):
        shutil.rmtree(expected, ignore_errors=True)
        for name, text in texts.items():
            path = expected / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    differences = list(compare(expected, texts, case.network))
    assert not differences, "\n".join(differences)


FLAGGED = """\
item_id,language,axis,direction,stereotypical,sent_more,sent_less,identity
f1,en,gender,stereo,more,Women are late.,The women of the whole town are late on most days.,women
f2,en,gender,stereo,more,Women are late,Men are late.,women
f3,en,gender,stereo,more,Women are late and loud.,Men are early and quiet.,women
f4,en,gender,stereo,more,Women are kind.,Women are kind .,women
f5,en,religion,stereo,more,Muslims are tall.,Nigerians are tall.,Muslims
f6,en,gender,stereo,more,Women were bored.,Men were were bored.,women
f7,en,gender,stereo,more,Women are  bored.,Men are bored.,women
"""
"""Pairs that several dataset checks flag equally often."""
MODELS = "--model hf/models/first --model hf/models/second"
GATED = "--baseline-model hf/models/first --candidate-model hf/models/second --margin 0.2"
FLAGGED_RUN = (
    "endoxa datasets check inputs/flagged.csv",
    f"endoxa probe pairs --data inputs/flagged.csv {MODELS} --rule sum --out flagged/run --json",
    f"endoxa compare flagged/run {MODELS} -o flagged/compare.html",
    f"endoxa gate --baseline flagged/run --candidate flagged/run {GATED} -o flagged/gate.json -o flagged/gate.html",
    "endoxa report flagged/run -o flagged/table.tex",
)
EVERYWHERE = ("study", "harm", "flagged")
"""Cases with runs of every instrument; a study holds those of the others."""
TEXTS = {".html", ".csv", ".json", ".jsonl", ".md", ".tex", ".xml"}


def in_another_process(folder: str) -> None:
    """Run the cases, and keep the terminal."""
    cases = CASES | {"flagged": Case("flagged", FLAGGED_RUN)}
    runner = Runner(Path(folder), cases)
    for name in EVERYWHERE:
        Path(folder, f"{name}.terminal.md").write_text(runner.texts(name)["terminal.txt"], encoding="utf-8")


@pytest.mark.slow
def test_every_process_writes_the_same(runner, tmp_path):
    """Sets of texts have another order in each process: no page, table or line may rest on it."""
    support = Path(__file__).parents[1]
    paths = (HOME, support, support.parent / "packages" / "endoxa-collect" / "tests", *sys.path)
    started = []
    for seed in ("1", "2"):
        for inner in ("inputs", "models"):
            shutil.copytree(runner.folder / inner, tmp_path / seed / inner)
        (tmp_path / seed / "inputs" / "flagged.csv").write_text(FLAGGED, encoding="utf-8")
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        script = f"import test_golden; test_golden.in_another_process({str(tmp_path / seed)!r})"
        started.append(subprocess.Popen([sys.executable, "-c", script], env=environment))
    assert [process.wait() for process in started] == [0, 0]
    first, second = (
        {
            path.relative_to(tmp_path / seed).as_posix(): normalised(path.read_text("utf-8"), tmp_path / seed)
            for path in sorted((tmp_path / seed).rglob("*"))
            if path.suffix in TEXTS
        }
        for seed in ("1", "2")
    )
    assert [name for name in first if first[name] != second.get(name)] == []
    assert first.keys() == second.keys()
    assert {"flagged/run/report.html", "study/page/study.html", "flagged/gate.json"} <= first.keys()


def test_no_case_is_left_over():
    """A folder without its case would look like a promise that nobody keeps."""
    assert {path.name for path in (HOME / "expected").iterdir()} == CASES.keys()
