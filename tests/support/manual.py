"""Runs the commands of the manual, as they stand there, with tiny models and small files in place of what they name.

A page's commands run in order in a folder of its own. A file that a command reads and that no earlier command of the
page has written comes from the pantry: a folder with a small file of each kind.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from endoxa.cli import app
from support.collect import commands
from support.repository import ROOT
from support.tutorials import HOME, PARTS

PAGES = [
    ROOT / "README.md",
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if page.parent.name not in ("tutorials", "options") and page.name != "road.md"
    ),
]
"""All but the tutorials and the road, which `test_tutorials` follows to the letter, and the generated reference."""

TRIED = (
    "analyze/pairs",
    "author",
    "build",
    "build/names",
    "build/pairs",
    "build/stories",
    "collect/exports",
    "collect/harm-study",
    "collect/language-check",
    "export",
)
"""Pages of `docs` whose commands the test runs so far; those of the others are only checked for their options."""

NOT_RUN: Mapping[str, str] = {
    r"^endoxa collect serve": "serves until it is stopped",
    r"^endoxa datasets download": "needs a network",
    r"^endoxa collect simulate (?!.*--plan)": "takes minutes; tests/collect/simulate runs it",
    r"^endoxa demo": "takes a minute; tests/demo runs it",
    r"^endoxa reproduce run (?!arithmetic)": "takes minutes; tests/study runs it",
    r"^endoxa curate thresholds": "takes a minute; tests/curate/group runs it",
    r"--engine ray": "needs a cluster; tests/engine runs it",
    r"^endoxa (analyze|report) .*(harness/|logs/|\bLOG\b)": "logs of other harnesses; tests/instruments/test_logs.py",
    r"--results export\.json|collect enter ": "what people have judged; tests/collect",
    r"--human |panel\.csv|--labels |(topics|novelty)\.(csv|html)|harm\.csv": "what people judged; tests/instruments",
    r"--withdrawals |collect (replay|expire)": "needs people who withdrew; tests/collect/project",
    r"export/map\.toml": "needs answers to a survey; tests/collect/export",
    r"--compare ": "needs stories of two models; tests/instruments/stories",
    r"analyze agreement|disagreement|leniency|export/pairs\.csv": "needs ratings of people; tests/curate/ratings",
    r"reviewed\.csv|lexicon\.toml|_items\.csv|judged\.csv|votes\.csv|pairs_pairs": "votes of people; tests/author",
    r"--predictions|--vectors|static/|valley\.csv": "files of the user's own programs; tests/instruments",
}
"""Commands that are not run, with the reason."""

_LIMIT = 300
_HUB = "hf/"
_CHAT = re.compile(r"^(?:openai|anthropic|mistral|https?:)/")
_SIMULATED: Mapping[str, tuple[str, ...]] = {
    "qa": ("sim/biased", "sim/fair"),
    "stories": ("sim/teller",),
    "extract": ("sim/reader-a", "sim/reader-b", "sim/reader-c"),
    "harm": ("sim/rater", "sim/rater-fair"),
    "author": ("sim/author", "sim/author?repeat=0.1"),
    "curate": ("sim/reader-a",),
}
"""Simulated chat models by what asks them."""


@dataclass(frozen=True)
class Pantry:
    """Small files by the names that the manual uses.

    Attributes:
        folder: where they are.
        models: folders of tiny models by kind: "gpt2", "bert", "t5".
        shared: the folder of published data.
        done: commands that have been run, with copies of what they wrote, so that none is run twice.
    """

    folder: Path
    models: Mapping[str, Path]
    shared: Path
    done: dict[str, Path] = field(default_factory=dict)


@dataclass
class Kitchen:
    """A folder in which the commands of one page run in order.

    Attributes:
        folder: where they run.
        pantry: what they find besides what they write.
        served: models of the hub by the tiny ones that stand for them; two names are two folders.
    """

    folder: Path
    pantry: Pantry
    served: dict[str, Path] = field(default_factory=dict)

    def run(self, command: str) -> str:
        """What a command prints.

        Raises:
            AssertionError: it ended with an error.
        """
        return "".join(map(self._part, re.split(r"\s&&\s", command)))

    def _part(self, command: str) -> str:
        words = list(takewhile(lambda word: word != ">", shlex.split(command, comments=True)))
        redirected = re.search(r"\s>\s*(\S+)", command.partition("#")[0])
        written = _written(words)
        key = " ".join(words)
        if key in self.pantry.done:
            for name in written:
                _copy(self.pantry.done[key] / name, self.folder / name)
            return ""
        self._fetch(words, written)
        said, code = _called(self._adapted(words)[1:], self.folder)
        assert code in _expected(words), f"{command}\nexit code {code}\n{said}"
        if redirected:
            (self.folder / redirected[1]).write_text(said, encoding="utf-8")
        elif words[1] != "collect" or words[2] == "init":
            self.pantry.done[key] = self.pantry.folder / "done" / str(len(self.pantry.done))
            for name in written:
                _copy(self.folder / name, self.pantry.done[key] / name)
        return said

    def _fetch(self, words: Sequence[str], written: Sequence[str]) -> None:
        """Copy what the command reads and the page has not written."""
        for word in words[2:]:
            if word not in written and not word.startswith(("-", "/")) and ".." not in word:
                _copy(self.pantry.folder / word, self.folder / word)

    def _adapted(self, words: Sequence[str]) -> list[str]:
        """The words with tiny models and small data for those of the manual."""
        probe = words[2] if words[1] == "probe" else words[1]
        simulated = iter(_SIMULATED.get(probe, ()) * 2)
        adapted = []
        for word in words:
            if word.startswith(_HUB) or _CHAT.match(word):
                adapted.append(next(simulated, "") or f"{_HUB}{self._tiny(word, probe)}")
            elif word != "--batch":
                adapted.append(self._local(word))
        # The manual's prompts are thousands.
        return [*adapted, "--limit", "600"] if probe == "stories" and words[1] == "probe" else adapted

    def _local(self, word: str) -> str:
        """A path in this folder, or a published file: the small part of it that the pantry has, if any."""
        small = self.pantry.folder / Path(word).name
        if word.startswith("../shared") and small.is_file():
            return str(small)
        return word.replace("../shared", str(self.pantry.shared)).replace("/srv/collect/", "")

    def _tiny(self, name: str, probe: str) -> Path:
        kind = next(
            (kind for kind in self.pantry.models if kind in name), "bert" if probe == "embeddings" else "gpt2"
        )
        kind = "bert" if "muril" in name else kind
        if name not in self.served:
            self.served[name] = self.folder / "models" / f"{kind}-{len(self.served)}"
            shutil.copytree(self.pantry.models[kind], self.served[name], copy_function=shutil.copyfile)
        return self.served[name]


def _written(words: Sequence[str]) -> list[str]:
    """The files and folders that a command makes."""
    made = [after for before, after in pairwise(words) if before in ("-o", "--out", "--sample", "--sheet")]
    return [*made, words[3]] if words[2:3] == ["init"] else made


def _copy(source: Path, target: Path) -> None:
    """Copy a file or folder that is there to a place that is free."""
    if not source.exists() or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def _called(words: Sequence[str], folder: Path) -> tuple[str, int]:
    if words[0] == "collect":  # sets Django up, once in a process and for one campaign
        left_out = {"DATABASE_URL", "ENDOXA_CAMPAIGN", "DJANGO_SETTINGS_MODULE"}
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        done = commands.run(commands.COMMAND, *words, env=environment, cwd=folder, timeout=_LIMIT)
        return done.stdout + done.stderr, done.returncode
    with chdir(folder):
        result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    return result.output, result.exit_code


def _expected(words: Sequence[str]) -> tuple[int, ...]:
    """Exit codes that are answers: `datasets check` found problems, `gate` decided."""
    if words[1:3] == ["datasets", "check"]:
        return (0, 1)
    return (0, 1, 4) if words[1] == "gate" else (0,)


def documented(page: Path) -> list[str]:
    """The commands of a page: lines of shell and indented blocks, and cells of tables that are whole commands."""
    text = page.read_text(encoding="utf-8")
    found: list[str] = []
    for shell, indented in re.findall(r"```sh\n(.*?)```|((?:^    \S.*\n)+)", text, re.DOTALL | re.MULTILINE):
        lines = (shell or indented).replace("\\\n", " ").splitlines()
        found += [line.strip().removesuffix(" &&") for line in lines if line.strip().startswith("endoxa ")]
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [cell for row in rows for cell in re.findall(r"`(endoxa [a-z][^`]*)`", row)]
    return [*found, *filter(_is_whole, cells)]


def _is_whole(cell: str) -> bool:
    """Whether a cell of a table is a command that can be typed, not only the name of one."""
    words = shlex.split(cell)[1:]
    if any(re.fullmatch(r"[A-Z]+|\.\.\.", word) for word in words):
        return False
    command = get_command(app)
    while words and hasattr(command, "commands") and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    needs = any(parameter.required for parameter in command.params)
    return not hasattr(command, "commands") and (bool(words) or not (needs or _writes(command)))


def _writes(command: object) -> bool:
    return any("--out" in parameter.opts for parameter in command.params)


def reason_not_to_run(command: str) -> str:
    """Why a command is not run, or an empty text."""
    return next((reason for pattern, reason in NOT_RUN.items() if re.search(pattern, command)), "")


_SAID = {
    ("women", "gender", "en"): "caring kind patient gentle talkative",
    ("men", "gender", "en"): "strong brave stubborn proud loud",
    ("bakers", "profession", "en"): "patient friendly",
    ("drivers", "profession", "en"): "impatient rude",
    ("las mujeres", "gender", "es"): "pacientes amables",
    ("los hombres", "gender", "es"): "fuertes valientes",
}
"""Associations: what is said of whom."""
_RECIPES = """
endoxa curate extract survey.csv --map map.toml -o statements.csv
endoxa curate group statements.csv -o groups.csv
endoxa curate review export statements.csv -o ana.xlsx --reviewer Ana
endoxa curate review export statements.csv -o ben.xlsx --reviewer Ben
endoxa curate review apply statements.csv ana.xlsx -o reviewed.csv
endoxa build tests --axes gender --attributes career-family --language en -o tests.json
endoxa probe pairs --data pairs.csv --model hf/openai-community/gpt2 --rule sum --rule mean --out out/a
endoxa probe pairs --data pairs.csv --model hf/other/gpt2 --rule sum --rule mean --out out/b
endoxa probe pairs --data my-pairs.csv --model hf/other/gpt2 --rule sum --rule mean --out out/new
endoxa probe embeddings --tests tests.json --model hf/google-bert/bert-base-uncased --out out/bert
endoxa probe qa --data Nationality.jsonl --model sim/biased --out out/q1
endoxa build names Nationality.jsonl -o names.jsonl
endoxa probe qa --data names.jsonl --model sim/biased --out out/q2
endoxa build stories --language en --language hi --attribute gender -o prompts.jsonl
endoxa probe stories --data prompts.jsonl --model sim/teller --out out/s1
endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --out out/s2
endoxa analyze associations out/s2 -o assoc.csv
endoxa analyze associations out/s2 --by language -o by_language.csv
endoxa probe harm --data assoc.csv --model sim/rater --out out/harm
endoxa author tuples identities.csv --model sim/author -o tuples.csv
endoxa collect init camp --preset laces --organisation Lab --contact lab@example.org
endoxa collect export camp -o export
endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --out out/s2 --sheet check.xlsx --sample 5
"""
"""What fills the pantry, besides files of the tutorials."""
_COPIES: Mapping[str, tuple[str, ...]] = {
    "survey.csv": ("export.csv", "next.csv"),
    "map.toml": ("survey.toml",),
    "statements.csv": ("out/statements.csv", "new_statements.csv", "rows.csv"),
    "groups.csv": ("out/groups.csv",),
    "associations.csv": ("out/associations.csv", "mine.csv", "other.csv", "seegull.csv"),
    "pairs.csv": ("out/pairs.csv",),
    "assoc.csv": ("out/assoc.csv",),
    "names.jsonl": ("out/names.jsonl",),
    "Nationality.jsonl": ("questions.jsonl", "bbq/Religion.jsonl"),
    "out/a": ("out/gpt2", "out/run", "out/run-a", "out/run1", "out/three"),
    "out/b": ("out/run-b", "out/run2"),
    "out/bert": ("out/r4", "out/muril"),
    "out/harm": ("out/s3", "out/harm_models"),
    "camp": ("campaign", "out/panel"),
}
"""Other names that the manual has for a file or run."""


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows (a comment `file: NAME` stands before them)."""
    for part in PARTS.finditer(page.read_text(encoding="utf-8")):
        if part["note"] == "file":
            (folder / part["about"].strip()).write_text(part["body"], encoding="utf-8")


