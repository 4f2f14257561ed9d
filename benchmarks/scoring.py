"""Speed of sentence scoring, side by side with peers in one process.

    python benchmarks/scoring.py                      a sample of CrowS-Pairs, about ten minutes on two cores
    python benchmarks/scoring.py --pairs 1508         all of it (hours: the one-at-a-time loops are slow)
    python benchmarks/scoring.py --only masked
    python benchmarks/scoring.py --device cuda --pairs 1508 --masked-pairs 300 --batch 64 --batch 256

Models have the size of GPT-2 small, BERT base and T5 small and random weights. endoxa, lm-evaluation-harness, minicons
and the published one-sentence-at-a-time loops (written anew) score the same texts, in turn. "Of peak" divides the
floating-point operations of the plain computation (every sentence, or masked copy, alone and unpadded) by the time and
by the matrix-multiply peak measured beside it; "done" subtracts what sharing saves.
"""

from __future__ import annotations

import csv
import logging
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
)

from endoxa.instruments.pairs.rules import RULES
from endoxa.models.causal import build_tree
from endoxa.models.scoring import open_model, parse_model
from endoxa.models.spec import ModelOptions
from endoxa.schema import Pair
from frame import CROWS_PAIRS, in_turn, options, processor, ratio, save, seconds_of, tokenizer

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
    parser = options(__doc__, pairs=160, masked_pairs=24, rounds=3, threads=os.cpu_count() or 1)
    parser.add_argument("--data", type=Path, default=CROWS_PAIRS)
    parser.add_argument("--device", type=torch.device, default=DEVICE[0], help="cpu, cuda, ...")
    parser.add_argument("--only", choices=["causal", "masked", "encoder-decoder"], action="append")
    parser.add_argument(
        "--batch", type=int, action="append", help="batch sizes tried for the peers (best is kept)"
    )
    args = parser.parse_args()
    DEVICE[0] = args.device
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    quiet()
    where = torch.cuda.get_device_name(args.device) if args.device.type == "cuda" else processor()
    print(f"{where}, {args.threads} threads, torch {torch.__version__}")
    pairs = read_pairs(args.data)
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
            sample = [pairs[k] for k in sorted(order)]
            for case in make(Path(folder), pairs, sample, args.batch or [8, 16, 64]):
                measure(case, args.rounds)


def quiet() -> None:
    """No progress bars and no warnings."""
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)


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

    def product() -> float:
        return float((a @ b)[0, 0].item())

    return 2 * 4096**3 / min(seconds_of(product)[0] for _ in range(4))


def measure(case: Case, rounds: int) -> None:
    """Time the contenders in turn, and print medians, ratios to endoxa and shares of the peak."""
    best = statistics.median(peak() for _ in range(rounds))
    times, scores = in_turn({contender.name: contender.run for contender in case.contenders}, rounds)
    ours = case.contenders[0].name
    print(f"\n{case.title}   (peak {best / 1e9:.0f} GFLOP/s)")
    print(f"{'':36}{'seconds':>9}{'x endoxa':>10}{'of peak, asked':>16}{'done':>7}{'largest gap':>13}")
    for contender in case.contenders:
        name, factor = contender.name, case.asked / case.asked_slow if contender.slow else 1.0
        times[name] = [factor * seconds for seconds in times[name]]
        share = case.asked / statistics.median(times[name]) / best
        done = f"{share * case.done / case.asked:7.2f}" if name == ours else f"{'':7}"
        mine = of_every_eighth(scores[ours]) if contender.slow else scores[ours]
        # Scores that mean something else are not compared: their list is empty.
        gap = max((abs(a - b) for a, b in zip(mine, scores[name], strict=bool(scores[name]))), default=0.0)
        marked = name + "*" * contender.slow
        seconds = statistics.median(times[name])
        print(
            f"{marked:36}{seconds:9.2f}{ratio(times, name):10.2f}{share:16.2f}{done}{gap:13.1e}", flush=True
        )
    if any(contender.slow for contender in case.contenders):
        print("* timed on every eighth pair and scaled by the work asked")


def endoxa(
    folder: Path, rule_name: str, pairs: Sequence[Pair], *, packed: bool = True
) -> Callable[[], Scores]:
    """Scoring with endoxa; the model is loaded once, outside the time."""
    selected = ModelOptions(packed_weights=packed, device=str(DEVICE[0]))
    return scorer(open_model(parse_model(f"hf/{folder}"), selected), rule_name, pairs)


