"""Train the planted models: nine small language models whose preferences are known.

Three architectures (small GPT-2, BERT and T5) learn each of the three plants of `endoxa.demo.world` and are written in
Hugging Face format. They serve to demonstrate and test endoxa only.

The training set is a list of questions. A question is what the model sees before a word: the words so far (causal),
the sentence with one word masked (masked), or the prompt and the words so far (encoder-decoder). Its answer is the
exact distribution of that word under the planted joint distribution, so training has no sampling noise.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa import __version__
from endoxa.demo.networks import build_network, build_tokenizer
from endoxa.demo.world import PLANTS, Plant, world
from endoxa.schema import ARCHITECTURES, Architecture

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


@dataclass(frozen=True, slots=True)
class Question:
    """Token ids the model sees, those of the prompt, and the position whose logits name the word."""

    seen: tuple[int, ...]
    prompt: tuple[int, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Lessons:
    """Questions and answers as tensors.

    Attributes:
        inputs: keyword arguments of the network, (question, token) each.
        position: position of the logits, per question.
        answer: probabilities, (question, vocabulary).
        shared: whether several sentences ask the question; the others have one certain answer each.
    """

    inputs: Mapping[str, torch.Tensor]
    position: torch.Tensor
    answer: torch.Tensor
    shared: torch.Tensor


def lessons(
    architecture: Architecture, plant: Plant, tokenizer: PreTrainedTokenizerFast, languages: Collection[str]
) -> Lessons:
    """All questions that the sentences of these languages ask, in a fixed order."""
    import torch

    there = world(plant)
    answers: defaultdict[Question, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
    asked: Counter[Question] = Counter()
    for sentence, language, prompt, probability in zip(
        there.sentences, there.languages, there.prompts, there.probability, strict=True
    ):
        if language in languages:
            for question, word in _questions(architecture, tokenizer, prompt, sentence):
                answers[question][word] += float(probability)
                asked[question] += 1
    answer = torch.zeros(len(answers), len(tokenizer))
    for row, given in enumerate(answers.values()):
        answer[row, list(given)] = torch.tensor(list(given.values()))
    return Lessons(
        _inputs(list(answers), tokenizer.pad_token_id),
        torch.tensor([question.position for question in answers]),
        answer / answer.sum(1, keepdim=True),
        torch.tensor([asked[question] > 1 for question in answers]),
    )


def _questions(
    architecture: Architecture, tokenizer: PreTrainedTokenizerFast, prompt: str, sentence: str
) -> Iterator[tuple[Question, int]]:
    """Each question a sentence asks, with the word that is the sentence's answer."""
    ids = tuple(tokenizer.encode(sentence))
    if architecture == "masked":
        for i in range(1, len(ids) - 1):
            yield Question((*ids[:i], tokenizer.mask_token_id, *ids[i + 1 :]), (), i), ids[i]
        return
    if architecture == "causal":
        # With and without a start token, so that rules with either convention find the planted model.
        ids = (*ids, tokenizer.eos_token_id)
        texts, asked = [ids, (tokenizer.bos_token_id, *ids)], ()
    else:
        texts, asked = [(tokenizer.pad_token_id, *ids)], tuple(tokenizer.encode(prompt))
    for text in texts:
        for i in range(1, len(text)):
            yield Question(text[:i], asked, i - 1), text[i]


def _inputs(questions: Sequence[Question], pad: int) -> dict[str, torch.Tensor]:
    seen, mask = _padded([question.seen for question in questions], pad)
    if not any(question.prompt for question in questions):
        return {"input_ids": seen, "attention_mask": mask}
    prompt, prompt_mask = _padded([question.prompt for question in questions], pad)
    return {"input_ids": prompt, "attention_mask": prompt_mask, "decoder_input_ids": seen}


