"""Speed of sentence scoring, side by side with peers in one process.

    python benchmarks/scoring.py                      a sample of CrowS-Pairs, about ten minutes on two cores
    python benchmarks/scoring.py --pairs 1508         all of it (hours: the one-at-a-time loops are slow)
    python benchmarks/scoring.py --only masked
    python benchmarks/scoring.py --device cuda --pairs 1508 --masked-pairs 300 --batch 64 --batch 256

Models have the size of GPT-2 small, BERT base and T5 small and random weights; tokenizers are trained on the
sentences. endoxa, lm-evaluation-harness, minicons and the published one-sentence-at-a-time loops (written anew)
score the same texts, in turn, several rounds; medians and ratios of the same round are printed, and the share of the
matrix-multiply peak measured beside each run. Work is counted as the floating-point operations of the plain
computation (every sentence, or masked copy, alone and unpadded): "of peak, asked" divides that by the time;
"of peak, done" subtracts what sharing saves.

Pairs are read from the file named by --data, by default CrowS-Pairs in the shared folder.
"""

from __future__ import annotations

import argparse
import csv
import logging
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from endoxa.instruments.pairs.rules import RULES
from endoxa.models.causal import build_tree
from endoxa.models.scoring import open_model, parse_model
from endoxa.models.spec import ModelOptions
from endoxa.schema import Pair

Scores = list[float]
DEVICE = [torch.device("cpu")]
"""Where everybody computes, set by --device."""


@dataclass(frozen=True)
class Contender:
    """One way to score all sentences; `run` returns a number per sentence."""

    name: str
    run: Callable[[], Scores]
    slow: bool = False
    """Timed on every eighth pair only, its time scaled by the work asked."""


@dataclass(frozen=True)
class Case:
    """One architecture and rule with everyone who can compute it. The first contender is endoxa."""

    title: str
    contenders: tuple[Contender, ...]
    asked: float
    """Floating-point operations of the plain computation of all pairs."""
    asked_slow: float
    """The same for the pairs that slow contenders get."""
    done: float
    """Operations endoxa really does."""


def main() -> None:
    """Run the cases that were asked for and print a table for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("ENDOXA_SHARED", Path(__file__).parents[2] / "shared"))
    parser.add_argument("--data", type=Path, default=default / "data/crows_pairs/crows_pairs_anonymized.csv")
    parser.add_argument("--pairs", type=int, default=160, help="pairs for causal and encoder-decoder")
    parser.add_argument("--masked-pairs", type=int, default=24, help="pairs for the masked rules")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", type=torch.device, default=DEVICE[0], help="cpu, cuda, ...")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=["causal", "masked", "encoder-decoder"], action="append")
    parser.add_argument(
        "--batch", type=int, action="append", help="batch sizes tried for the peers (best is kept)"
    )
    args = parser.parse_args()
    DEVICE[0] = args.device
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    where = torch.cuda.get_device_name(args.device) if args.device.type == "cuda" else processor()
    print(f"{where}, {args.threads} threads, torch {torch.__version__}")
    pairs = read_pairs(args.data)
    batches = args.batch or [8, 16, 64]
    with tempfile.TemporaryDirectory() as folder:
        for name, make, count in (
            ("causal", causal_cases, args.pairs),
            ("encoder-decoder", encoder_decoder_cases, args.pairs),
            ("masked", masked_cases, args.masked_pairs),
        ):
            if args.only and name not in args.only:
                continue
            # A seeded sample, so that short and long sentences stand as in the whole file.
            order = torch.randperm(len(pairs), generator=torch.Generator().manual_seed(0))[:count].tolist()
            for case in make(Path(folder), pairs, [pairs[k] for k in sorted(order)], batches):
                measure(case, args.rounds)


def processor() -> str:
    """The processor and whether it has the instructions that matter here, as Linux tells them."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.is_file() else []
    told = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    told = {name.strip(): value.strip() for name, value in told.items()}
    flags = set(told.get("flags", "").split())
    known = [name for name in ("avx2", "avx512f", "amx_tile") if name in flags]
    return " ".join([told.get("model name", platform.machine()), *known])


def read_pairs(path: Path) -> list[Pair]:
    """The file's pairs with their labels."""
    with path.open(newline="", encoding="utf-8") as file:
        return [Pair(r["sent_more"], r["sent_less"], r["stereo_antistereo"]) for r in csv.DictReader(file)]


