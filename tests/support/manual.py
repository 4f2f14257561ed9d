"""Runs the commands of the manual, as they stand there, with tiny models and small files in place of what they name.

A page's commands run in order in a folder of its own. A file that a command reads and that no earlier command of the
page has written is a sample file.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import chdir, nullcontext
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, pairwise, takewhile
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from collect_support import commands
from endoxa.commands import app
from endoxa.sources.sources import sources
from endoxa.words.packs import using
from support.repository import ROOT
from support.tutorials import PARTS, file_of, split

NOT_RUN: Mapping[str, str] = {
    r"^endoxa collect serve": "serves until it is stopped",
    r"^endoxa datasets convert [a-z-]+( |$)": "needs a network",
    r"^endoxa gate .*out/profiles-a": "needs stories of two models; tests/study/gate",
    r"^endoxa collect check /srv": "a site behind its proxy; the site's test_health.py",
    r"^endoxa demo": "takes a minute; tests/demo runs it",
    r"^endoxa reproduce (?!arithmetic)": "takes minutes; tests/commands/test_reproduce.py",
    r"--set engine=ray": "needs a cluster; tests/runs/test_cluster.py runs it",
    r"^endoxa (analyze|report) .*(harness/|logs/|\bLOG\b)": "logs of other harnesses; tests/instruments/test_logs.py",
    r"--labels sheet\.csv|novelty\.html": "people fill the sheet in; tests/curate/novelty",
    r"build pairs export/pairs\.csv": "needs what people mentioned; the site's tests/export",
    r"valley\.csv": "needs questions about these groups; tests/instruments/questions",
    r"--withdrawals ": "needs people who withdrew; the site's tests/project/test_lists.py restores with their list",
    r"--expire": "needs a retention date that is over; the site's tests/project/test_folder.py runs it",
    r"export/map\.toml": "needs answers to open questions; the site's tests/export/test_run.py checks the map",
    r"^endoxa analyze run out/(q1 -o q1|crossed)": "thoughts, or scores of crossed groups; tests/commands",
    r"^endoxa compare out/before out/after": "two whole studies; tests/study/test_study.py",
    r"^endoxa compare \S+\.csv": "two editions of one survey; tests/study/compare",
    r"Participant ID|--statement-column said": "a long table of the user's own; tests/commands/test_curate_extract.py",
    r"--out out/a$": "an adapter of the user's own; tests/models/test_adapters.py",
    r"topics\.csv": "labels of a chat model; tests/curate/topics",
    r"--log (mlflow|wandb)": "libraries that are not installed with these tests; tests/export",
    r"--vectors|static/": "vectors of the user's own programs; tests/commands/test_analyze_tests.py",
}
"""Commands that are not run, with the reason."""

FILLED_IN = frozenset({"ana.xlsx", "ben.xlsx", "check.xlsx", "votes.csv", "votes_items.csv", "out/harm.csv"})
"""Files that commands write for people to fill in, or from what people did."""

_SIMULATED: Mapping[str, tuple[str, ...]] = {
    "qa": ("sim/biased", "sim/fair"),
    "stories": ("sim/teller",),
    "extract": ("sim/reader-a", "sim/reader-b", "sim/reader-c"),
    "harm": ("sim/rater", "sim/rater-fair"),
    "author": ("sim/author", "sim/author?repeat=0.1"),
    "curate": ("sim/reader-a",),
}
"""Simulated chat models by what asks them."""

EXPORTED = "export ENDOXA_PACK="
_LIMIT_S = 300
_HUB = "hf/"
_REMOTE = re.compile(r"^(?:hf|openai|anthropic|mistral|https?:)/")


@dataclass(frozen=True)
class SampleFiles:
    """Small files by the names that the manual uses.

    Attributes:
        folder: where they are.
        shared: the folder of published data.
        results: what commands wrote, so that one that stands on several pages runs once.
        forms: verbs with their options that were run; see `form`.
        campaigns: those that `init` has made, by their preset.
    """

    folder: Path
    shared: Path
    results: dict[str, Path] = field(default_factory=dict)
    forms: set[tuple[str, ...]] = field(default_factory=set)
    campaigns: dict[str, Path] = field(default_factory=dict)

    def tiny_model(self, name: str, kind: str) -> Path:
        """A folder of a tiny model that stands for one of the hub; two names are two folders."""
        folder = self.folder / "models" / kind / re.sub(r"[^\w.-]", "-", name)
        copy(self.shared / f"data/models/tiny-{kind}", folder)
        return folder


@dataclass(frozen=True)
class Workspace:
    """A folder in which the commands of one page run in order.

    Attributes:
        folder: where they run.
        samples: what they read besides what they write.
    """

    folder: Path
    samples: SampleFiles
    packs: list[str] = field(default_factory=list)

    def run(self, command: str, below: Sequence[str] | None = None) -> None:
        """Run what a line of the manual says; a line that exports a pack is kept for those below it.

        Args:
            command: the line.
            below: the lines of the page below it: the command is left out where one of its form was run, for this page
                or another, and none of them needs what it writes. None always runs it.

        Raises:
            AssertionError: a command ended with an error.
        """
        shape, made = form(split(command)), _written(split(command))
        known = below is not None and shape in self.samples.forms and "&&" not in command
        if known and not any(name in line for name in made for line in below or ()):
            return
        if known and (there := self.samples.campaigns.get(_preset(split(command)))):
            copy(there, self.folder / self._local(made[0]))
            return
        self.samples.forms.add(shape)
        if command.startswith(EXPORTED):
            self.packs[:] = [command.removeprefix(EXPORTED)]
            self._fetch(self.packs[0])
            return
        for part in re.split(r"\s&&\s", command):
            self._run_part(part)

    def _run_part(self, command: str) -> None:
        words = list(takewhile(lambda word: word != ">", split(command)))
        redirected = re.search(r"\s>\s*(\S+)", re.sub(r"\s#.*", "", command))
        written = _written(words)
        key = " ".join([*self.packs, *words])
        if key in self.samples.results:
            for name in written:
                copy(self.samples.results[key] / name, self.folder / name)
            return
        for word in words[2:]:
            if word not in written and not word.startswith(("-", "/")) and ".." not in word:
                self._fetch(word)
        # Without a pack nothing is forgotten that was computed from words before.
        with using([self.folder / pack for pack in self.packs]) if self.packs else nullcontext():
            output, code = _called(self._adapted(words)[1:], self.folder)
        assert code in _expected(words), f"{command}\nexit code {code}\n{output}"
        if redirected:
            (self.folder / redirected[1]).write_text(output, encoding="utf-8")
        elif words[1] != "collect" or words[2] == "init":  # others change a campaign
            self.samples.results[key] = self.samples.folder / "results" / str(len(self.samples.results))
            for name in written:
                copy(self.folder / name, self.samples.results[key] / name)
            if preset := _preset(words):
                self.samples.campaigns[preset] = self.samples.results[key] / written[0]

    def _fetch(self, name: str) -> None:
        """Copy a sample file that the page has not written, or that people have filled in since."""
        if name in FILLED_IN and self.folder != self.samples.folder:
            (self.folder / name).unlink(missing_ok=True)
        copy(self.samples.folder / name, self.folder / name)
        beside = Path(name).with_name("additional_metadata.csv")  # BBQ's stands beside its questions
        copy(self.samples.folder / beside, self.folder / beside)

    def _adapted(self, words: Sequence[str]) -> list[str]:
        """The words with tiny models and small data for those of the manual."""
        step = words[2] if words[1] == "probe" else words[1]
        simulated = cycle(_SIMULATED.get(step, ()))
        adapted = [
            self._hub_model(word, "embeddings")
            if before == "--encoder" and word.startswith(_HUB)
            else (next(simulated, "") or self._hub_model(word, step))
            if _REMOTE.match(word)
            else str(self.samples.folder / "crows_pairs.csv")
            if before == "--data" and word in sources()
            else self._local(word)
            for before, word in zip(("", *words), words, strict=False)
            if word != "--batch"
        ]
        # The manual's prompts are thousands.
        return [*adapted, "--limit", "600"] if words[1:3] == ["probe", "stories"] else adapted

    def _hub_model(self, name: str, step: str) -> str:
        usual = "bert" if step == "embeddings" else "gpt2"
        kind = next((kind for kind in ("gpt2", "bert", "t5") if kind in name), usual)
        return f"{_HUB}{self.samples.tiny_model(name, kind)}"

    def _local(self, word: str) -> str:
        """A path in this folder, or a published file: the small part of it among the samples, if there is one."""
        small = self.samples.folder / Path(word).name
        if word.startswith("../shared") and small.is_file():
            return str(small)
        return word.replace("../shared", str(self.samples.shared)).replace("/srv/collect/", "")


def form(words: Sequence[str]) -> tuple[str, ...]:
    """The verb, its options, and those values that are words: without the names of files and models, and numbers."""
    options = (word for word in words if word.startswith("-"))
    values = (
        f"{option} {value}"
        for option, value in pairwise(words)
        if option.startswith("-") and re.fullmatch(r"[a-z_]+(=[a-z]+|=[0-9.]+)?", value)
    )
    return (*words[1:3], *sorted({*options, *values}))


def _written(words: Sequence[str]) -> list[str]:
    """The files and folders that a command makes."""
    made = [after for before, after in pairwise(words) if before in ("-o", "--out", "--sample", "--sheet")]
    return [*made, words[3]] if words[2:3] == ["init"] else made


def _preset(words: Sequence[str]) -> str:
    """The preset of a campaign that a command makes of nothing else; empty for other commands."""
    alone = words[1:3] == ["collect", "init"] and "--groups" not in words
    return words[words.index("--preset") + 1] if alone and "--preset" in words else ""


def copy(source: Path, target: Path) -> None:
    """Copy a file or folder that is there to a place that is free."""
    if not source.exists() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile)
    else:
        shutil.copyfile(source, target)


_WITHOUT_ENCODER = f"import sys; sys.modules['sentence_transformers'] = None; {commands.COMMAND}"
"""Likeness by letters, as where the encoder is not installed: each process would load it again."""


def _called(words: Sequence[str], folder: Path) -> tuple[str, int]:
    if words[0] == "collect":  # sets Django up, once in a process and for one campaign
        left_out = {"DATABASE_URL", "ENDOXA_CAMPAIGN", "DJANGO_SETTINGS_MODULE"}
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        done = commands.run(_WITHOUT_ENCODER, *words, env=environment, cwd=folder, timeout=_LIMIT_S)
        return done.stdout + done.stderr, done.returncode
    with chdir(folder):
        result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    return result.output, result.exit_code


def _expected(words: Sequence[str]) -> tuple[int, ...]:
    """Exit codes that are answers: `datasets check` found problems, `gate` decided."""
    if words[1:3] == ["datasets", "check"]:
        return (0, 1)
    return (0, 1, 4) if words[1] == "gate" else (0,)


@cache
def documented(page: Path) -> list[str]:
    """The commands of a page: lines of shell and indented blocks, and cells of tables that are whole commands."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```|((?:^    \S.*\n)+)", text, re.DOTALL | re.MULTILINE)
    lines = [line.strip() for block in blocks for line in "".join(block).replace("\\\n", " ").splitlines()]
    in_blocks = [line.removesuffix(" &&") for line in lines if line.startswith(("endoxa ", EXPORTED))]
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [cell for row in rows for cell in re.findall(r"`(endoxa [a-z][^`]*)`", row)]
    return [*in_blocks, *filter(_is_whole, cells)]


@cache
def _command_line() -> Any:
    """The whole command line, made once."""
    return get_command(app)


def _is_whole(cell: str) -> bool:
    """Whether a cell of a table is a command that can be typed, not only the name of one."""
    words = split(cell)[1:]
    if any(re.fullmatch(r"[A-Z]+|\.\.\.", word) for word in words):
        return False
    command = _command_line()
    while words and hasattr(command, "commands") and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    if hasattr(command, "commands"):
        return False
    return bool(words) or not any(given.required or "--out" in given.opts for given in command.params)


def reason_not_to_run(command: str) -> str:
    """Why a command is not run, or an empty text."""
    return next((reason for pattern, reason in NOT_RUN.items() if re.search(pattern, command)), "")


PAGES = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if page.parent.name not in ("tutorials", "options") and page.name != "road.md" and documented(page)
]
"""All with commands, but README, the tutorials and the road, which `test_tutorials` follows to the letter, and the
generated reference."""


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows."""
    for part in PARTS.finditer(page.read_text(encoding="utf-8")):
        if name := file_of(part):
            (folder / name).write_text(part["body"], encoding="utf-8")
