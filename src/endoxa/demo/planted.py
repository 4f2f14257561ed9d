"""Train the planted models: nine small language models whose preferences are known.

Three architectures (GPT-2, BERT and T5 in small) learn each of the three plants of `endoxa.demo.world` and
are written in Hugging Face format. They are made to show and to test endoxa, and good for nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa import __version__
from endoxa.demo.lessons import Lessons, lessons
from endoxa.demo.networks import build_network, build_tokenizer
from endoxa.demo.world import PLANTS, Plant, world
from endoxa.schema import ARCHITECTURES, Architecture

if TYPE_CHECKING:
    from transformers import PreTrainedModel

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
