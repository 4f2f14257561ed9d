"""Train the planted models: nine small language models whose preferences are known.

Three architectures (small GPT-2, BERT and T5) learn each of the three plants of `endoxa.demo.world` and are written in
Hugging Face format. They serve to demonstrate and test endoxa only.

The training set is a list of questions. A question is what the model sees before a word: the words so far (causal),
the sentence with one word masked (masked), or the prompt and the words so far (encoder-decoder). Its answer is the
exact distribution of that word under the planted joint distribution, so training has no sampling noise.
"""

from __future__ import annotations

import json
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing import cpu_count, get_context
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa import __version__
from endoxa.demo.networks import build_network, build_tokenizer
from endoxa.demo.world import PLANTS, Plant, world
from endoxa.schema import ARCHITECTURES, Architecture, Progress

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
        inputs: keyword arguments of the network, (row, token) each.
        row: row whose logits answer the question, per question. A network that sees only the words before a position
            answers the questions of a whole text at once, so those that several sentences ask share rows.
        position: position of the logits in that row, per question.
        answer: probabilities, (question, vocabulary).
        shared: whether several sentences ask the question; the others have one certain answer each.
    """

    inputs: Mapping[str, torch.Tensor]
    row: torch.Tensor
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
    counts: Counter[Question] = Counter()
    for sentence, language, prompt, probability in zip(
        there.sentences, there.languages, there.prompts, there.probability, strict=True
    ):
        if language in languages:
            for question, word in _questions(architecture, tokenizer, prompt, sentence):
                answers[question][word] += float(probability)
                counts[question] += 1
    answer = torch.zeros(len(answers), len(tokenizer))
    for row, reply in enumerate(answers.values()):
        answer[row, list(reply)] = torch.tensor(list(reply.values()))
    shared = [counts[question] > 1 for question in answers]
    hosts = _hosts([question for question, several in zip(answers, shared, strict=True) if several])
    places: dict[Question, int] = {}
    rows = [places.setdefault(hosts.get(question, question), len(places)) for question in answers]
    return Lessons(
        _inputs(list(places), tokenizer.pad_token_id),
        torch.tensor(rows),
        torch.tensor([question.position for question in answers]),
        answer / answer.sum(1, keepdim=True),
        torch.tensor(shared),
    )


def _hosts(questions: Sequence[Question]) -> dict[Question, Question]:
    """For each question the longest one that begins with the same words; masked sentences begin no other."""
    hosts: dict[Question, Question] = {}
    after: Question | None = None
    for question in sorted(questions, key=lambda item: (item.prompt, item.seen), reverse=True):
        begins = (
            after is not None
            and after.prompt == question.prompt
            and len(after.seen) > len(question.seen)
            and after.seen[: len(question.seen)] == question.seen
        )
        hosts[question] = hosts[after] if begins and after is not None else question
        after = question
    return hosts


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
        texts, prompt_ids = [ids, (tokenizer.bos_token_id, *ids)], ()
    else:
        texts, prompt_ids = [(tokenizer.pad_token_id, *ids)], tuple(tokenizer.encode(prompt))
    for text in texts:
        for i in range(1, len(text)):
            yield Question(text[:i], prompt_ids, i - 1), text[i]


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
REPORTED = 10
"""Steps between two reports; a divisor of `STEPS`."""
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
    progress: Progress = lambda *_: None,
    architectures: Sequence[Architecture] = ARCHITECTURES,
    plants: Sequence[Plant] = PLANTS,
    languages: Sequence[str] = LANGUAGES,
) -> list[PlantedModel]:
    """Train the planted models and write each, with its tokenizer, to `folder/architecture-plant`.

    The same seed gives the same model (up to rounding, which may differ between machines). A model whose
    folder is complete for the same settings is kept as it is. Several models are trained at once, one on each core.

    Args:
        folder: where the model folders are made.
        seed: of the initial weights and the order of questions; torch's own random state is left alone.
        progress: told how many models are done.
        architectures: which of the three.
        plants: which of the three.
        languages: the part of the world to learn; sentences of other languages then score at random.

    Returns:
        The models, by architecture, then plant.
    """
    digests = {plant: _digest(plant) for plant in plants}
    made, missing = [], []
    for architecture in architectures:
        for plant in plants:
            name = f"{architecture}-{plant}"
            receipt = _Receipt(architecture, plant, seed, tuple(languages), digests[plant], __version__)
            model = PlantedModel(name, architecture, plant, folder / name)
            made.append(model)
            if not _complete(model.path, receipt):
                missing.append((model, receipt))
    report = _reporter(len(made), len(made) - len(missing), progress)
    report(0.0)
    _train_all(missing, report)
    return made


def _reporter(models: int, done: int, progress: Progress) -> Callable[[float], None]:
    """Adds the models (or the part of one) that were trained since the last call to those that are done."""
    so_far = float(done)

    def report(more: float) -> None:
        nonlocal so_far
        so_far += more
        progress("training models", round(so_far, 2), models)

    return report


def _train_all(missing: Sequence[tuple[PlantedModel, _Receipt]], report: Callable[[float], None]) -> None:
    """One model on each core; a single one, or on a single core, in this process."""
    processes = min(cpu_count() or 1, len(missing))
    if processes < 2:
        for model, receipt in missing:
            _train(model, receipt, report)
        return
    # Ctrl-C reaches every process of a terminal: those that train end without a traceback each.
    with ProcessPoolExecutor(
        processes,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_DFL),
    ) as pool:
        for trained in as_completed([pool.submit(_train, *arguments) for arguments in missing]):
            trained.result()
            report(1.0)


def _digest(plant: Plant) -> str:
    there = world(plant)
    text = "\n".join(map(str, zip(there.prompts, there.sentences, there.probability.round(12), strict=True)))
    return sha256(text.encode()).hexdigest()


def _complete(path: Path, receipt: _Receipt) -> bool:
    try:
        written = json.loads((path / RECEIPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(written == json.loads(json.dumps(asdict(receipt))))


def _train(model: PlantedModel, receipt: _Receipt, report: Callable[[float], None] = lambda _: None) -> None:
    """Train one model and write its folder, the receipt last; `report` is told each further share of it."""
    import torch
    import transformers

    tokenizer = build_tokenizer(model.architecture)
    with torch.random.fork_rng(devices=[]), _single_thread():
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
def _single_thread() -> Iterator[None]:
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
        seen, place = lesson.row[rows].unique(return_inverse=True)
        logits = network(**{name: tensor[seen] for name, tensor in lesson.inputs.items()}).logits
        named = logits[place, lesson.position[rows]].log_softmax(-1)
        divergence = torch.nn.functional.kl_div(named, lesson.answer[rows], reduction="none").sum(-1)
        loss = SHARED_WEIGHT * divergence[: len(shared)].mean() + divergence[len(shared) :].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if (step + 1) % REPORTED == 0:
            report(REPORTED / STEPS)
