"""Uploads of a released folder to the Hugging Face hub, by the hub's own library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from endoxa.errors import UserError, first_line, installation
from endoxa.models.spec import require_libraries
from endoxa.report.words import plural

_NAME = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)


def require_upload(repository: str) -> None:
    """Refuse an upload that cannot work, before anything is written.

    Raises:
        UserError: the name is no OWNER/NAME, or the hub's library is not installed.
    """
    if not _NAME.fullmatch(repository):
        raise UserError(f"--push {repository}: expected OWNER/NAME, as the hub writes it.")
    require_libraries("--push", ("huggingface_hub",), installation("hub"))


def require_complete(folder: Path, marks: Mapping[str, int], *, licensed: bool) -> None:
    """Refuse to publish what is not finished.

    Args:
        folder: the folder that was made.
        marks: open marks by the key of the missing fact.
        licensed: whether the data have a licence.

    Raises:
        UserError: there is no licence, or places are still open.
    """
    if not licensed:
        raise UserError(
            f"{folder} was made, but not uploaded: the data have no licence. Give one with --license."
        )
    if marks:
        raise UserError(
            f"{folder} was made, but not uploaded: {plural(sum(marks.values()), 'place')} are marked '[open: ...]' "
            f"({', '.join(marks)}). Answer them with --facts, or leave --push out, fill them in and use "
            f"`hf upload OWNER/NAME {folder} --repo-type dataset`."
        )


def planned(folder: Path) -> list[tuple[str, int]]:
    """The files that an upload of this folder sends, with their bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.relative_to(folder).as_posix(), path.stat().st_size) for path in files]


def push(folder: Path, repository: str, *, public: bool, message: str) -> str:
    """Upload a released folder as a data set.

    Files of an earlier release that are not in the folder are removed there, in the same commit.

    Args:
        folder: the folder.
        repository: OWNER/NAME; made where it does not exist.
        public: whether a new one can be seen by everybody; one that exists stays as it is.
        message: of the commit.

    Returns:
        Its address.

    Raises:
        UserError: the hub refused, or cannot be reached.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    hub = HfApi(library_name="endoxa")
    try:
        made = hub.create_repo(repository, repo_type="dataset", private=not public, exist_ok=True)
        hub.upload_folder(
            repo_id=repository,
            repo_type="dataset",
            folder_path=folder,
            delete_patterns="*",
            commit_message=message,
        )
    except (HfHubHTTPError, OSError, ValueError) as problem:
        reason = first_line(problem)
        raise UserError(
            f"The hub refused the upload to {repository}: {reason} (The folder {folder} is kept. Log in with "
            "`hf auth login`, or set HF_TOKEN.)"
        ) from problem
    return str(made)
