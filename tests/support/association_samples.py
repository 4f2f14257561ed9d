"""Association tests whose truth is planted."""

from __future__ import annotations

import numpy as np

from endoxa.schema import AssociationTest, TermSet

ATTRIBUTES = {"a one": (1.0, 0.0), "a two": (1.0, 0.0), "b one": (-1.0, 0.0), "b two": (-1.0, 0.0)}


def planted(x, y, name="planted", terms_x=(), terms_y=()):
    """A test and vectors in the plane for which s(w) is exactly the number given (between -2 and 2)."""
    texts = {side: tuple(f"{name} {side} {i}" for i in range(len(s))) for side, s in (("x", x), ("y", y))}
    vectors = {
        text: np.array([s / 2, np.sqrt(1 - (s / 2) ** 2)]) * (3 + i)  # length must not matter
        for side, values in (("x", x), ("y", y))
        for i, (text, s) in enumerate(zip(texts[side], values, strict=True))
    }
    test = AssociationTest(
        name,
        TermSet("makers", texts["x"], tuple(terms_x)),
        TermSet("menders", texts["y"], tuple(terms_y)),
        TermSet("warm", ("a one", "a two")),
        TermSet("cool", ("b one", "b two")),
        axis="craft",
        language="en",
    )
    return test, vectors | {text: np.array(vector) for text, vector in ATTRIBUTES.items()}


def random_test(rng, name, n_x=8, n_y=8, width=12):
    """A test on vectors without any association."""
    sizes = {"x": n_x, "y": n_y, "a": 6, "b": 6}
    sets = {key: TermSet(key, tuple(f"{name} {key}{i}" for i in range(n))) for key, n in sizes.items()}
    test = AssociationTest(name, **sets)
    return test, {text: rng.normal(size=width) for one in sets.values() for text in one.texts}
