"""Association tests whose truth is planted."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from endoxa.instruments.association_tests.items.format import write_tests
from endoxa.models.encoders.static import write_npz
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


def write_run(folder, tests, vectors, model):
    """A finished run of `endoxa probe embeddings`, without its own estimates."""
    (folder / "vectors").mkdir(parents=True)
    write_tests(tests, folder / "tests.json")
    write_npz(folder / "vectors" / "1.npz", list(vectors), np.array(list(vectors.values())))
    (folder / "estimates.csv").write_text("test\n")
    content = (folder / "tests.json").read_bytes()
    facts = {
        "kind": "embeddings",
        "finished": "2026-01-01T00:00:00+00:00",
        "data": {"path": "tests.json", "sha256": hashlib.sha256(content).hexdigest()},
        "vectors": [{"model": model, "pooling": "mean", "file": "vectors/1.npz"}],
        "models": [{"name": model}],
    }
    (folder / "run.json").write_text(json.dumps(facts))
    return folder
