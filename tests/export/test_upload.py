"""`endoxa export hub --push`: the hub's own library uploads to a hub on this machine."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from endoxa.demo.planted import SAMPLE
from endoxa.errors import UserError
from endoxa.export.datasheet import question_keys
from endoxa.export.upload import require_upload
from endoxa.sources.files import CHECKSUMS


class Hub(ThreadingHTTPServer):
    """The five requests of an upload; `asked` has what was sent by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: dict[str, bytes] = {}
        self.address = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.reply(
            [{"type": "file", "path": "old.csv", "size": 1, "oid": "0"}] if "/tree/" in self.path else {}
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked[self.path.partition("?")[0]] = body
        if self.path.endswith("/create"):
            self.reply({"url": f"{self.server.address}/datasets/lab/trades"})
        elif "/preupload/" in self.path:
            files = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                for file in json.loads(body)["files"]
            ]
            self.reply({"files": files})
        elif self.path.endswith("validate-yaml"):
            self.reply({"errors": [], "warnings": []})
        else:
            self.reply(
                {
                    "commitUrl": f"{self.server.address}/datasets/lab/trades/commit/1",
                    "commitOid": "1" * 40,
                    "success": True,
                }
            )

    def reply(self, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def pushed(hub: Hub, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = "import sys; from endoxa.commands import main; main()"
    words = ["export", "hub", str(SAMPLE), "-o", "release", "--license", "CC0-1.0", "--push", "lab/trades"]
    return subprocess.run(
        [sys.executable, "-c", command, *words, *more],
        cwd=folder,
        env={**os.environ, "HF_ENDPOINT": hub.address, "HF_TOKEN": "hf_x", "HF_HUB_OFFLINE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_a_complete_release_is_sent_as_one_commit(hub: Hub, tmp_path: Path) -> None:
    refused = pushed(hub, tmp_path)
    assert refused.returncode == 2
    assert "release was made, but not uploaded: 2" in refused.stderr
    sections: dict[str, list[str]] = {}
    for key in question_keys():
        sections.setdefault(key.partition(".")[0], []).append(f'{key.partition(".")[2]} = "Said."')
    about = 'title = "Trades"\nauthors = ["Lab"]\nrights_holder = "Lab"\ncontact = "a@b.org"\nversion = "1"\n'
    tables = "".join("\n".join((f"[{name}]", *lines, "")) for name, lines in sections.items())
    (tmp_path / "facts.toml").write_text(f"[about]\n{about}{tables}")
    rest = ("--facts", "facts.toml", "--overwrite")

    dry = pushed(hub, tmp_path, *rest, "--dry-run")
    assert "nothing was sent" in dry.stdout
    assert "data/pairs.parquet" in dry.stdout
    assert not hub.asked

    done = pushed(hub, tmp_path, *rest)
    assert done.returncode == 0, done.stderr
    assert f"Uploaded: {hub.address}/datasets/lab/trades" in done.stdout
    assert json.loads(hub.asked["/api/repos/create"])["visibility"] == "private"
    commit = [json.loads(line) for line in hub.asked["/api/datasets/lab/trades/commit/main"].splitlines()]
    sent = {
        entry["value"]["path"]: base64.b64decode(entry["value"]["content"])
        for entry in commit
        if entry["key"] == "file"
    }
    release = tmp_path / "release"
    assert sent == {
        path.relative_to(release).as_posix(): path.read_bytes()
        for path in release.rglob("*")
        if path.is_file()
    }
    assert {"README.md", CHECKSUMS} < set(sent)
    assert [entry["value"]["path"] for entry in commit if entry["key"] == "deletedFile"] == ["old.csv"]


def test_a_name_that_is_none_is_refused_before_anything_is_written() -> None:
    with pytest.raises(UserError, match="expected OWNER/NAME"):
        require_upload("trades")
