"""A loaded checkpoint, and what every user of local weights needs: folder, device, type, batch, longest input."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from endoxa.errors import UserError, first_line, installation
from endoxa.models.spec import PACKAGED, ModelOptions, ModelSpec, require_libraries
from endoxa.schema import Architecture
from endoxa.sources.files import require_file, sha256

WEIGHT_SUFFIXES = (".safetensors", ".bin")
GGUF = ".gguf"
"""Suffix of one file that holds configuration, tokenizer and weights (llama.cpp); the weights are unpacked."""
_INERT = re.compile(
    r"\.(md|rst|pdf|html|png|jpe?g|gif|svg|webp|csv|log|lock|h5|msgpack|ot|onnx|onnx_data|tflite|mlmodel|pth?)$",
    re.I,
)
_UNPACKED_BYTES = 1 << 17
"""Packed weights that are unpacked at once: with what they become they fit the cache of a processor."""
_PAPERS = frozenset(("license", "licence", "notice", "readme", "use_policy", "copying"))


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
    """The folder, or GGUF file, that `spec` names, or None for a hub id.

    Raises:
        UserError: it can only be a folder or file, and is not there or holds no weights.
    """
    folder = Path(spec.target).expanduser()
    packaged = PACKAGED.get(f"hf/{spec.target}")
    if packaged is not None and not folder.exists():
        if packaged.file is None:
            raise UserError(f"The model '{spec.text}' is not installed: {packaged.install}")
        folder = packaged.file
    if folder.suffix == GGUF:
        require_file(folder)
        require_libraries(
            f"The model '{spec.text}'",
            ("gguf",),
            installation("local,gguf"),
        )
        _read_gguf_quickly()
        return folder
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


@cache
def _read_gguf_quickly() -> None:
    """Have gguf and transformers read a file once, its words as they stand there, and its weights in larger pieces.

    They read it anew for each configuration and tokenizer and for the weights, make an object of a mapped file of each
    of its words, unpack sixteen rows at a time, and make the table of names anew for each module of the network: 13
    seconds of a processor for a model of 135 million parameters, where this takes 6.
    """
    import gguf
    from gguf import gguf_reader, quants
    from transformers import modeling_gguf_pytorch_utils

    legacy: Any = modeling_gguf_pytorch_utils
    parse_value, text = legacy._gguf_parse_value, gguf.GGUFValueType.STRING

    class Reader(gguf_reader.GGUFReader):
        """Values are plain arrays, not pieces of a mapped file."""

        def _get(self, offset: int, dtype: Any, count: int = 1, override_order: str | None = None) -> Any:
            order = np.dtype(dtype).newbyteorder(override_order or self.byte_order)
            return np.frombuffer(self.data, order, int(count), int(offset))

    @lru_cache(maxsize=1)
    def read(path: str, *_state: int) -> Any:
        return Reader(path)

    def value(parts: Any, types: Any) -> Any:
        return parts.tobytes().decode() if types[-1] == text else parse_value(parts, types)

    def by_rows(func: Any, arr: np.ndarray, otype: Any, oshape: tuple[int, ...]) -> np.ndarray:
        rows = arr.reshape((-1, arr.shape[-1]))
        unpacked = np.empty((len(rows), oshape[-1]), otype)
        step = max(1, _UNPACKED_BYTES // rows.shape[-1])
        for start in range(0, len(rows), step):
            unpacked[start : start + step] = func(rows[start : start + step])
        return unpacked.reshape(oshape)

    for module, name, replacement in (
        (gguf, "GGUFReader", lambda path: read(path, *_state_of_file(path))),
        (gguf, "get_tensor_name_map", lru_cache(maxsize=4)(gguf.get_tensor_name_map)),
        (quants, "_apply_over_grouped_rows", by_rows),
        (legacy, "_gguf_parse_value", value),
        (legacy, "tqdm", lambda tensors, **_: tensors),
    ):
        setattr(module, name, replacement)


def _state_of_file(path: str) -> tuple[int, int]:
    """What changes when a file is written again: its size and time."""
    state = Path(path).stat()
    return state.st_size, state.st_mtime_ns


def source_of(spec: ModelSpec, options: ModelOptions) -> dict[str, Any]:
    """Arguments with which `from_pretrained` of transformers finds a model: folder or hub id, revision, code.

    Raises:
        UserError: see `local_folder`.
    """
    more = {"revision": options.revision, "trust_remote_code": options.trust_remote_code}
    place = local_folder(spec)
    if place is not None and place.is_file():
        return {"pretrained_model_name_or_path": str(place.parent), "gguf_file": place.name, **more}
    return {"pretrained_model_name_or_path": spec.target if place is None else str(place), **more}


def unknown_share(tokenizer: Any, texts: Sequence[str]) -> float:
    """Share (0 to 1) of the tokens of `texts` that are the tokenizer's unknown token; 0 where it has none."""
    ids = [
        token
        for sequence in tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        for token in sequence
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
        reason = first_line(problem)
        raise UserError(
            f"The device '{word}' cannot be used here: {reason}. Try --set device=cpu."
        ) from problem
    return device


def choose_dtype(word: str, device: torch.device) -> Any:
    """Weights' type: what was asked for, else float32 on a CPU and the checkpoint's own elsewhere."""
    if word == "auto":
        return torch.float32 if device.type == "cpu" else "auto"
    return getattr(torch, word)


def usual_batch(parameters: int, device: torch.device) -> int:
    """Tokens at once: enough to keep the device busy, few enough for a CPU's cache; more for tiny models."""
    usual = {"cpu": 512, "cuda": 16384}.get(device.type, 4096)
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
    """SHA-256 over names and contents of the files that can change what a model or tokenizer in a folder does.

    Folders of weights, configuration and vocabularies only keep the value that they have always had. Of a GGUF file it
    is the SHA-256 of the file.
    """
    if folder.is_file():
        return sha256(folder)
    digest = hashlib.sha256(_usual_lines(folder).encode())
    digest.update(_other_lines(folder, (folder,)).encode())
    return digest.hexdigest()


def fingerprint_of_parts(folder: Path) -> str:
    """The same for a folder whose subfolders are parts of the model (sentence-transformers)."""
    parts = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    lines = [hashlib.sha256(_usual_lines(part).encode()).hexdigest() for part in parts]
    others = _other_lines(folder, parts)
    return hashlib.sha256("\n".join([*lines, *filter(None, (others,))]).encode()).hexdigest()


def _usual_lines(folder: Path) -> str:
    """A line for each of the usual files of a folder."""
    usual = (path for path in sorted(folder.iterdir()) if _is_usual(path))
    return "".join(f"{path.name}:{sha256(path)}\n" for path in usual)


def _other_lines(folder: Path, parts: Collection[Path]) -> str:
    """A line for each other file that counts: code, chat templates, vocabularies, and what is in subfolders.

    Where Python code comes with the model, every file counts, since code may read any.
    """
    paths = [path for path in _files(folder) if not (path.parent in parts and _is_usual(path))]
    has_code = any(path.suffix == ".py" for path in paths)
    counted = [path for path in paths if has_code or not _is_inert(path.relative_to(folder))]
    return "".join(f"{path.relative_to(folder).as_posix()}:{sha256(path)}\n" for path in counted)


def _is_usual(path: Path) -> bool:
    return path.suffix in (*WEIGHT_SUFFIXES, ".json", ".model", ".txt") and path.is_file()


def _files(folder: Path) -> list[Path]:
    """All files below a folder, behind links too, without hidden ones and compiled code; each folder once."""
    paths, seen = [], set()
    for place, names, files in os.walk(folder, followlinks=True):
        names[:] = [name for name in names if not name.startswith(".") and name != "__pycache__"]
        real = os.path.realpath(place)
        if real in seen:
            names.clear()
            continue
        seen.add(real)
        paths += [Path(place, name) for name in files if not name.startswith(".")]
    return sorted(path for path in paths if path.is_file())


def _is_inert(path: Path) -> bool:
    """Whether no loader reads a file: papers of the model, other libraries' weights, states of its training.

    Args:
        path: below the folder of the model.
    """
    training = any(part == "runs" or part.startswith("checkpoint-") for part in path.parts[:-1])
    return training or bool(_INERT.search(path.name)) or path.stem.lower() in _PAPERS
