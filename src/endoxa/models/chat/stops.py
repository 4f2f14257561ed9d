"""Where an answer of weights in this process is to end before the model ends it itself."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.errors import UserError
from endoxa.schema.chat import Sampling


@dataclass(frozen=True, slots=True)
class Stops:
    """Texts at which an answer ends; none of them belongs to it.

    Attributes:
        texts: those asked for, wherever they stand.
        next_turn: how the user's next message would begin, once something was said; or empty.
    """

    texts: tuple[str, ...] = ()
    next_turn: str = ""

    def find(self, text: str) -> int | None:
        """Where the first of them begins, or None."""
        places = [text.find(stop) for stop in self.texts]
        if self.next_turn:
            places.append(text.find(self.next_turn, len(text) - len(text.lstrip()) + 1))
        return min((place for place in places if place >= 0), default=None)


NO_STOPS = Stops()


def stops_of(sampling: Sampling, next_turn: str) -> Stops:
    """The texts asked for, one or a list as OpenAI's interface takes them, and the beginning of a next turn.

    Raises:
        UserError: "stop" is something else.
    """
    stop = sampling.extra.get("stop") or ()
    texts = (stop,) if isinstance(stop, str) else tuple(stop) if isinstance(stop, list | tuple) else (None,)
    if not all(isinstance(text, str) and text for text in texts):
        raise UserError(f'--extra: "stop" is {stop!r}. Expected a text or a list of texts.')
    return Stops(texts, next_turn)