def _padded(rows: Sequence[Sequence[int]], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows filled up on the right to one length, and 1 where there is no filling."""
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])
    return ids, (torch.arange(width) < torch.tensor([len(row) for row in rows])[:, None]).long()


LANGUAGES = ("en", "fr", "es", "hi", "sw")

STEPS = 300
LEARNING_RATE = 0.01
# The planted effects are small beside the first gradients: a short memory of their size (Adam's second
# beta) finds them sooner. The one-cycle schedule moves the first one between 0.95 and 0.85.
BETAS = (0.95, 0.9)
CERTAIN_PER_STEP = 64
SHARED_WEIGHT = 8.0

RECEIPT = "planted.json"
"""Written last into a model's folder: what it was made from."""


@dataclass(frozen=True, slots=True)
class PlantedModel:
    """A trained model on disk; `name` is "architecture-plant" and the last part of `path`."""

    name: str
    architecture: Architecture
    plant: Plant
    path: Path


@dataclass(frozen=True, slots=True)
class _Receipt:
    """What decides the weights; a folder with the same receipt is complete."""

    architecture: Architecture
    plant: Plant
    seed: int
    languages: tuple[str, ...]
    world: str
    endoxa: str


def train_planted(
    folder: Path,
    *,
    seed: int = 0,
    progress: Callable[[str, float], None] | None = None,
    architectures: Sequence[Architecture] = ARCHITECTURES,
    plants: Sequence[Plant] = PLANTS,
    languages: Sequence[str] = LANGUAGES,
) -> list[PlantedModel]:
    """Train the planted models and write each, with its tokenizer, to `folder/architecture-plant`.

    The same seed gives the same model (up to rounding, which may differ between machines). A model whose
    folder is complete for the same settings is kept as it is.

    Args:
        folder: where the model folders are made.
        seed: of the initial weights and the order of questions; torch's own random state is left alone.
        progress: called with the model's name and the share of its training that is done, 0 to 1.
        architectures: which of the three.
        plants: which of the three.
        languages: the part of the world to learn; sentences of other languages then score at random.

    Returns:
        The models, by architecture, then plant.
    """
    made = []
    for architecture in architectures:
        for plant in plants:
            name = f"{architecture}-{plant}"
            receipt = _Receipt(architecture, plant, seed, tuple(languages), _digest(plant), __version__)
            model = PlantedModel(name, architecture, plant, folder / name)
            report = _reporter(name, progress)
            if not _complete(model.path, receipt):
                _train(model, receipt, report)
            report(1.0)
            made.append(model)
    return made


def _reporter(name: str, progress: Callable[[str, float], None] | None) -> Callable[[float], None]:
    return (lambda share: progress(name, share)) if progress else (lambda _: None)


def _digest(plant: Plant) -> str:
    there = world(plant)
    told = "\n".join(map(str, zip(there.prompts, there.sentences, there.probability.round(12), strict=True)))
    return sha256(told.encode()).hexdigest()


def _complete(path: Path, receipt: _Receipt) -> bool:
    try:
        found = json.loads((path / RECEIPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(found == json.loads(json.dumps(asdict(receipt))))


def _train(model: PlantedModel, receipt: _Receipt, report: Callable[[float], None]) -> None:
    """Train one model and write its folder, the receipt last."""
    import torch
    import transformers

    tokenizer = build_tokenizer(model.architecture)
    with torch.random.fork_rng(devices=[]), _one_thread():
        torch.manual_seed(receipt.seed)
        network = build_network(model.architecture, tokenizer)
        _fit(network, lessons(model.architecture, model.plant, tokenizer, receipt.languages), report)
    model.path.mkdir(parents=True, exist_ok=True)
    (model.path / RECEIPT).unlink(missing_ok=True)
    transformers.utils.logging.disable_progress_bar()
    network.save_pretrained(model.path)
    tokenizer.save_pretrained(model.path)
    (model.path / RECEIPT).write_text(json.dumps(asdict(receipt), indent=1), encoding="utf-8")


@contextmanager
def _one_thread() -> Iterator[None]:
    """Matrices this small are not worth sharing: more threads would only wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _fit(network: PreTrainedModel, lesson: Lessons, report: Callable[[float], None]) -> None:
    """Minimise the mean Kullback-Leibler divergence from the exact answers.

    Questions that several sentences ask are in every step, those with one certain answer take turns. A
    question weighs the same however rare it is, which moves no optimum: a perfect model has divergence 0 on
    each.
    """
    import torch

    shared = lesson.shared.nonzero()[:, 0]
    certain = (~lesson.shared).nonzero()[:, 0]
    certain = certain[torch.randperm(len(certain))]
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, betas=BETAS)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=STEPS, pct_start=0.1)
    for step in range(STEPS):
        turn = certain[(torch.arange(CERTAIN_PER_STEP) + step * CERTAIN_PER_STEP) % len(certain)]
        rows = torch.cat([shared, turn])
        logits = network(**{name: tensor[rows] for name, tensor in lesson.inputs.items()}).logits
        named = logits[torch.arange(len(rows)), lesson.position[rows]].log_softmax(-1)
        divergence = torch.nn.functional.kl_div(named, lesson.answer[rows], reduction="none").sum(-1)
        loss = SHARED_WEIGHT * divergence[: len(shared)].mean() + divergence[len(shared) :].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 10 == 0:
            report(step / STEPS)
