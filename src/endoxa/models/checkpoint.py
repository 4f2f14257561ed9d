"""A loaded checkpoint, and what every user of local weights needs: folder, device, type, batch, longest input."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from endoxa.datasets.files import sha256
from endoxa.errors import UserError
from endoxa.models.spec import ModelSpec
from endoxa.schema import Architecture

WEIGHT_SUFFIXES = (".safetensors", ".bin")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A loaded model with its tokenizer, in evaluation mode."""

    name: str
    architecture: Architecture
    network: Any
    tokenizer: Any
    device: torch.device
    max_tokens: int | None
    """Longest input including special tokens, or None where positions are relative."""
    batch_tokens: int
    facts: Mapping[str, Any]


def local_folder(spec: ModelSpec) -> Path | None:
    """The folder that `spec` names, or None for a hub id.

    Raises:
        UserError: it can only be a folder, and is not there or holds no weights.
    """
    folder = Path(spec.target).expanduser()
    if not folder.is_dir():
        looks_local = spec.target.startswith((".", "/", "~")) or spec.target.count("/") > 1
        if looks_local:
            raise UserError(
                f"The model folder '{spec.target}' does not exist (current folder: {Path.cwd()})."
            )
        return None
    if not (folder / "config.json").is_file():
        raise UserError(
            f"The model folder '{spec.target}' has no config.json: it is not a Hugging Face model."
        )
    if not any(path.suffix in WEIGHT_SUFFIXES for path in folder.iterdir()):
        raise UserError(f"The model folder '{spec.target}' has no weights (no *.safetensors or *.bin file).")
    return folder


def unknown_share(tokenizer: Any, texts: Sequence[str]) -> float:
    """Share (0 to 1) of the tokens of `texts` that are the tokenizer's unknown token; 0 where it has none."""
    ids = [
        token for found in tokenizer(list(texts), add_special_tokens=False)["input_ids"] for token in found
    ]
    return ids.count(tokenizer.unk_token_id) / len(ids) if ids else 0.0


def choose_device(word: str) -> torch.device:
    """The torch device for a word of the command line.

    Raises:
        UserError: unknown word, or the device is not there.
    """
    if word == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(word)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        reason = str(problem).splitlines()[0]
        raise UserError(f"The device '{word}' cannot be used here: {reason}. Try --device cpu.") from problem
    return device


def choose_dtype(word: str, device: torch.device) -> Any:
    """Weights' type: what was asked for, else float32 on a CPU and the checkpoint's own elsewhere."""
    if word == "auto":
        return torch.float32 if device.type == "cpu" else "auto"
    return getattr(torch, word)


def usual_batch(parameters: int, device: torch.device) -> int:
    """Tokens at once: enough to keep the device busy, few enough for a CPU's cache; more for tiny models."""
    usual = 512 if device.type == "cpu" else 4096
    return usual * min(8, max(1, 100_000_000 // max(1, parameters)))


def longest_input(config: Any) -> int | None:
    """Positions the model has, special tokens included; None where positions are relative (T5, ALiBi)."""
    positions = getattr(config, "max_position_embeddings", None)
    if not positions or positions < 0:
        return None
    # RoBERTa's family numbers positions from the padding id + 1.
    first = (
        config.pad_token_id + 1 if "roberta" in config.model_type or config.model_type == "camembert" else 0
    )
    return int(positions) - first


def fingerprint(folder: Path) -> str:
    """SHA-256 over names and contents of the files a model or tokenizer is made of."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (*WEIGHT_SUFFIXES, ".json", ".model", ".txt"):
            digest.update(f"{path.name}:{sha256(path)}\n".encode())
    return digest.hexdigest()