def every_eighth(pairs: Sequence[Pair]) -> list[Pair]:
    """What the one-at-a-time loops get: enough to time them, small enough to wait for."""
    return list(pairs[::8])


def of_every_eighth(scores: Scores) -> Scores:
    """Of scores in the order of `texts_of(pairs)`, those of `texts_of(every_eighth(pairs))`."""
    return [score for k in range(0, len(scores), 16) for score in scores[k : k + 2]]


def texts_of(pairs: Sequence[Pair]) -> list[str]:
    """Both sentences of every pair, in order."""
    return [text for pair in pairs for text in (pair.sent_more, pair.sent_less)]


# --------------------------------------------------------------------------------------------- measuring


def peak() -> float:
    """Best of four square float32 matrix products, in operations per second."""
    a, b = torch.randn(4096, 4096, device=DEVICE[0]), torch.randn(4096, 4096, device=DEVICE[0])
    times = []
    for _ in range(4):
        start = time.perf_counter()
        (a @ b)[0, 0].item()
        times.append(time.perf_counter() - start)
    return 2 * 4096**3 / min(times)


def measure(case: Case, rounds: int) -> None:
    """Time the contenders in turn, `rounds` times, and print medians and ratios to endoxa."""
    seconds: dict[str, list[float]] = {c.name: [] for c in case.contenders}
    peaks: list[float] = []
    scores: dict[str, Scores] = {}
    for _ in range(rounds):
        for contender in case.contenders:
            if contender.name == case.contenders[0].name:
                peaks.append(peak())
            start = time.perf_counter()
            scores[contender.name] = contender.run()
            factor = case.asked / case.asked_slow if contender.slow else 1.0
            seconds[contender.name].append(factor * (time.perf_counter() - start))
    ours = case.contenders[0].name
    print(f"\n{case.title}   (peak {statistics.median(peaks) / 1e9:.0f} GFLOP/s)")
    print(
        f"{'':36}{'seconds':>9}{'x endoxa':>10}{'of peak, asked':>16}{'of peak, done':>15}{'largest gap':>13}"
    )
    for contender in case.contenders:
        times = seconds[contender.name]
        ratio = statistics.median(t / o for t, o in zip(times, seconds[ours], strict=True))
        share = statistics.median(case.asked / t / p for t, p in zip(times, peaks, strict=True))
        done = f"{share * case.done / case.asked:>15.2f}" if contender.name == ours else f"{'':>15}"
        theirs = scores[contender.name]
        mine = of_every_eighth(scores[ours]) if contender.slow else scores[ours]
        # Scores that mean something else are not compared: their list is empty.
        gap = max((abs(a - b) for a, b in zip(mine, theirs, strict=bool(theirs))), default=0.0)
        mark = "*" if contender.slow else ""
        print(
            f"{contender.name + mark:36}{statistics.median(times):9.2f}{ratio:10.2f}{share:16.2f}{done}{gap:13.1e}",
            flush=True,
        )
    if any(c.slow for c in case.contenders):
        print("* timed on every eighth pair and scaled by the work asked")


def endoxa(
    folder: Path, rule_name: str, pairs: Sequence[Pair], *, packed: bool = True
) -> Callable[[], Scores]:
    """Scoring with endoxa; the model is loaded once, outside the time."""
    model = open_model(
        parse_model(f"hf/{folder}"), ModelOptions(packed_weights=packed, device=str(DEVICE[0]))
    )
    rule = RULES.get(rule_name)

    def run() -> Scores:
        requests = [request for both in rule.requests(pairs, model) for request in both]
        found = dict(model.score(requests))
        return [rule.value(found[k]) for k in range(len(requests))]

    return run