def stock(folder: Path, shared: Path) -> Pantry:
    """Fill a pantry with files of the tutorials, and what a few commands make of them."""
    (folder / "out").mkdir(parents=True)
    for page in ("survey", "own-pairs"):
        write_files(HOME / f"{page}.md", folder)
    rows = [(*who, word) for who, words in _SAID.items() for word in words.split()]
    lines = [
        f"a{number},{identity},{word},{axis},{language},3"
        for number, (identity, axis, language, word) in enumerate(rows)
    ]
    header = "association_id,identity,attribute,axis,language,support"
    (folder / "associations.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    (folder / "identities.csv").write_text("identity,axis\nbakers,profession\n", encoding="utf-8")
    shutil.copy(folder / "pairs.csv", folder / "my-pairs.csv")
    _copy(shared / "data/bbq/additional_metadata.csv", folder / "bbq/additional_metadata.csv")
    questions = (shared / "data/bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()[:80]
    (folder / "Nationality.jsonl").write_text("\n".join(questions) + "\n", encoding="utf-8")
    models = {kind: shared / f"data/models/tiny-{kind}" for kind in ("gpt2", "bert", "t5")}
    pantry = Pantry(folder, models, shared)
    kitchen = Kitchen(folder, pantry)
    for command in _RECIPES.strip().splitlines():
        kitchen.run(command)
    for name, others in _COPIES.items():
        for other in others:
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            if not (folder / other).exists():
                (folder / other).symlink_to(folder / name)
    return pantry