def scorer(model: Any, rule_name: str, pairs: Sequence[Pair]) -> Callable[[], Scores]:
    """Scores of both sentences of all pairs by a rule."""
    rule = RULES.get(rule_name)

    def run() -> Scores:
        requests = [request for pair in rule.requests(pairs, model) for request in pair]
        values = dict(model.score(requests))
        return [rule.value(values[k]) for k in range(len(requests))]

    return run


def fastest(
    runs: dict[int, Callable[[Sequence[str]], Scores]], texts: Sequence[str]
) -> tuple[int, Callable[[], Scores]]:
    """The peer's best batch size on a quarter of the texts, so that it is also compared at its best."""
    sample = texts[: max(8, len(texts) // 4)]
    best = min(runs, key=lambda size: seconds_of(lambda: runs[size](sample))[0])
    return best, lambda: runs[best](texts)


def lm_eval(network: Any, size: int, **settings: Any) -> Callable[[Sequence[str]], Scores]:
    """lm-evaluation-harness's Hugging Face backend: log-likelihood of each text after an empty context."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    lm = HFLM(pretrained=network, batch_size=size, **settings)

    def run(texts: Sequence[str]) -> Scores:
        requests = [Instance("loglikelihood", {}, ("", text), k) for k, text in enumerate(texts)]
        return [score for score, _ in lm.loglikelihood(requests, disable_tqdm=True)]

    return run


def is_installed(peer: str) -> bool:
    """Whether a peer is there; says so where it is not."""
    if find_spec(peer) is None:
        print(f"{peer} is not installed, so it is left out")
    return find_spec(peer) is not None


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
    settings = {"backend": backend, "device": str(DEVICE[0]), "dtype": "float32"}
    runs = {size: lm_eval(str(folder), size, **settings) for size in (1, *batches)}
    default = runs.pop(1)
    best, run = fastest(runs, texts)
    kept = slice(None) if same else slice(0)
    return (
        Contender("lm-eval, batch size 1 (default)", lambda: default(few)[kept], slow=True),
        Contender(f"lm-eval, batch size {best} (its best)", lambda: run()[kept]),
    )


def minicons(
    network: Any, size: int, *, masked: bool = False, words: Any = None
) -> Callable[[Sequence[str]], Scores]:
    """minicons: sums of log-probabilities, after the beginning-of-sequence token or by masking each token."""
    from minicons.scorer import IncrementalLMScorer, MaskedLMScorer

    kind = MaskedLMScorer if masked else IncrementalLMScorer
    scoring = kind(network, str(DEVICE[0]), **({} if words is None else {"tokenizer": words}))
    # minicons 0.3.39 calls a method that transformers 5 has dropped.
    scoring.tokenizer.batch_encode_plus = scoring.tokenizer.__call__
    settings = {"PLL_metric": "original"} if masked else {"bos_token": True}
    return in_batches(
        lambda batch: scoring.sequence_score(batch, reduction=lambda x: x.sum(0).item(), **settings), size
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
    words = tokenizer("byte-level", texts_of(everything))
    home = save(GPT2LMHeadModel(GPT2Config()), words, folder / "gpt2")
    texts, few = texts_of(pairs), texts_of(every_eighth(pairs))
    ids, ids_few = ([tuple(x) for x in words(several)["input_ids"]] for several in (texts, few))
    bos = [(0, *x) for x in ids]
    peers = [*lm_eval_contenders(home, "causal", texts, few, batches)]
    if is_installed("minicons"):
        size, best = fastest({b: minicons(str(home), b) for b in batches}, texts)
        peers.append(Contender(f"minicons, batch size {size} (its best)", best))
    return [
        Case(
            f"causal, GPT-2 small, sum-bos, {len(texts)} sentences",
            (Contender("endoxa", endoxa(home, "sum-bos", pairs)), *peers),
            causal_work(bos),
            causal_work([(0, *x) for x in ids_few]),
            causal_work_done(bos),
        ),
        Case(
            f"causal, GPT-2 small, sum, {len(texts)} sentences",
            (
                Contender("endoxa", endoxa(home, "sum", pairs)),
                Contender(
                    "one at a time (AfriStereo's way)", loss_loop(GPT2LMHeadModel, home, few), slow=True
                ),
            ),
            causal_work(ids),
            causal_work(ids_few),
            causal_work_done(ids),
        ),
    ]


def loss_loop(kind: Any, home: Path, texts: Sequence[str]) -> Callable[[], Scores]:
    """The published notebook's loop, with the right token count: the mean loss of one sentence at a time."""
    model, words = kind.from_pretrained(home).eval().to(DEVICE[0]), AutoTokenizer.from_pretrained(home)
    completes = model.config.is_encoder_decoder

    @torch.no_grad()
    def run() -> Scores:
        scores = []
        for text in texts:
            ids = words(text, return_tensors="pt").input_ids.to(DEVICE[0])
            prompt = words("", return_tensors="pt").input_ids.to(DEVICE[0]) if completes else ids
            scores.append(-model(prompt, labels=ids).loss.item() * (ids.shape[1] - 1 + completes))
        return scores

    return run


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
    words = tokenizer("word-piece", texts_of(everything))
    home = save(BertForMaskedLM(BertConfig()), words, folder / "bert")
    few = every_eighth(pairs)
    cases = []
    for rule in ("crows-token", "pll"):
        requests, requests_few = (masked_requests(home, rule, chosen) for chosen in (pairs, few))
        body, head = masked_work(requests)
        contenders = [
            Contender("endoxa", endoxa(home, rule, pairs)),
            Contender("one at a time, as metric.py does", masked_loop(home, requests_few), slow=True),
        ]
        if rule == "pll" and is_installed("minicons"):
            scoring = minicons(str(home), 8, masked=True)
            contenders.append(
                Contender("minicons", lambda scoring=scoring: scoring(texts_of(few)), slow=True)
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


def masked_loop(home: Path, requests: Sequence[Any]) -> Callable[[], Scores]:
    """One masked copy at a time through the whole model; metric.py lets torch record gradients all the while."""
    model, words = (
        BertForMaskedLM.from_pretrained(home).eval().to(DEVICE[0]),
        AutoTokenizer.from_pretrained(home),
    )

    def score(ids: list[int], position: int) -> float:
        masked = torch.tensor([ids], device=DEVICE[0])
        masked[0, position] = words.mask_token_id
        return float(model(masked).logits[0, position].log_softmax(0)[ids[position]].item())

    return lambda: [sum(score(list(r.ids), position) for (position,) in r.groups) for r in requests]


# --------------------------------------------------------------------------------------------- encoder-decoder


def encoder_decoder_cases(
    folder: Path, everything: Sequence[Pair], pairs: Sequence[Pair], batches: Sequence[int]
) -> list[Case]:
    """T5 small: the sentence as completion of an empty prompt. lm-eval leaves the end token out."""
    words = tokenizer("unigram", texts_of(everything))
    network = T5ForConditionalGeneration(T5Config(decoder_start_token_id=0))
    home = save(network, words, folder / "t5")
    texts, few = texts_of(pairs), texts_of(every_eighth(pairs))
    ids, ids_few = (words(several)["input_ids"] for several in (texts, few))
    contenders = (
        Contender("endoxa", endoxa(home, "completion", pairs)),
        *lm_eval_contenders(home, "seq2seq", texts, few, batches, same=False),
        Contender("one at a time", loss_loop(T5ForConditionalGeneration, home, few), slow=True),
    )
    title = f"encoder-decoder, T5 small, completion, {len(texts)} sentences"
    return [Case(title, contenders, t5_work(ids), t5_work(ids_few), t5_work(ids, encoders=1))]


def t5_work(sequences: Sequence[Sequence[int]], encoders: int | None = None) -> float:
    """T5 small: 6 + 6 layers of width 512, feed-forward 2048, head of 32,128 words; the prompt is one token."""
    encoder = 2 * 6 * (4 * 512 * 512 + 2 * 512 * 2048)
    per_token = 2 * 6 * (6 * 512 * 512 + 2 * 512 * 2048) + 2 * 512 * 32128
    cross = 2 * 6 * 2 * 512 * 512
    runs = len(sequences) if encoders is None else encoders
    return runs * encoder + sum(
        per_token * len(s) + cross + 6 * 2 * 2 * 512 * (len(s) ** 2 / 2 + len(s)) for s in sequences
    )


if __name__ == "__main__":
    main()
