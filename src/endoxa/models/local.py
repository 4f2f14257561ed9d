"""Load Hugging Face weights, and refuse those that could give no honest number."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from endoxa.datasets.files import sha256
from endoxa.errors import UserError
from endoxa.models.networks import pack_weights
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.schema import Architecture, Model

AUTO_CLASS = {
    "causal": AutoModelForCausalLM,
    "masked": AutoModelForMaskedLM,
    "encoder-decoder": AutoModelForSeq2SeqLM,
}
LOADING_PROBLEMS = (
    MemoryError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    RuntimeError,
    ImportError,
    EOFError,
    SafetensorError,
    UnpicklingError,
)
"""What transformers raises for files that are missing, cut, of another kind, or not to be had offline."""
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


def open_local(spec: ModelSpec, options: ModelOptions) -> Model:
    """Load `spec` and wrap it for its architecture.

    Raises:
        UserError: weights or head missing, not a language model, unknown folder or id.
    """
    checkpoint = load_checkpoint(spec, options)
    if checkpoint.architecture == "causal":
        from endoxa.models.causal import CausalModel

        return CausalModel(checkpoint)
    if checkpoint.architecture == "masked":
        from endoxa.models.masked import MaskedModel

        return MaskedModel(checkpoint)
    from endoxa.models.encoder_decoder import EncoderDecoderModel

    return EncoderDecoderModel(checkpoint)


def load_checkpoint(spec: ModelSpec, options: ModelOptions) -> Checkpoint:
    """Load configuration, weights and tokenizer, checking each.

    Raises:
        UserError: see `open_local`.
    """
    folder = local_folder(spec)
    source = str(folder) if folder else spec.target
    common = {"revision": options.revision, "trust_remote_code": options.trust_remote_code}
    config = read_config(spec, options)
    architecture = architecture_of(config, spec)
    device = choose_device(options.device)
    dtype = choose_dtype(options.dtype, device)
    network, info = _had(
        spec,
        "weights",
        lambda: AUTO_CLASS[architecture].from_pretrained(
            source,
            config=config,
            output_loading_info=True,
            dtype=dtype,
            quantization_config=_four_bit(options, device),
            **common,
        ),
    )
    refuse_incomplete(spec, info)
    tokenizer_source = options.tokenizer or source
    tokenizer = _had(spec, "tokenizer", lambda: AutoTokenizer.from_pretrained(tokenizer_source, **common))
    refuse_foreign_tokenizer(spec, tokenizer, network)
    if not options.four_bit:
        network = _had(spec, "weights", lambda: network.to(device))
    network.eval()
    parameters = sum(p.numel() for p in network.parameters())
    if options.packed_weights and device.type == "cpu" and network.dtype == torch.float32:
        pack_weights(network)
    facts = {
        "name": spec.text,
        "architecture": architecture,
        "class": type(network).__name__,
        "revision": options.revision or getattr(config, "_commit_hash", None),
        "fingerprint": fingerprint(folder) if folder else None,
        "tokenizer": options.tokenizer or "the model's own",
        "device": str(device),
        "dtype": "4-bit" if options.four_bit else str(network.dtype).removeprefix("torch."),
        "parameters": parameters,
        "transformers": transformers.__version__,
        "torch": torch.__version__,
    }
    return Checkpoint(
        spec.text,
        architecture,
        network,
        tokenizer,
        device,
        longest_input(config),
        options.batch_tokens or usual_batch(parameters, device),
        facts,
    )


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


def read_config(spec: ModelSpec, options: ModelOptions) -> Any:
    """The model's configuration.

    Raises:
        UserError: it cannot be had.
    """
    # What transformers has to say about a checkpoint is said by us, as one sentence.
    transformers.utils.logging.disable_progress_bar()
    logging.getLogger("transformers").setLevel(logging.CRITICAL)
    folder = local_folder(spec)
    return _had(
        spec,
        "configuration",
        lambda: AutoConfig.from_pretrained(
            str(folder) if folder else spec.target,
            revision=options.revision,
            trust_remote_code=options.trust_remote_code,
        ),
    )


def architecture_of(config: Any, spec: ModelSpec) -> Architecture:
    """Recognise causal, masked or encoder-decoder from the configuration.

    Raises:
        UserError: it is not a language model of these kinds.
    """
    if getattr(config, "is_encoder_decoder", False):
        return "encoder-decoder"
    classes = tuple(getattr(config, "architectures", None) or ())
    if any(name.endswith(("ForMaskedLM", "ForPreTraining")) for name in classes):
        return "masked"
    if any(name.endswith(("ForCausalLM", "LMHeadModel")) for name in classes):
        return "causal"
    decoder = getattr(config, "is_decoder", False)
    if config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES and not decoder:
        return "masked"
    if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "causal"
    raise UserError(
        f"The model '{spec.text}' is a '{config.model_type}' ({', '.join(classes) or 'no class named'}), which is "
        "not a causal, masked or encoder-decoder language model: it gives no probability of a sentence."
    )


def refuse_incomplete(spec: ModelSpec, info: Mapping[str, Any]) -> None:
    """Refuse a checkpoint of which some weights would stay random.

    A classifier loaded as a masked language model has a random head and still prints numbers; this has produced
    a published figure.

    Raises:
        UserError: weights are missing or of another shape.
    """
    lacking = sorted(info["missing_keys"]) + sorted(str(key) for key in info["mismatched_keys"])
    if lacking:
        some = ", ".join(lacking[:3]) + (f" and {len(lacking) - 3} more" if len(lacking) > 3 else "")
        raise UserError(
            f"The checkpoint '{spec.text}' lacks weights that a language model needs ({some}): they would be "
            "random numbers, and so would every score. Use a checkpoint that was trained with its "
            "language-model head."
        )


def refuse_foreign_tokenizer(spec: ModelSpec, tokenizer: Any, network: Any) -> None:
    """Refuse a tokenizer that is slow (no offsets), empty, or larger than the model's embeddings.

    Where its files are missing, transformers makes an empty one, which reads every word as unknown.

    Raises:
        UserError: the tokenizer does not fit.
    """
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise UserError(
            f"The tokenizer of '{spec.text}' knows no words (its files are missing): name the right one with "
            "--tokenizer."
        )
    if not tokenizer.is_fast:
        raise UserError(
            f"The tokenizer of '{spec.text}' has no fast version (tokenizer.json), which is needed to tell words "
            "from tokens: convert it with transformers, or name another with --tokenizer."
        )
    rows = network.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > rows:
        raise UserError(
            f"The tokenizer of '{spec.text}' has {len(tokenizer)} tokens but the model knows {rows}: they do not "
            "belong together."
        )


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


def _four_bit(options: ModelOptions, device: torch.device) -> Any:
    if not options.four_bit:
        return None
    if device.type != "cuda":
        raise UserError("--four-bit needs an NVIDIA GPU with CUDA: leave it out, or run on such a machine.")
    try:
        import bitsandbytes  # noqa: F401
    except ImportError as problem:
        raise UserError("--four-bit needs bitsandbytes: pip install bitsandbytes.") from problem
    return transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)


def _had(spec: ModelSpec, what: str, get: Any) -> Any:
    """What `get` returns; the many ways in which transformers fails become one sentence."""
    try:
        return get()
    except UserError:
        raise
    except LOADING_PROBLEMS as problem:
        reason = " ".join(str(problem).split())[:300]
        raise UserError(f"Cannot load the {what} of '{spec.text}': {reason}") from problem