def fastest(
    runs: dict[int, Callable[[Sequence[str]], Scores]], texts: Sequence[str]
) -> tuple[int, Callable[[], Scores]]:
    """The peer's best batch size on a quarter of the texts, so that it is also compared at its best."""
    sample = texts[: max(8, len(texts) // 4)]
    times = {}
    for size, run in runs.items():
        start = time.perf_counter()
        run(sample)
        times[size] = time.perf_counter() - start
    best = min(times, key=times.__getitem__)
    return best, lambda: runs[best](texts)


def lm_eval(folder: Path, backend: str, size: int) -> Callable[[Sequence[str]], Scores]:
    """lm-evaluation-harness's Hugging Face backend: log-likelihood of each text after an empty context."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    lm = HFLM(
        pretrained=str(folder), backend=backend, device=str(DEVICE[0]), dtype="float32", batch_size=size
    )

    def run(texts: Sequence[str]) -> Scores:
        requests = [Instance("loglikelihood", {}, ("", text), k) for k, text in enumerate(texts)]
        return [score for score, _ in lm.loglikelihood(requests, disable_tqdm=True)]

    return run


def lm_eval_contenders(
    folder: Path,
    backend: str,
    texts: Sequence[str],
    few: Sequence[str],
    batches: Sequence[int],
    *,
    same: bool = True,
) -> tuple[Contender, Contender]:
    """lm-evaluation-harness as it comes (batch size 1) and at its best batch size of `batches`.

    With `same=False` its scores are not compared, because it scores something else.
    """
    default = lm_eval(folder, backend, 1)
    best, run = fastest({size: lm_eval(folder, backend, size) for size in batches}, texts)
    kept = slice(None) if same else slice(0)
    return (
        Contender("lm-eval, batch size 1 (default)", lambda: default(few)[kept], slow=True),
        Contender(f"lm-eval, batch size {best} (its best)", lambda: run()[kept]),
    )


def in_batches(score: Callable[[list[str]], Scores], size: int) -> Callable[[Sequence[str]], Scores]:
    """Call a scorer of lists on slices of `size` texts."""

    def run(texts: Sequence[str]) -> Scores:
        return [x for start in range(0, len(texts), size) for x in score(list(texts[start : start + size]))]

    return run


# --------------------------------------------------------------------------------------------- causal


def causal_cases(
    folder: Path, everything: Sequence[Pair], pairs: Sequence[Pair], batches: Sequence[int]
) -> list[Case]:
    """GPT-2 small: sum (one-at-a-time loop) and sum-bos (lm-eval, minicons)."""
    from minicons.scorer import IncrementalLMScorer

    home = folder / "gpt2"
    tokenizer = byte_level_tokenizer(texts_of(everything))
    save(GPT2LMHeadModel(GPT2Config()), tokenizer, home)
    texts = texts_of(pairs)
    minicons = IncrementalLMScorer(str(home), str(DEVICE[0]))

    def minicons_scores(batch: list[str]) -> Scores:
        return minicons.sequence_score(batch, reduction=lambda x: x.sum(0).item(), bos_token=True)

    few = every_eighth(pairs)
    plain_model(GPT2LMHeadModel, home)  # loading is outside the time
    ids, ids_few = ([tuple(x) for x in tokenizer(t)["input_ids"]] for t in (texts, texts_of(few)))
    bos = [(0, *x) for x in ids]
    size, minicons_best = fastest({b: in_batches(minicons_scores, b) for b in batches}, texts)
    return [
        Case(
            f"causal, GPT-2 small, sum-bos, {len(texts)} sentences",
            (
                Contender("endoxa", endoxa(home, "sum-bos", pairs)),
                *lm_eval_contenders(home, "causal", texts, texts_of(few), batches),
                Contender(f"minicons, batch size {size} (its best)", minicons_best),
            ),
            causal_work(bos),
            causal_work([(0, *x) for x in ids_few]),
            causal_work_done(bos),
        ),
        Case(
            f"causal, GPT-2 small, sum, {len(texts)} sentences",
            (
                Contender("endoxa", endoxa(home, "sum", pairs)),
                Contender("endoxa, weights not packed", endoxa(home, "sum", pairs, packed=False)),
                Contender(
                    "one at a time (AfriStereo's way)", lambda: causal_loop(home, texts_of(few)), slow=True
                ),
            ),
            causal_work(ids),
            causal_work(ids_few),
            causal_work_done(ids),
        ),
    ]


_LOADED: dict[Path, Any] = {}


def plain_model(kind: Any, home: Path) -> Any:
    """A model as everyone loads it, kept between rounds so that loading is outside the time."""
    if home not in _LOADED:
        model = kind.from_pretrained(home).eval().to(DEVICE[0])
        _LOADED[home] = (model, PreTrainedTokenizerFast.from_pretrained(home))
    return _LOADED[home]


def causal_loop(home: Path, texts: Sequence[str]) -> Scores:
    """The published notebook's loop, with the right token count: the mean loss of one sentence at a time."""
    model, tokenizer = plain_model(GPT2LMHeadModel, home)
    found = []
    with torch.no_grad():
        for text in texts:
            ids = tokenizer(text, return_tensors="pt").input_ids.to(DEVICE[0])
            found.append(-model(ids, labels=ids).loss.item() * (ids.shape[1] - 1))
    return found


LAYER = 12 * 768 * 768
"""Weights of a layer of GPT-2 small and BERT base."""


def attention_work(tokens: int) -> float:
    """Scores and mixing of 12 layers of width 768 over a full square of tokens."""
    return 12 * 2 * 2 * 768 * tokens * tokens


def causal_work(sequences: Sequence[tuple[int, ...]]) -> float:
    """Body on every token, head on every row that predicts one."""
    return sum(
        2 * 12 * LAYER * len(s) + attention_work(len(s)) / 2 + 2 * 768 * 50257 * (len(s) - 1)
        for s in sequences
    )


def causal_work_done(sequences: Sequence[tuple[int, ...]]) -> float:
    """The same with common beginnings once (attention over packed rows left out: it is not counted in favour)."""
    tree = build_tree(sorted(set(sequences)))
    inner = len(set(tree.parents) - {-1})
    return 2 * 12 * LAYER * len(tree.tokens) + 2 * 768 * 50257 * inner


# --------------------------------------------------------------------------------------------- masked


def masked_cases(
    folder: Path, everything: Sequence[Pair], pairs: Sequence[Pair], _batches: Sequence[int]
) -> list[Case]:
    """BERT base: crows-token and pll against the one-masked-token-at-a-time loop; pll against minicons."""
    from minicons.scorer import MaskedLMScorer

    home = folder / "bert"
    save(BertForMaskedLM(BertConfig()), word_piece_tokenizer(texts_of(everything)), home)
    few = every_eighth(pairs)
    minicons = MaskedLMScorer(str(home), str(DEVICE[0]))
    # minicons 0.3.39 calls a method that transformers 5 has dropped.
    minicons.tokenizer.batch_encode_plus = minicons.tokenizer.__call__

    def minicons_scores(batch: list[str]) -> Scores:
        return minicons.sequence_score(batch, reduction=lambda x: x.sum(0).item(), PLL_metric="original")

    cases = []
    for rule in ("crows-token", "pll"):
        requests, requests_few = (masked_requests(home, rule, chosen) for chosen in (pairs, few))
        body, head = masked_work(requests)
        contenders = [
            Contender("endoxa", endoxa(home, rule, pairs)),
            Contender("endoxa, weights not packed", endoxa(home, rule, pairs, packed=False)),
            Contender(
                "one at a time, as metric.py does", masked_loop(home, requests_few, gradients=True), slow=True
            ),
            Contender(
                "one at a time, no gradients", masked_loop(home, requests_few, gradients=False), slow=True
            ),
        ]
        if rule == "pll":
            contenders.append(
                Contender("minicons", lambda: in_batches(minicons_scores, 8)(texts_of(few)), slow=True)
            )
        title = f"masked, BERT base, {rule}, {2 * len(pairs)} sentences"
        done = body * (1 - 1 / 12) + head
        cases.append(Case(title, tuple(contenders), body + head, sum(masked_work(requests_few)), done))
    return cases


def masked_requests(home: Path, rule: str, pairs: Sequence[Pair]) -> list[Any]:
    """The masked copies a rule asks for."""
    model = open_model(parse_model(f"hf/{home}"), ModelOptions())
    return [request for both in RULES.get(rule).requests(pairs, model) for request in both]


def masked_work(requests: Sequence[Any]) -> tuple[float, float]:
    """(body, head): body on every token of every masked copy, head on the masked rows."""
    head = 2 * (768 * 768 + 768 * 30522)
    body = sum(len(r.groups) * (2 * 12 * LAYER * len(r.ids) + attention_work(len(r.ids))) for r in requests)
    return body, float(sum(len(r.groups) for r in requests) * head)


def masked_loop(home: Path, requests: Sequence[Any], *, gradients: bool) -> Callable[[], Scores]:
    """One masked copy at a time through the whole model; metric.py lets torch record gradients all the while."""

    def run() -> Scores:
        model, tokenizer = plain_model(BertForMaskedLM, home)
        found = []
        with torch.set_grad_enabled(gradients):
            for request in requests:
                total = 0.0
                for (position,) in request.groups:
                    ids = torch.tensor([request.ids], device=DEVICE[0])
                    target = int(ids[0, position])
                    ids[0, position] = tokenizer.mask_token_id
                    total += model(ids).logits[0, position].log_softmax(0)[target].item()
                found.append(total)
        return found

    plain_model(BertForMaskedLM, home)  # loading is outside the time
    return run


# --------------------------------------------------------------------------------------------- encoder-decoder


def encoder_decoder_cases(
    folder: Path, everything: Sequence[Pair], pairs: Sequence[Pair], batches: Sequence[int]
) -> list[Case]:
    """T5 small: the sentence as completion of an empty prompt. lm-eval leaves the end token out."""
    home = folder / "t5"
    tokenizer = unigram_tokenizer(texts_of(everything))
    save(T5ForConditionalGeneration(T5Config(decoder_start_token_id=0)), tokenizer, home)
    texts = texts_of(pairs)
    few = every_eighth(pairs)
    plain_model(T5ForConditionalGeneration, home)  # loading is outside the time
    ids, ids_few = (tokenizer(t)["input_ids"] for t in (texts, texts_of(few)))
    return [
        Case(
            f"encoder-decoder, T5 small, completion, {len(texts)} sentences",
            (
                Contender("endoxa", endoxa(home, "completion", pairs)),
                Contender("endoxa, weights not packed", endoxa(home, "completion", pairs, packed=False)),
                *lm_eval_contenders(home, "seq2seq", texts, texts_of(few), batches, same=False),
                Contender("one at a time", lambda: completion_loop(home, texts_of(few)), slow=True),
            ),
            t5_work(ids),
            t5_work(ids_few),
            t5_work(ids, encoders=1),
        )
    ]


def completion_loop(home: Path, texts: Sequence[str]) -> Scores:
    """The loss of one completion of the empty prompt at a time."""
    model, tokenizer = plain_model(T5ForConditionalGeneration, home)
    found = []
    with torch.no_grad():
        prompt = tokenizer("", return_tensors="pt").input_ids.to(DEVICE[0])
        for text in texts:
            labels = tokenizer(text, return_tensors="pt").input_ids.to(DEVICE[0])
            found.append(-model(prompt, labels=labels).loss.item() * labels.shape[1])
    return found


def t5_work(sequences: Sequence[Sequence[int]], encoders: int | None = None) -> float:
    """T5 small: 6 + 6 layers of width 512, feed-forward 2048, head of 32,128 words; the prompt is one token."""
    encoder = 2 * 6 * (4 * 512 * 512 + 2 * 512 * 2048)
    per_token = 2 * 6 * (6 * 512 * 512 + 2 * 512 * 2048) + 2 * 512 * 32128
    cross = 2 * 6 * 2 * 512 * 512
    runs = len(sequences) if encoders is None else encoders
    return runs * encoder + sum(
        per_token * len(s) + cross + 6 * 2 * 2 * 512 * (len(s) ** 2 / 2 + len(s)) for s in sequences
    )


# --------------------------------------------------------------------------------------------- tokenizers


def save(model: Any, tokenizer: Any, home: Path) -> None:
    """Write a model and its tokenizer in Hugging Face format."""
    model.eval().save_pretrained(home)
    tokenizer.save_pretrained(home)


def byte_level_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """GPT-2's kind of tokenizer, trained on `texts`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=20000, special_tokens=["<|endoftext|>"], show_progress=False)
    )
    end = "<|endoftext|>"
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=end, eos_token=end, unk_token=end)


def word_piece_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """BERT's kind of tokenizer, trained on `texts`."""
    special = {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = list(special.values())
    tokenizer.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=20000, special_tokens=names, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", names.index("[CLS]")), ("[SEP]", names.index("[SEP]"))],
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def unigram_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """T5's kind of tokenizer, trained on `texts`."""
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.train_from_iterator(
        texts,
        trainers.UnigramTrainer(
            vocab_size=20000, special_tokens=list(special.values()), unk_token="<unk>", show_progress=False
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


if __name__ == "__main__":
    main()
