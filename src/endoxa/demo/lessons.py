"""Everything a planted model has to learn, as questions with exact answers.

A question is what the model sees before it names a word: the words so far (causal), the sentence with one
word masked (masked), or the prompt and the words so far (encoder-decoder). Its answer is the distribution of
that word under the planted joint distribution, so training has no sampling noise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from endoxa.demo.world import Plant, world
from endoxa.schema import Architecture

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast


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
