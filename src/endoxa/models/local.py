"""Load Hugging Face weights and adapters (PEFT), and refuse those that could give no honest number.

An adapter is checked without running anything of its own, and merged into the weights.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

import torch
import transformers
from huggingface_hub.errors import LocalEntryNotFoundError
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

from endoxa.errors import UserError, installation
from endoxa.models.causal import CausalModel, CausalReader
from endoxa.models.checkpoint import (
    Checkpoint,
    choose_device,
    choose_dtype,
    fingerprint,
    local_folder,
    longest_input,
    source_of,
    usual_batch,
)
from endoxa.models.encoder_decoder import EncoderDecoderModel, EncoderDecoderReader
from endoxa.models.masked import MaskedModel, MaskedReader
from endoxa.models.networks import pack_weights
from endoxa.models.spec import ModelFacts, ModelOptions, ModelSpec, require_libraries
from endoxa.schema import Architecture, Model
from endoxa.schema.typed import require_typed_trust

# After any fork tokenizers go on with one thread, unless they are told that no child will use them: ours are spawned.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")

Reader = CausalReader | MaskedReader | EncoderDecoderReader


class Parts(NamedTuple):
    """What scores texts with an architecture: the class that loads it, the model, and what reads texts for it."""

    auto: Any
    model: Callable[[Checkpoint], Model]
    reader: Callable[[str, Any, int | None], Reader]


PARTS: dict[Architecture, Parts] = {
    "causal": Parts(AutoModelForCausalLM, CausalModel, CausalReader),
    "masked": Parts(AutoModelForMaskedLM, MaskedModel, MaskedReader),
    "encoder-decoder": Parts(AutoModelForSeq2SeqLM, EncoderDecoderModel, EncoderDecoderReader),
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
    struct.error,
)
"""What transformers raises for files that are missing, cut, of another kind, or not to be had offline."""


def open_local(spec: ModelSpec, options: ModelOptions) -> Model:
    """Load `spec` and wrap it for its architecture.

    Raises:
        UserError: weights or head missing, not a language model, unknown folder or id.
    """
    checkpoint = load_checkpoint(spec, options)
    return PARTS[checkpoint.architecture].model(checkpoint)


def look_at_local(spec: ModelSpec, options: ModelOptions) -> ModelFacts:
    """Recognise a model from its configuration; no weights are read.

    Raises:
        UserError: it is not there, or not a language model.
    """
    folder = local_folder(spec)
    config = read_config(spec, options)
    marks = [fingerprint(folder) if folder else getattr(config, "_commit_hash", None)]
    if options.tokenizer and Path(options.tokenizer).is_dir():
        marks.append(fingerprint(Path(options.tokenizer)))
    if options.adapter:
        marks.append(fingerprint(adapter_folder(options.adapter)))
    return ModelFacts(spec.text, architecture_of(config, spec), "+".join(filter(None, marks)) or None)


def open_reader(spec: ModelSpec, options: ModelOptions) -> Reader:
    """What of a model reads texts, without its weights: which texts it takes is known before anything is scored.

    Raises:
        UserError: configuration or tokenizer cannot be had, or do not fit the rules.
    """
    config = read_config(spec, options)
    tokenizer = load_tokenizer(spec, options)
    return PARTS[architecture_of(config, spec)].reader(spec.text, tokenizer, longest_input(config))


def load_tokenizer(spec: ModelSpec, options: ModelOptions) -> Any:
    """The tokenizer of a model: its own, or the one that was named.

    Raises:
        UserError: it cannot be had, is slow, or knows no words.
    """
    source = source_of(spec, options)
    if options.tokenizer:
        source = {**source, "pretrained_model_name_or_path": options.tokenizer, "gguf_file": None}
    tokenizer = had(spec.text, "tokenizer", lambda: AutoTokenizer.from_pretrained(**source))
    refuse_unusable_tokenizer(spec, tokenizer)
    return tokenizer


def load_weights(
    auto: Any,
    spec: ModelSpec,
    options: ModelOptions,
    config: Any,
    device: torch.device,
    *,
    unused: tuple[str, ...] = (),
) -> Any:
    """Weights as a class of transformers reads them.

    Args:
        auto: the class.
        spec: the model.
        options: how it is loaded.
        config: its configuration.
        device: where it will be.
        unused: beginnings of the names of weights that may be missing.

    Raises:
        UserError: they cannot be had, or some would stay random.
    """
    how = {"dtype": choose_dtype(options.dtype, device), "quantization_config": _four_bit(options, device)}
    source = source_of(spec, options)
    network, info = had(
        spec.text,
        "weights",
        lambda: auto.from_pretrained(**source, **how, config=config, output_loading_info=True),
    )
    refuse_incomplete(spec, info, unused)
    return network


def load_checkpoint(spec: ModelSpec, options: ModelOptions) -> Checkpoint:
    """Load configuration, weights and tokenizer, checking each.

    Raises:
        UserError: see `open_local`.
    """
    folder, config = local_folder(spec), read_config(spec, options)
    auto, device = PARTS[architecture_of(config, spec)].auto, choose_device(options.device)
    network = load_weights(auto, spec, options, config, device)
    tokenizer = load_tokenizer(spec, options)
    refuse_foreign_tokenizer(spec, tokenizer, network)
    marks = [fingerprint(folder)] if folder else []
    if options.adapter:
        adapter = adapter_folder(options.adapter)
        network = had(spec.text, f"adapter {options.adapter}", lambda: merged(network, adapter))
        marks.append(fingerprint(adapter))
    if not options.four_bit:
        network = had(spec.text, "weights", lambda: network.to(device))
    facts = facts_of(spec, network.eval(), device, options, config, mark="+".join(marks) or None)
    if options.packed_weights and device.type == "cpu" and network.dtype == torch.float32:
        pack_weights(network)
    return as_checkpoint(spec, network, tokenizer, device, options, facts=facts)


def facts_of(
    spec: ModelSpec,
    network: Any,
    device: torch.device,
    options: ModelOptions,
    config: Any,
    *,
    mark: str | None,
) -> dict[str, Any]:
    """What `run.json` records of any loaded network; taken before weights are packed.

    Args:
        spec: the model as written.
        network: loaded.
        device: where it is.
        options: how it was loaded.
        config: its configuration, which knows the commit on the hub.
        mark: its fingerprint.
    """
    return {
        "name": spec.text,
        "class": type(network).__name__,
        "revision": options.revision or getattr(config, "_commit_hash", None),
        "fingerprint": mark,
        "tokenizer": options.tokenizer or "the model's own",
        "device": str(device),
        "dtype": "4-bit" if options.four_bit else str(network.dtype).removeprefix("torch."),
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "transformers": transformers.__version__,
        "torch": torch.__version__,
    }


def as_checkpoint(
    spec: ModelSpec,
    network: Any,
    tokenizer: Any,
    device: torch.device,
    options: ModelOptions,
    *,
    facts: Mapping[str, Any],
) -> Checkpoint:
    """A network on a device and its tokenizer, with what `facts_of` says of them.

    Raises:
        UserError: it is no language model.
    """
    architecture = architecture_of(network.config, spec)
    batch_tokens = options.batch_tokens or usual_batch(facts["parameters"], device)
    more: dict[str, Any] = {"architecture": architecture, "batch_tokens": batch_tokens}
    if options.adapter:
        more["adapter"] = options.adapter
    longest = longest_input(network.config)
    return Checkpoint(
        spec.text, architecture, network, tokenizer, device, longest, batch_tokens, {**facts, **more}
    )


def read_config(spec: ModelSpec, options: ModelOptions) -> Any:
    """The model's configuration.

    Raises:
        UserError: it cannot be had, or only a file asks to run code that comes with it.
    """
    # What transformers has to say about a checkpoint is said by us, as one sentence.
    transformers.utils.logging.disable_progress_bar()
    logging.getLogger("transformers").setLevel(logging.CRITICAL)
    require_typed_trust(spec.text, options.trust_remote_code)
    source = source_of(spec, options)
    return had(spec.text, "configuration", lambda: AutoConfig.from_pretrained(**source))


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


def refuse_incomplete(spec: ModelSpec, info: Mapping[str, Any], unused: tuple[str, ...] = ()) -> None:
    """Refuse a checkpoint of which some weights would stay random, but for names that begin with `unused`.

    A classifier loaded as a masked language model has a random head and still prints numbers; this has produced
    a published figure.

    Raises:
        UserError: weights are missing or of another shape.
    """
    lacking = [
        str(key)
        for kind in ("missing_keys", "mismatched_keys")
        for key in sorted(info[kind], key=str)
        if not str(key[0] if isinstance(key, tuple) else key).startswith(unused)
    ]
    if lacking:
        some = ", ".join(lacking[:3]) + (f" and {len(lacking) - 3} more" if len(lacking) > 3 else "")
        raise UserError(
            f"The checkpoint '{spec.text}' lacks weights that a language model needs ({some}): they would be "
            "random numbers, and so would every score. Use a checkpoint that was trained with its "
            "language-model head."
        )


def refuse_unusable_tokenizer(spec: ModelSpec, tokenizer: Any) -> None:
    """Refuse a tokenizer that is slow (no offsets) or empty.

    Where its files are missing, transformers makes an empty one, which reads every word as unknown.

    Raises:
        UserError: the tokenizer does not fit.
    """
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise UserError(
            f"The tokenizer of '{spec.text}' knows no words (its files are missing): name the right one with "
            "--set tokenizer=NAME."
        )
    if not tokenizer.is_fast:
        raise UserError(
            f"The tokenizer of '{spec.text}' has no fast version (tokenizer.json), which is needed to tell words "
            "from tokens: convert it with transformers, or name another with --set tokenizer=NAME."
        )


def refuse_foreign_tokenizer(spec: ModelSpec, tokenizer: Any, network: Any) -> None:
    """Refuse a tokenizer that cannot be used, or is larger than the model's embeddings.

    Raises:
        UserError: the tokenizer does not fit.
    """
    refuse_unusable_tokenizer(spec, tokenizer)
    rows = network.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > rows:
        raise UserError(
            f"The tokenizer of '{spec.text}' has {len(tokenizer)} tokens but the model knows {rows}: they do not "
            "belong together."
        )


def _four_bit(options: ModelOptions, device: torch.device) -> Any:
    if not options.four_bit:
        return None
    if device.type != "cuda":
        raise UserError("four_bit needs an NVIDIA GPU with CUDA: leave it out, or run on such a machine.")
    try:
        import bitsandbytes  # noqa: F401
    except ImportError as problem:
        raise UserError("four_bit needs bitsandbytes: pip install bitsandbytes.") from problem
    return transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)


def had(model: str, what: str, get: Callable[[], Any]) -> Any:
    """What `get` returns; the many ways in which transformers fails become one sentence.

    Raises:
        UserError: it failed.
    """
    try:
        with _hub_without_warnings():
            return get()
    except UserError:
        raise
    except LOADING_PROBLEMS as problem:
        if _out_of_reach(problem):
            raise UserError(
                f"Cannot load the {what} of '{model}': the Hugging Face hub cannot be reached, and no earlier download "
                "is here. Check the network, or name a folder that holds the model: hf/FOLDER."
            ) from problem
        reason = " ".join(str(problem).split())[:300]
        raise UserError(f"Cannot load the {what} of '{model}': {reason}") from problem


@contextmanager
def _hub_without_warnings() -> Iterator[None]:
    """Each new try is a warning of two lines otherwise, printed twice; what fails in the end is one sentence."""
    log = logging.getLogger("huggingface_hub")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _out_of_reach(problem: BaseException | None) -> bool:
    """Whether it failed since the hub did not answer, or may not be asked."""
    while problem is not None:
        if isinstance(problem, LocalEntryNotFoundError):
            return True
        problem = problem.__cause__ or problem.__context__
    return False


ADAPTER_CONFIG, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
MODULES = ("megatron_config", "megatron_core")
"""Settings by which PEFT imports a module that the adapter names."""


def adapter_folder(name: str) -> Path:
    """The folder of an adapter.

    Weights in pickle files are refused, and settings that name code.

    Raises:
        UserError: it is not there or is no adapter, or peft is missing.
    """
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise UserError(f"The adapter folder '{name}' does not exist (current folder: {Path.cwd()}).")
    for file in (ADAPTER_CONFIG, ADAPTER_WEIGHTS):
        if not (folder / file).is_file():
            raise UserError(
                f"The folder '{name}' has no {file}: it is not a PEFT adapter with safetensors weights."
            )
    try:
        settings = json.loads((folder / ADAPTER_CONFIG).read_text(encoding="utf-8"))
        named = isinstance(settings, dict) and settings.get(MODULES[0])
    except ValueError as problem:
        raise UserError(f"The {ADAPTER_CONFIG} of the adapter '{name}' is not JSON: {problem}.") from problem
    if named:
        raise UserError(
            f"The adapter '{name}' names Python code to run ({', '.join(MODULES)}). Remove these settings."
        )
    require_libraries(f"The adapter '{name}'", ("peft",), installation("local,adapters"))
    return folder


def merged(network: Any, folder: Path) -> Any:
    """The network with an adapter merged into its weights.

    Raises:
        UserError: the adapter lacks weights that it needs for this network, or cannot be merged.
        ValueError, RuntimeError: it does not fit the network.
    """
    from peft import PeftModel, get_peft_model_state_dict
    from safetensors import safe_open

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft of transformers: nothing that a user can mend
        adapted = PeftModel.from_pretrained(network, str(folder))
    with safe_open(folder / ADAPTER_WEIGHTS, "pt") as file:
        there = set(file.keys())
    lacking = sorted(set(get_peft_model_state_dict(adapted, save_embedding_layers=False)) - there)
    if lacking or not there:
        raise UserError(
            f"The adapter '{folder}' does not fit the model: it lacks {lacking[0] if lacking else 'all weights'}."
        )
    if not hasattr(adapted, "merge_and_unload"):
        raise UserError(f"The adapter '{folder}' cannot be merged into the weights of the model.")
    return adapted.merge_and_unload()
