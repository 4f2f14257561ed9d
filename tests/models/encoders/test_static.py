"""Word vectors: files of both kinds, how a text finds its words, and what is refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.models.encoders.static import StaticEncoder, read_vectors, write_npz

ROWS = {
    "rain": [1, 0, 0],
    "fast": [0, 2, 0],
    "new_york": [0, 0, 4],
    "person": [1, 1, 0],
    "s": [3, 1, 0],
    "बारिश": [5, 5, 5],
}


def word2vec(path, rows=None, header=True, end=""):
    rows = ROWS if rows is None else rows
    lines = [f"{len(rows)} 3"] if header else []
    lines += [f"{word} {' '.join(map(str, row))}{end}" for word, row in rows.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def vectors_of(path, texts, **options):
    encoder = StaticEncoder.open("static/x", path, texts, **options)
    return {texts[one.index]: one.vectors["words"].tolist() for one in encoder.encode(texts)}, encoder


@pytest.mark.parametrize(("header", "end"), [(True, ""), (True, " "), (False, "")])
def test_word2vec_and_glove_text_give_the_same(tmp_path, header, end):
    found = read_vectors(word2vec(tmp_path / "v.txt", header=header, end=end))
    assert {word: row.tolist() for word, row in found.items()} == ROWS


def test_gzip_npz_and_only_what_is_wanted(tmp_path):
    plain = word2vec(tmp_path / "v.vec")
    (tmp_path / "v.vec.gz").write_bytes(gzip.compress(plain.read_bytes()))
    write_npz(tmp_path / "v.npz", list(ROWS), np.array(list(ROWS.values())))
    for name in ("v.vec", "v.vec.gz", "v.npz"):
        found = read_vectors(tmp_path / name, {"rain", "बारिश", "absent"})
        assert {word: row.tolist() for word, row in found.items()} == {
            "rain": [1, 0, 0],
            "बारिश": [5, 5, 5],
        }


def test_text_is_whole_entry_or_mean_of_its_words(tmp_path):
    texts = ["rain", "Rain, fast!", "new york", "person's", "बारिश rain", "rain rain fast"]
    found, encoder = vectors_of(word2vec(tmp_path / "v.txt"), texts)
    assert found == {
        "rain": [1, 0, 0],
        "Rain, fast!": [0.5, 1, 0],
        "new york": [0, 0, 4],
        "person's": [2, 1, 0],
        "बारिश rain": [3, 2.5, 2.5],
        "rain rain fast": pytest.approx([2 / 3, 2 / 3, 0]),
    }
    assert encoder.unknown == ()
    assert encoder.describe()["width"] == 3


def test_unknown_words_are_listed_and_refused_above_a_share(tmp_path):
    path = word2vec(tmp_path / "v.txt")
    texts = ["rain snow", "fast rain", "person fast"]
    with pytest.raises(UserError, match=r"no vector for 1 of 4 words \('snow'\)"):
        vectors_of(path, texts, max_unknown=0.2)
    found, encoder = vectors_of(path, texts, max_unknown=0.25)
    assert found["rain snow"] == [1, 0, 0]
    assert encoder.describe()["unknown_words"] == ["snow"]
    assert encoder.unknown_share(texts) == pytest.approx(1 / 6)
    with pytest.raises(UserError, match=r"knows no word of 1 of 2 texts \('snow'\)"):
        vectors_of(path, ["snow", "rain"], max_unknown=1)


def test_binary_other_suffix_cut_gzip_and_missing_file_are_one_sentence(tmp_path):
    (tmp_path / "v.txt").write_bytes(b"2 3\n\xff\xfe\x00")
    (tmp_path / "v.txt.gz").write_bytes(gzip.compress(b"rain 1 2\n" * 50)[:-12])
    for name, message in [
        ("v.txt", "line 2: not UTF-8"),
        ("v.txt.gz", "cannot be read"),
    ]:
        with pytest.raises(UserError, match=message):
            read_vectors(tmp_path / name)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"texts": np.array(["a"])}, "holds the arrays texts; it must hold texts and vectors"),
        ({"texts": np.array(["a"]), "vectors": np.zeros((2, 3))}, "as many texts as rows"),
        ({"texts": np.array(["a"]), "vectors": np.array([["x"]])}, "must hold real numbers"),
        ({"texts": np.array(["a"], dtype=object), "vectors": np.zeros((1, 3))}, "not readable as .npz"),
        ({"texts": np.array(["a"]), "vectors": np.array([[np.inf]])}, "not finite"),
    ],
)
def test_broken_npz_is_one_sentence(tmp_path, arrays, message):
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(UserError, match=message):
        read_vectors(tmp_path / "v.npz")
    (tmp_path / "v.npz").write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(UserError, match="not readable"):
        read_vectors(tmp_path / "v.npz")


@pytest.mark.slow
@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1),
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=4),
        min_size=1,
    )
)
def test_any_words_survive_both_kinds_of_file(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("vectors")
    write_npz(folder / "v.npz", list(rows), np.array(list(rows.values())))
    lines = [f"{len(rows)} 4", *(f"{word} {' '.join(map(repr, row))}" for word, row in rows.items())]
    (folder / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    for name in ("v.npz", "v.txt"):
        assert {word: row.tolist() for word, row in read_vectors(folder / name).items()} == rows
