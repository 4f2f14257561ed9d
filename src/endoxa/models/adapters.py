"""Adapters of local weights (PEFT): checked without running anything of theirs, and merged into the weights."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from endoxa.errors import UserError, installation
from endoxa.models.spec import require_libraries

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
LIBRARIES = ("peft",)
INSTALL = installation("local,adapters")
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
    for file in (CONFIG, WEIGHTS):
        if not (folder / file).is_file():
            raise UserError(
                f"The folder '{name}' has no {file}: it is not a PEFT adapter with safetensors weights."
            )
    try:
        settings = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        named = isinstance(settings, dict) and settings.get(MODULES[0])
    except ValueError as problem:
        raise UserError(f"The {CONFIG} of the adapter '{name}' is not JSON: {problem}.") from problem
    if named:
        raise UserError(
            f"The adapter '{name}' names Python code to run ({', '.join(MODULES)}). Remove these settings."
        )
    require_libraries(f"The adapter '{name}'", LIBRARIES, INSTALL)
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
    with safe_open(folder / WEIGHTS, "pt") as file:
        there = set(file.keys())
    lacking = sorted(set(get_peft_model_state_dict(adapted, save_embedding_layers=False)) - there)
    if lacking or not there:
        raise UserError(
            f"The adapter '{folder}' does not fit the model: it lacks {lacking[0] if lacking else 'all weights'}."
        )
    if not hasattr(adapted, "merge_and_unload"):
        raise UserError(f"The adapter '{folder}' cannot be merged into the weights of the model.")
    return adapted.merge_and_unload()
