"""What users install: wheels in a bare environment, and the files of other installers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from endoxa.demo.planted import SAMPLE
from support.repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def newer_pythons() -> list[str]:
    """Newer Pythons that the machine has on its path."""
    names = filter(None, (shutil.which(f"python3.{minor}") for minor in range(12, 15)))
    return [
        name
        for name in names
        if subprocess.run([name, "-c", ""], capture_output=True, check=False).returncode == 0
    ]


@pytest.mark.slow
@pytest.mark.parametrize("python", [sys.executable, *newer_pythons()])
def test_the_wheels_work_in_a_bare_environment(python: str, tmp_path: Path) -> None:
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path / "dist"]
    built = subprocess.run(
        [*wheel, ROOT, ROOT / "packages/endoxa-collect"], capture_output=True, text=True, check=False
    )
    if "No matching distribution" in built.stderr:
        pytest.skip("hatchling cannot be had: there is no package index")
    assert built.returncode == 0, built.stderr
    [toolkit, site] = sorted((tmp_path / "dist").glob("*.whl"), key=lambda path: "collect" in path.name)
    run(python, "-m", "venv", "--without-pip", "bare", folder=tmp_path)
    bare = tmp_path / "bare/bin"
    install = [sys.executable, "-m", "pip", "--python", bare / "python", "install", "--quiet", "--no-compile"]
    subprocess.run([*install, "-c", ROOT / "constraints.txt", toolkit], check=True)

    assert run(bare / "endoxa", "--version", folder=tmp_path).strip() == "0.1.0"
    assert (
        "not installed"
        in subprocess.run(
            [bare / "endoxa", "collect"], capture_output=True, text=True, cwd=tmp_path, check=False
        ).stderr
    )
    (tmp_path / "pairs.csv").write_bytes(SAMPLE.read_bytes())
    assert "150 pairs" in run(bare / "endoxa", "export", "hub", "pairs.csv", "-o", "release", folder=tmp_path)
    assert (tmp_path / "release/README.md").is_file()
    subprocess.run([*install, "--no-deps", site], check=True)
    assert "collect" in run(bare / "endoxa", "--help", folder=tmp_path)


def test_pinned_libraries_accept_the_oldest_python_that_is_promised() -> None:
    """Debian 12 has 3.11.2: a pin that asks for 3.11.5 would end the first command of the README there."""
    least = PROJECT["requires-python"].removeprefix(">=")
    asked = {each.name: each.metadata["Requires-Python"] or "" for each in distributions()}
    assert len(asked) > 100
    assert [name for name, pythons in asked.items() if not SpecifierSet(pythons).contains(f"{least}.0")] == []


def test_other_installers_name_the_same_libraries_and_versions() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    wanted = [re.sub(r"^([\w-]+)", r"\1 ", dependency) for dependency in PROJECT["dependencies"]]
    assert [line for line in recipe["requirements"]["run"] if not line.startswith("python ")] == wanted
    least = re.findall(r"3\.\d+", PROJECT["requires-python"])
    settings = yaml.safe_load((ROOT / "packaging/conda/conda_build_config.yaml").read_text(encoding="utf-8"))
    assert settings["python_min"] == least
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    pythons = workflow["jobs"]["matrix"]["strategy"]["matrix"]["python"]
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    assert pythons == [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if "Python :: 3." in name]
    docker = (ROOT / "packaging/docker/Dockerfile").read_text(encoding="utf-8")
    extras = re.search(r"EXTRAS=(\S+)", docker)
    assert extras
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])
