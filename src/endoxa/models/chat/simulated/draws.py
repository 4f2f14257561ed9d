"""What respondents are made of: chance that depends on nothing but its key, planted numbers, settings files, words."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from statistics import NormalDist
from typing import Any, Protocol, TypeVar

from endoxa.errors import UserError

T = TypeVar("T")
BITS = 53
"""Bits of a float's fraction."""
ROUNDING = 1e-12
"""Sums of chances may miss 0 or 1 by this much."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent draws of one answer, each with a name of its own: no state, no order, the same on every machine.

    Attributes:
        key: what the answer is drawn for (respondent, seed, item, protocol, turn).
    """

    key: tuple[str, ...]

    def uniform(self, what: str) -> float:
        """The draw called `what`: uniform in [0, 1)."""
        # Lengths in front: no two keys spell the same text.
        text = "".join(f"{len(part)}:{part}" for part in (*self.key, what))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return float((int.from_bytes(digest, "big") >> (64 - BITS)) / 2**BITS)

    def choose(self, choices: Sequence[T], what: str) -> T:
        """One of `choices`, each as likely."""
        return choices[int(self.uniform(what) * len(choices))]

    def pick(self, chances: Mapping[T, float], what: str) -> T:
        """A key of `chances`, which sum to 1."""
        uniform, reached = self.uniform(what), 0.0
        for key, chance in chances.items():
            reached += chance
            if uniform < reached:
                return key
        return max(chances, key=chances.__getitem__)


def normal(*names: str) -> float:
    """A standard normal number that depends on the names only."""
    return NormalDist().inv_cdf(Draws(names).uniform("normal") + 2.0 ** -(BITS + 1))


def parameters(respondent: Any) -> tuple[str, ...]:
    """Names of the numbers of a kind of respondent, which `sim/NAME?PARAMETER=VALUE` may change."""
    return tuple(field.name for field in fields(respondent) if field.type in ("float", float))


def planted(respondent: Any) -> dict[str, Any]:
    """The numbers of a respondent, as it describes itself."""
    return {"planted": {name: getattr(respondent, name) for name in parameters(respondent)}}


def without_answer(respondent: Any, topic: str, language: str, draws: Draws) -> str:
    """A refusal or noise, as often as the respondent has them; empty where it answers."""
    outcome = draws.uniform("outcome")
    if outcome < respondent.refusal:
        return str(draws.choose(wording(topic, language)["refusals"], "wording"))
    if outcome < respondent.refusal + respondent.noise:
        return str(draws.choose(words_of(topic)["noise"], "wording"))
    return ""


def require_chances(respondent: str, chances: Iterable[tuple[str, float]]) -> None:
    """Refuse what is no chance.

    Raises:
        UserError: a number is not between 0 and 1.
    """
    for name, chance in chances:
        if not -ROUNDING <= chance <= 1 + ROUNDING:
            raise UserError(
                f"A simulated {respondent} cannot have {name} = {chance:g}: it is a chance, between 0 and 1."
            )


@cache
def words_of(topic: str) -> Mapping[str, Any]:
    """What respondents say to questions, ratings, stories or drafts (`words.toml`)."""
    words: Mapping[str, Any] = tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))[topic]
    return words


def wording(topic: str, language: str) -> Mapping[str, Any]:
    """The words of a language (ISO 639 code, "es-AR" counts as "es"); English where there are none."""
    languages: Mapping[str, Mapping[str, Any]] = words_of(topic)["languages"]
    return languages.get(language.split("-", maxsplit=1)[0].lower(), languages["en"])


class Respondent(Protocol):
    """A respondent as one probe meets it: a dataclass of settings, whose numbers are parameters."""

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """The answer to an item of which it was told (`endoxa.schema.chat.ChatModel.ask`)."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What was planted, and what a measure should find."""
        ...


@dataclass(frozen=True, slots=True)
class Simulation:
    """How respondents answer one probe.

    Attributes:
        name: the probe, `told["probe"]`.
        key: facts that tell a question from every other of the probe: the answer is drawn for them.
        kinds: ways to answer by the word `kind` of a respondent's settings, "" where they say none; each makes a
            `Respondent` from settings.
        package: the package whose folder `respondents` holds a file for each respondent.
    """

    name: str
    key: tuple[str, ...]
    kinds: Mapping[str, type[Any]]
    package: str = "endoxa.models.chat.simulated"

    @property
    def respondents(self) -> Mapping[str, Mapping[str, Any]]:
        """Settings of every respondent that answers the probe, by name."""
        stated = respondent_files(self.package)
        return {name: settings[self.name] for name, settings in stated.items() if self.name in settings}

    @property
    def parameters(self) -> frozenset[str]:
        """Parameters that `sim/NAME?PARAMETER=VALUE` may change."""
        return frozenset(name for kind in self.kinds.values() for name in parameters(kind))

    def draws(self, model: str, seed: object, facts: Mapping[str, Any]) -> Draws:
        """The draws of one answer of a model."""
        parts = [facts[name] for name in self.key]
        texts = ["".join(map(str, part)) if isinstance(part, list | tuple) else str(part) for part in parts]
        return Draws((model, str(seed), *texts))

    def respondent(self, name: str, values: Mapping[str, float] | None = None) -> Any:
        """The respondent called `name` with some parameters changed; those of other probes are left to them.

        Raises:
            UserError: a value that cannot be.
        """
        settings = dict(self.respondents[name])
        kind = self.kinds[settings.pop("kind", "")]
        changed = {key: value for key, value in (values or {}).items() if key in parameters(kind)}
        return kind(**settings | changed)


@cache
def respondent_files(package: str) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Settings of the respondents of a package, by name and probe."""
    paths = sorted((files(package) / "respondents").iterdir(), key=lambda path: path.name)
    return {Path(path.name).stem: tomllib.loads(path.read_text("utf-8")) for path in paths}


LATENT = "latent"
"""Name of the respondent, and of its kind in each probe."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Parameters of `sim/latent`.

    Attributes:
        mean: mean strength of associations, in standard deviations of a part's noise or as a log-odds.
        spread: standard deviation of strengths over associations.
        correlation: true correlation between the strengths of two instruments, 0 to 1.
        scatter: standard deviation of one pair or test sentence around its association's strength.
        world: number of the world; another one has other strengths.
    """

    mean: float = 0.5
    spread: float = 1.0
    correlation: float = 0.6
    scatter: float = 1.0
    world: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            UserError: a correlation outside 0 to 1, or a negative spread.
        """
        if not 0 <= self.correlation <= 1:
            raise UserError(f"sim/latent: correlation = {self.correlation:g} is not between 0 and 1.")
        for name in ("spread", "scatter"):
            if getattr(self, name) < 0:
                raise UserError(f"sim/latent: {name} = {getattr(self, name):g} is negative.")

    def of(self, association_id: str, instrument: str) -> float:
        """Strength of an association in an instrument; positive means stereotype."""
        world = f"{self.world:g}"
        common, specific = normal(world, association_id), normal(world, association_id, instrument)
        together = math.sqrt(self.correlation) * common + math.sqrt(1 - self.correlation) * specific
        return self.mean + self.spread * together

    def describe(self) -> Mapping[str, Any]:
        """The parameters."""
        return planted(self)


def share(strength: float, base: float = 0.5) -> float:
    """The chance whose log-odds are those of `base` plus the strength."""
    return 1 / (1 + (1 - base) / base * math.exp(-strength))
