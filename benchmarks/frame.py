"""What benchmarks share: options, ways that take turns, processes of their own, and models with random weights."""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "packages" / "endoxa-collect" / "tests")]

SHARED = Path(os.environ.get("ENDOXA_SHARED", ROOT.parent / "shared"))
CROWS_PAIRS = SHARED / "data/crows_pairs/crows_pairs_anonymized.csv"


def options(text: str | None, **defaults: int | float) -> argparse.ArgumentParser:
    """A parser that shows a module's text; each default is an option of its name."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        help_text = f"default {default}"
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=type(default), default=default, help=help_text
        )
    return parser


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that something takes, and what it returns."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def in_turn(
    ways: Mapping[str, Callable[[], Any]], rounds: int, time_of: Callable[[Any], float] | None = None
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """Seconds of each way in each round, so that noise of the machine meets all; and the last result of each.

    Args:
        ways: what to do, by name; the first is what others are compared with.
        rounds: how often.
        time_of: the seconds that a result itself tells; the clock by default.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    results: dict[str, Any] = {}
    for number in range(rounds):
        for name, work in ways.items():
            spent, results[name] = seconds_of(work)
            times[name].append(time_of(results[name]) if time_of else spent)
            print(f"round {number + 1}, {name}: {times[name][-1]:.2f} s", file=sys.stderr, flush=True)
    return times, results


def ratio(times: Mapping[str, Sequence[float]], name: str) -> float:
    """Median of the rounds' ratios to the first way."""
    first = next(iter(times.values()))
    return statistics.median(other / own for other, own in zip(times[name], first, strict=True))


def show(times: Mapping[str, Sequence[float]], notes: Mapping[str, str] | None = None) -> None:
    """Print minimum, median and maximum of each way, the ratio to the first, and a note."""
    print(f"{'':44}{'seconds: min, median, max':>28}{'x first':>10}")
    for name, values in times.items():
        spread = f"{min(values):.2f} / {statistics.median(values):.2f} / {max(values):.2f}"
        note = (notes or {}).get(name, "")
        print(f"{name:44}{spread:>28}{ratio(times, name):10.2f}  {note}".rstrip(), flush=True)


def apart(script: str, *words: object) -> Any:
    """What a script prints last, as JSON, where it is run in a process of its own with `--part WORDS`."""
    command = [sys.executable, script, "--part", *map(str, words)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


def print_cost(work: Callable[[], Any]) -> None:
    """Do something; print its seconds and the peak memory of this process in MiB, for `apart`."""
    spent, _ = seconds_of(work)
    print(json.dumps([spent, peak_memory()]))


def peak_memory() -> float:
    """Peak memory of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def postgresql() -> Iterator[str]:
    """The address of a PostgreSQL server of our own."""
    from collect_support.databases import postgres, postgres_programs

    programs = postgres_programs()
    if programs is None:
        sys.exit("PostgreSQL is not installed (apt-get install postgresql)")
    with postgres(programs) as address:
        yield address


def processor() -> str:
    """The processor and whether it has the instructions that matter here, as Linux names them."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    flags = [name for name in ("avx2", "avx512f", "amx_tile") if name in facts.get("flags", "").split()]
    return " ".join([facts.get("model name", "unknown processor"), *flags])


def save(network: Any, tokenizer: Any, folder: Path) -> Path:
    """Write a network and its tokenizer in Hugging Face format."""
    network.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tokenizer(kind: str, texts: Sequence[str], size: int = 20_000) -> Any:
    """A tokenizer trained on texts: `byte-level` (GPT-2), `word-piece` (BERT), `unigram` (T5) or `words`."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special: dict[str, str] = {}
    if kind == "byte-level":
        special = dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>")
        made, trainer = Tokenizer(models.BPE()), trainers.BpeTrainer
        made.pre_tokenizer, made.decoder = (
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            decoders.ByteLevel(),
        )
    elif kind == "word-piece":
        special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
        made, trainer = Tokenizer(models.WordPiece(unk_token="[UNK]")), trainers.WordPieceTrainer
        made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    elif kind == "unigram":
        special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
        made, trainer = Tokenizer(models.Unigram()), trainers.UnigramTrainer
        made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    else:
        special = {"bos_token": "<s>", "unk_token": "<s>"}
        made, trainer = Tokenizer(models.WordLevel(unk_token="<s>")), trainers.WordLevelTrainer
        made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = list(dict.fromkeys(special.values()))
    settings = {"unk_token": "<unk>"} if kind == "unigram" else {}
    made.train_from_iterator(
        texts, trainer(vocab_size=size, special_tokens=names, show_progress=False, **settings)
    )
    if kind == "word-piece":
        ends = [("[CLS]", names.index("[CLS]")), ("[SEP]", names.index("[SEP]"))]
        made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    if kind == "unigram":
        made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=made, **special)
