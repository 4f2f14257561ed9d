"""Keys of people in exports: the same person has another one in each export and release."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID


def new_salt() -> str:
    """A secret of 256 random bits."""
    return secrets.token_hex(32)


@dataclass(frozen=True)
class Keys:
    """Makes keys with a salt. Without one, people keep the keys they have: those of the export they were read from."""

    salt: str | None

    def rater(self, person: UUID) -> str:
        """The key of a person."""
        return self._key("rater", person)

    def respondent(self, person: UUID) -> str:
        """The key in the survey of somebody who has none elsewhere."""
        return self._key("respondent", person)

    def _key(self, use: str, person: UUID) -> str:
        if self.salt is None:
            return str(person)
        digest = hmac.digest(self.salt.encode(), f"{use}:{person.hex}".encode(), sha256)
        return str(UUID(bytes=digest[:16], version=4))
