"""Runs on a Ray cluster of two nodes on this machine: the records of a local run, whoever dies meanwhile."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
pytest.importorskip("torch")

import ray
from ray.cluster_utils import Cluster

from endoxa.errors import UserError
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.questions.probe.settings import QaSettings
from endoxa.models.chat.spec import ChatOptions
from endoxa.runs import cluster as workers
from endoxa.runs.cluster import PooledModel
from endoxa.runs.executors import begun_ahead
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.options import EngineOptions
from endoxa.runs.run import measure
from endoxa.schema import Sampling
from endoxa.testing.plugins import records
from support.qa_questions import questions, write
from support.ray_tasks import dies, dies_of_many, echoed, light_model, nothing, refuses
from support.repository import ROOT
from support.tiny import MAKERS

pytestmark = pytest.mark.slow

HEADER = "item_id,sent_more,sent_less,direction,axis,language,identity,attribute_more,attribute_less\n"
WORDS = ("patient", "loud", "kind", "slow", "brave", "tidy", "proud", "shy")
PEOPLE = (
    "Bakers",
    "Nurses",
    "Tailors",
    "Pilots",
    "Farmers",
    "Sailors",
    "Judges",
    "Cooks",
    "Painters",
    "Guides",
)
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


@pytest.fixture(scope="module")
def tiny(tiny: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny models; `long` reads long questions."""
    return {**tiny, "long": MAKERS["causal"](tmp_path_factory.mktemp("long"), n_positions=512)}


def twice(**options: Any) -> EngineOptions:
    """Two workers on the cluster of the tests."""
    return EngineOptions("ray", workers=2, **options)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A head that does no work, and two nodes with a processor each; this process is connected to it."""
    patch = pytest.MonkeyPatch()
    # Workers import the tasks of the tests by name.
    patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]))
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_log_monitor": False})
    for _ in range(2):
        made.add_node(num_cpus=1)
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()
    patch.undo()


def pairs(folder: Path, tiny: dict[str, Path], **changes: Any) -> PairsSettings:
    rows = [
        f"p{k}{n},{people} are {word}.,{people} are not {word}.,stereo,work,en,{people},{word},not {word}\n"
        for k, people in enumerate(PEOPLE)
        for n, word in enumerate(WORDS)
    ]
    data = folder / "pairs.csv"
    data.write_text(HEADER + "".join(rows), encoding="utf-8")
    return PairsSettings(data=str(data), models=(f"hf/{tiny['causal']}",), chunk=8, **changes)


def asked(folder: Path, tiny: dict[str, Path], kind: str, **changes: Any) -> QaSettings:
    template = folder / "mine.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    return QaSettings(
        data=str(write(folder / "q.jsonl", questions(6))),
        models=(f"hf/{tiny[kind]}",),
        options=ChatOptions(chat_template=str(template)),
        sampling=Sampling(max_tokens=6, temperature=1.0),
        **changes,
    )


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models without a network, here and in workers."""
    monkeypatch.setattr("endoxa.models.scoring.open_model", light_model)


def test_records_are_those_of_a_local_run(
    cluster: Cluster, tiny: dict[str, Path], tmp_path: Path, light: None
) -> None:
    settings = asked(tmp_path, tiny, "long", ask="loglik")
    measure(INSTRUMENTS.get("qa"), settings, tmp_path / "local")
    measure(INSTRUMENTS.get("qa"), settings.model_copy(update={"engine": twice()}), tmp_path / "ray")
    assert records(tmp_path / "ray") == records(tmp_path / "local")


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[workers.Pool]:
    """Every pool that is started."""
    kept: list[workers.Pool] = []
    start = workers.start

    def starting(*words: Any) -> workers.Pool:
        kept.append(start(*words))
        return kept[-1]

    monkeypatch.setattr(workers, "start", starting)
    return kept


