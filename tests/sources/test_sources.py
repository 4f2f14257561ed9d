"""Published sources: names, mirrors, hashes, and what `--data` may be."""

from __future__ import annotations

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from endoxa.errors import UserError
from endoxa.sources import READERS, sources
from endoxa.sources.files import sha256
from endoxa.sources.sources import PublishedFile, download, locate, source

pytestmark = pytest.mark.slow

CONTENT = b"sent_more,sent_less\nA.,B.\n"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A source of ours, a mirror that holds its file, and an empty cache."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "pairs.csv").write_bytes(CONTENT)
    ours = PublishedFile(
        name="ours",
        title="ours",
        format="native",
        licence="CC0",
        citation="us",
        warning="mild",
        url="http://127.0.0.1:9/pairs.csv",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
    monkeypatch.setattr(sources, "sources", lambda: {"ours": ours})
    monkeypatch.setattr(sources, "cache_folder", lambda name: tmp_path / "cache" / name)
    return mirror, tmp_path / "cache" / "ours" / "pairs.csv"


def test_every_source_is_documented_and_pinned():
    for name, one in sources.sources().items():
        assert all((one.title, one.licence, one.citation, one.warning)), name
        pinned = any(len(part) == 40 for part in one.url.split("/"))
        assert pinned or (one.is_sample and sources.cached_file(one).is_file()), (
            f"{name}: not pinned to a commit"
        )
        assert not one.format or READERS.get(one.format)
        assert len(one.sha256) in (0, 64)


def test_hashes_are_those_of_the_published_files(shared):
    for name, file in (("crows-pairs", "crows_pairs"), ("indibias", "indibias")):
        one = source(name)
        assert sha256(shared / "data" / file / one.file_name) == one.sha256


def test_mirror_folder_then_cache_without_network(folders):
    mirror, cached = folders
    assert download("ours", str(mirror)) == cached
    assert cached.read_bytes() == CONTENT
    (mirror / "pairs.csv").unlink()
    assert download("ours") == cached
    assert locate("ours") == cached


def test_other_address(folders):
    handler = partial(SimpleHTTPRequestHandler, directory=str(folders[0]))
    handler.func.log_message = lambda *arguments: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        assert download("ours", address).read_bytes() == CONTENT
        server.shutdown()


def test_changed_file_is_refused_and_not_kept(folders):
    mirror, cached = folders
    (mirror / "pairs.csv").write_bytes(b"something else")
    with pytest.raises(UserError, match="is not the published"):
        download("ours", str(mirror))
    assert not cached.exists()


def test_damaged_copy_in_the_cache_is_replaced(folders):
    mirror, cached = folders
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"half")
    assert download("ours", str(mirror)).read_bytes() == CONTENT


def test_no_network_and_empty_mirror_say_what_to_do(folders, tmp_path):
    with pytest.raises(UserError, match=r"cannot be downloaded .* --mirror FOLDER"):
        download("ours")
    with pytest.raises(UserError, match=r"has no file pairs.csv"):
        download("ours", str(tmp_path))


def test_locate(folders, tmp_path):
    mirror, _ = folders
    assert locate(str(mirror / "pairs.csv")) == mirror / "pairs.csv"
    with pytest.raises(UserError, match="endoxa datasets convert ours"):
        locate("ours")
    with pytest.raises(UserError, match=r"Did you mean: pairs.csv"):
        locate(str(mirror / "pair.csv"))
    with pytest.raises(UserError, match="Known data sets: ours"):
        locate("zzz")
    assert download("ours", str(mirror), tmp_path / "here") == tmp_path / "here" / "pairs.csv"


def test_samples_are_read_by_name_unless_a_file_has_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert locate("sample").name == "sample.csv"
    assert sources.named_file("sample", "questions").name == "sample-questions.jsonl"
    assert sources.named_file("no-sample") is None
    (tmp_path / "sample").write_text("ours")
    assert sources.named_file("sample", "questions") is None
    assert locate("sample") == Path("sample")
    assert download("sample-map", folder=tmp_path).read_bytes() == locate("sample-map").read_bytes()
