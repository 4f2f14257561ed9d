"""Published sources by name: what they are, where they are, and fetching them on request.

The list is `sources.toml`. A file is taken from its published address, from another address or from a
folder, is checked against the hash in the list, and is kept in the user's cache folder; a good copy there
is used without any network.
"""

from __future__ import annotations

import logging
import shutil
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.sources.files import near_names, sha256
from endoxa.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A published file.

    Attributes:
        name: word on the command line.
        title: one line: what it holds, in which language, from where.
        format: name of the reader; empty where it holds no pairs.
        licence: as stated by its authors, or 'none stated'.
        citation: the publication.
        warning: content notice.
        url: address, pinned to a commit; of a sample that comes with endoxa its file in the folder `samples`.
        sha256: hash of the file; empty where none is published.
        note: what else one must know.
    """

    name: str
    title: str
    format: str = ""
    licence: str = "CC0-1.0"
    citation: str = "The endoxa authors."
    warning: str = (
        "Made up and collected from nobody: it shows how endoxa works, not which stereotypes matter."
    )
    url: str = ""
    sha256: str = ""
    note: str = ""

    @property
    def is_sample(self) -> bool:
        """Whether the file comes with endoxa."""
        return "/" not in self.url

    @property
    def file_name(self) -> str:
        """Name of the file, as published."""
        return self.url.rpartition("/")[2]


SAMPLE = "sample"
SAMPLES = Path(__file__).with_name("samples")


@cache
def sources() -> Mapping[str, PublishedFile]:
    """Every source by name."""
    listed = tomllib.loads(files("endoxa.sources").joinpath("sources.toml").read_text(encoding="utf-8"))
    return {name: PublishedFile(name=name, **fields) for name, fields in listed.items()}


def source(name: str) -> PublishedFile:
    """The source called `name`. Raises UserError with the nearest names where there is none."""
    all_sources = sources()
    if name not in all_sources:
        _refuse_layout(name)
        near = get_close_matches(name, all_sources, n=3) or list(all_sources)
        raise UserError(f"Unknown data set '{name}'. Did you mean: {', '.join(near)}?")
    return all_sources[name]


def _refuse_layout(name: str) -> None:
    """Raise UserError where a name is that of a published layout whose file has to be given."""
    from endoxa.sources.layouts import layouts

    if layout := layouts().get(name.lower()):
        raise UserError(layout.needed)


def cache_folder(name: str) -> Path:
    """Where the file of a source is kept when no folder is named."""
    from platformdirs import user_cache_path

    return user_cache_path("endoxa") / "datasets" / name


def cached_file(wanted: PublishedFile) -> Path:
    """Where the file of a source is, or would be, when no folder is named."""
    if wanted.is_sample:
        return SAMPLES / wanted.file_name
    return cache_folder(wanted.name) / wanted.file_name


def download(name: str, mirror: str | None = None, folder: Path | None = None) -> Path:
    """Fetch the file of a source, unless a good copy is there already, and check its hash.

    Args:
        name: a name of `sources()`.
        mirror: a folder that holds the file, or an http(s) address below which it lies; None: where it is
            published.
        folder: where to put it; None: the cache folder.

    Raises:
        UserError: unknown name, nothing at the mirror, no network, or a file with another hash (which is
            not kept).
    """
    wanted = source(name)
    mirror = str(SAMPLES) if wanted.is_sample and mirror is None else mirror
    target = (folder or cache_folder(name)) / wanted.file_name
    if target.is_file() and wanted.sha256 in ("", sha256(target)):
        return target
    address, fetch = _address(wanted, mirror)
    try:
        import pooch

        pooch.get_logger().setLevel(logging.WARNING)
        digest = f"sha256:{wanted.sha256}" if wanted.sha256 else None
        pooch.retrieve(address, known_hash=digest, fname=target.name, path=target.parent, downloader=fetch)
    except ValueError as error:  # pooch: the hash differs; it has removed what it fetched
        raise UserError(
            f"{address} is not the published {wanted.file_name}: its SHA-256 is not {wanted.sha256}. "
            "The file was changed or damaged, and nothing was kept."
        ) from error
    except OSError as error:  # requests' exceptions are OSErrors too
        raise UserError(
            f"{address} cannot be downloaded ({type(error).__name__}). Without a network, copy "
            f"{wanted.file_name} into a folder and run: endoxa datasets convert {name} --mirror FOLDER"
        ) from error
    return target


def _address(wanted: PublishedFile, mirror: str | None) -> tuple[str, Callable[..., None] | None]:
    """Where to fetch from, and how where that is no network address."""
    if mirror is None:
        return wanted.url, None
    if mirror.startswith(("http://", "https://")):
        return f"{mirror.rstrip('/')}/{wanted.file_name}", None
    path = Path(mirror) / wanted.file_name
    if not path.is_file():
        near = near_names(path)
        hint = f" Did you mean: {', '.join(near)}?" if near else ""
        raise UserError(f"The mirror folder {mirror} has no file {wanted.file_name}.{hint}")
    return str(path), _copy


def _copy(url: str, output_file: str, pooch: object) -> None:  # noqa: ARG001 (the signature pooch calls)
    shutil.copyfile(url, output_file)


def named_file(text: str, sample: str = "") -> Source | None:
    """The file of the data set that a text names; None where it names none, or there is a file of that name.

    Args:
        text: a path or a name.
        sample: which sample the word `sample` stands for ("questions"); by default pairs.

    Raises:
        UserError: the data set is not downloaded.
    """
    name = f"{text}-{sample}" if text == SAMPLE and sample else text
    return None if Path(text).exists() or name not in sources() else locate(name)


def locate(text: str) -> Source:
    """The file meant by `--data TEXT`: a path, or the name of a source that has been downloaded.

    Raises:
        UserError: neither; says how to download it, or names files with a similar name.
    """
    path = Source.of(text)
    if path.exists():
        return path
    all_sources = sources()
    if text in all_sources:
        cached = cached_file(all_sources[text])
        if cached.is_file():
            return Source.of(cached)
        raise UserError(f"'{text}' is not downloaded. Run: endoxa datasets convert {text}")
    _refuse_layout(text)
    near = [*near_names(path), *get_close_matches(text, all_sources, n=3)]
    hint = f"Did you mean: {', '.join(near)}?" if near else f"Known data sets: {', '.join(all_sources)}."
    raise UserError(f"There is no file or data set {text}. {hint}")