@pytest.fixture(scope="module")
def local(tiny: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What a run of the pairs in this process records."""
    folder = tmp_path_factory.mktemp("local")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("endoxa.models.scoring.open_model", light_model)
        measure(INSTRUMENTS.get("pairs"), pairs(folder, tiny), folder / "run")
    return records(folder / "run")


def kill(worker: workers.Worker) -> None:
    """End the process of a worker without a word."""
    os.kill(ray.get(worker.actor.ready.options(max_task_retries=-1).remote()), signal.SIGKILL)


def test_four_kills_in_a_row_lose_nothing_and_double_nothing(
    cluster: Cluster,
    tiny: dict[str, Path],
    tmp_path: Path,
    pools: list[workers.Pool],
    light: None,
    local: dict[str, list[Any]],
) -> None:
    settings = pairs(tmp_path, tiny, engine=twice())
    killed = 0

    def progress(what: str, done: float, _total: int) -> None:
        nonlocal killed
        if what.startswith("scoring") and killed < 4 and int(done) == 8 * (killed + 1):
            there = [worker for worker in pools[0].workers if worker.back is None]
            kill(there[killed % len(there)])
            killed += 1

    measure(INSTRUMENTS.get("pairs"), settings, tmp_path / "killed", progress=progress)
    assert killed == 4
    assert records(tmp_path / "killed") == local


def test_a_node_that_is_gone_costs_no_record(
    cluster: Cluster, tiny: dict[str, Path], tmp_path: Path, light: None, local: dict[str, list[Any]]
) -> None:
    third = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    gone = False

    def progress(what: str, done: float, _total: int) -> None:
        nonlocal gone
        if what.startswith("scoring") and done >= 24 and not gone:
            cluster.remove_node(third, allow_graceful=False)
            gone = True

    three = EngineOptions("ray", workers=3)
    measure(
        INSTRUMENTS.get("pairs"), pairs(tmp_path, tiny, engine=three), tmp_path / "ray", progress=progress
    )
    assert gone
    assert records(tmp_path / "ray") == local


def test_a_chat_model_whose_worker_dies_is_asked_again(
    cluster: Cluster,
    tiny: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pools: list[workers.Pool],
) -> None:
    from endoxa.runs.asking import jobs

    # The weights are tiny: nothing that they say can be read.
    monkeypatch.setattr(jobs, "FIRST_ANSWERS", 1_000)
    killed = False

    def progress(what: str, done: float, _total: int) -> None:
        nonlocal killed
        if what.startswith("asking") and done >= 4 and not killed:
            ray.kill(pools[0].workers[0].actor, no_restart=False)
            killed = True

    settings = asked(tmp_path, tiny, "long")
    remote = settings.model_copy(update={"engine": twice()})
    for how, folder in ((remote, "ray"), (settings, "local")):
        measure(INSTRUMENTS.get("qa"), how, tmp_path / folder, progress=progress)
    assert killed
    assert records(tmp_path / "ray") == records(tmp_path / "local")


def test_work_that_kills_its_workers_is_halved_and_that_is_said(
    cluster: Cluster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "DEATHS", 1)
    with closing(workers.start(nothing, twice(), "the model")) as pool:
        assert dict(pool.each(dies_of_many, range(6))) == {k: k * k for k in range(6)}
        assert "workers died of 6 texts at once (most likely of memory): going on with 3" in caplog.text
        with pytest.raises(UserError, match="workers died again and again of one piece of work"):
            list(pool.each(dies, [1]))


def test_what_a_worker_refuses_or_warns_of_is_said_here(
    cluster: Cluster, tmp_path: Path, tiny: dict[str, Path]
) -> None:
    with closing(workers.start(refuses, twice(), "the model")) as pool, pytest.raises(UserError) as refused:
        PooledModel(pool)
    assert str(refused.value) == "The model is not there."


def test_a_full_cluster_is_said_and_waited_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    full = workers.start(nothing, twice(), "the first model")
    ray.get([worker.actor.ready.remote() for worker in full.workers])
    caplog.clear()
    monkeypatch.setattr(workers, "ROOM", 1.0)
    with closing(workers.start(nothing, twice(), "the second model")) as pool:
        assert [record.message[:55] for record in caplog.records] == [
            "the second model: the Ray cluster has no room for a wor"
        ]
        full.close()
        assert pool.do(echoed, "done") == "done"


def test_a_worker_that_cannot_start_is_one_sentence(cluster: Cluster) -> None:
    with (
        closing(workers.start(Unreadable(), twice(), "the model")) as pool,
        pytest.raises(UserError, match=r"cannot start: .*Install the same version of endoxa"),
    ):
        pool.do(dies, [1])


class Unreadable:
    """What a worker cannot read, as where a package is missing there."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return importlib.import_module, ("a_package_that_is_missing",)


def test_more_gpus_than_there_are_and_no_cluster_are_one_sentence(cluster: Cluster) -> None:
    with pytest.raises(UserError, match=r"--set num_gpus=3: the cluster has 0 GPUs"):
        workers.start(nothing, twice(num_gpus=3.0), "the model")


DRIVER = """
import json, sys
from pathlib import Path
import endoxa.models.scoring
from endoxa.runs.instrument import INSTRUMENTS
from endoxa.runs.run import measure
from endoxa.instruments.pairs.options import PairsSettings
from support.ray_tasks import light_model
endoxa.models.scoring.open_model = light_model
settings = PairsSettings.model_validate_json(sys.argv[1])
told = lambda *words: print(json.dumps(words), flush=True)
measure(INSTRUMENTS.get("pairs"), settings, Path(sys.argv[2]), progress=told)
"""


def test_a_driver_that_is_killed_continues(
    cluster: Cluster, tiny: dict[str, Path], tmp_path: Path, light: None, local: dict[str, list[Any]]
) -> None:
    settings = pairs(tmp_path, tiny, engine=twice(ray_address=cluster.address))
    words = [sys.executable, "-c", DRIVER, settings.model_dump_json(), str(tmp_path / "ray")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        for line in driver.stdout:
            what, done, _ = json.loads(line)
            if what.startswith("scoring") and done >= 16:
                driver.kill()
                break
    assert not (tmp_path / "ray" / "records.parquet").exists()
    told: list[tuple[str, float]] = []
    again = partial(_note, told)
    measure(INSTRUMENTS.get("pairs"), settings, tmp_path / "ray", progress=again)
    assert records(tmp_path / "ray") == local
    first = next(done for what, done in told if what.startswith("scoring"))
    assert first >= 8, "what was done is not done again"


def _note(told: list[tuple[str, float]], what: str, done: float, _total: int) -> None:
    told.append((what, done))


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_so_much_is_begun_before_the_first_is_read(depth: int) -> None:
    begun: list[int] = []

    def beginning() -> Iterator[int]:
        for k in range(4):
            begun.append(k)
            yield k

    ahead = begun_ahead(beginning(), depth)
    assert next(ahead) == 0
    assert len(begun) == min(depth, 4)
    assert [*ahead] == [1, 2, 3]
