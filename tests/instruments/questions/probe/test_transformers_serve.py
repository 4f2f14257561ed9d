"""A server that is really one: `transformers serve` with a tiny GPT-2, which needs `pip install fastapi uvicorn`."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import polars as pl
import pytest

from endoxa.instruments.questions.instrument import QUESTIONS
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models.chat.spec import ChatOptions
from endoxa.runs.run import measure
from endoxa.schema import Sampling
from support.qa_questions import questions, write

pytestmark = pytest.mark.slow
for package in ("fastapi", "uvicorn"):
    pytest.importorskip(package, reason="`transformers serve` needs fastapi and uvicorn")

TEMPLATE = "{% for one in messages %}{{ one.role }}: {{ one.content }}\n{% endfor %}assistant:"
START_SECONDS = 180.0
"""It imports torch; a busy machine takes long."""


def wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(int(START_SECONDS / 0.5)):
        assert process.poll() is None, "transformers serve ended"
        try:
            with urlopen(url.replace("/v1", "/health"), timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    pytest.fail("transformers serve did not start")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """The tiny model with a chat template."""
    folder = tmp_path_factory.mktemp("served") / "tiny"
    shutil.copytree(shared / "data/models/tiny-gpt2", folder, copy_function=shutil.copyfile)
    folder.chmod(0o700)
    config = folder / "tokenizer_config.json"
    content = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps({**content, "chat_template": TEMPLATE}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with the model, on a port that was free."""
    cache = str(tmp_path_factory.mktemp("cache"))
    environment = {**os.environ, "HF_HUB_CACHE": cache, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    code = "from transformers.cli.transformers import main; main()"
    words = ("serve", str(model), "--device", "cpu", "--host", "127.0.0.1", "--port", str(port))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", code, *words], env=environment, **quiet) as process:
        try:
            url = f"http://127.0.0.1:{port}/v1"
            wait_until_ready(url, process)
            yield url
        finally:
            process.kill()


def test_questions_are_asked_at_one_server(model: Path, server: str, tmp_path: Path) -> None:
    data = str(write(tmp_path / "questions.jsonl", questions(8)))
    sampling, options = Sampling(max_tokens=4, temperature=0.0), ChatOptions(concurrency=4, patience=60)
    asked = QaSettings(data=data, models=(f"{server}#{model}",), sampling=sampling, options=options)
    run = measure(QUESTIONS, asked, tmp_path / "run")
    table = pl.read_parquet(tmp_path / "run/records.parquet")
    assert len(table) == table["item_id"].n_unique() == 8
    assert set(table["error"]) == {""}
    (use,) = run.facts["usage"].values()
    assert use["calls"] >= 8  # and a first question, as the server lists no folders
