"""A run: the output of an instrument, written once into a folder with a full record of it.

A killed run continues with the same command. Until it has measured something, the data may be corrected and the
command repeated. A model can be added to a finished run; only the new one is measured.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.runs.folder import (
    JOURNAL,
    NOTES,
    RECORDS,
    RUN,
    DifferentRunError,
    clear,
    data_notes,
    differences,
    earlier_run,
    now,
    remove_journal,
    run_facts,
    write_json,
)
from endoxa.runs.instrument import INSTRUMENTS, Instrument, Run, S, Work
from endoxa.runs.journal import AVAILABLE, JournalFile
from endoxa.schema import Progress
from endoxa.sources.collected import left_out_notes
from endoxa.sources.files import sha256
from endoxa.sources.source import reading_files
from endoxa.words.state import COMPONENTS_KEY, Used

log = logging.getLogger(__name__)


def run(
    instrument: Instrument[S],
    settings: S,
    out: Path,
    *,
    restart: bool = False,
    expected: dict[str, Any] | None = None,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Run:
    """Measure, estimate, report: leaves records, tables and a page in the run folder.

    Args: see `measure`.

    Raises:
        UserError: any user error.
    """
    with reading_files(include_drafts=settings.include_drafts):
        done = measure(
            instrument, settings, out, restart=restart, expected=expected, progress=progress, command=command
        )
        if instrument.estimate is None or not done.counts.get("records", 1):
            return done
        kept = settings.asked()
        facts = read_run(out)
        missing = any(not (out / name).exists() for name in instrument.outputs)
        if missing or facts.get("reported") != kept:
            items = done.counts["items"]
            progress("analyzing", items, items)
            instrument.estimate(settings, out, progress)
            if instrument.report is not None:
                progress("writing the report", items, items)
                if not _reported(instrument.report, settings, out):
                    return done
            # Last, so that the same command makes good a stop in between.
            write_json(out / RUN, {**read_run(out), "reported": kept})
    return done


def _reported(report: Callable[[S, Path], None], settings: S, out: Path) -> bool:
    """Write the page; False where it failed, which is said: what was measured and estimated does not depend on it."""
    try:
        report(settings, out)
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as problem:  # libraries in Rust raise panics that are no Exception
        log.warning(
            "The report of %s could not be written (%s). The run is finished and its estimates are kept: run the same "
            "command again.",
            out,
            str(problem).rstrip(".") or type(problem).__name__,
        )
        return False
    return True


def measure(
    instrument: Instrument[S],
    settings: S,
    out: Path,
    *,
    restart: bool = False,
    expected: dict[str, Any] | None = None,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> Run:
    """Measure every item with every model, and write records and `run.json` into the run folder.

    Args:
        instrument: what is measured.
        settings: how.
        out: the run folder.
        restart: discard what the folder holds.
        expected: identity of the run that this one must repeat; None where it need not.
        progress: told what is being done.
        command: the words of the command line, for `run.json`.

    Raises:
        UserError: any user error: data, model, key, money, folder.
    """
    with reading_files(include_drafts=settings.include_drafts):
        new = not out.exists()
        before = _earlier(instrument, out, restart=restart)
        try:
            _require_same_code(expected or (before or {}).get("identity", {}))
            if before is not None:
                settings = _with_earlier(settings, before, out)
            work = instrument.work(settings, out)
            _require_repeated(expected, work)
            components = _components_used(instrument, settings, before)
        except UserError:
            if new:
                out.rmdir()
            raise
        if before is not None:
            _require_same(before, work, out)
        if before and before.get("finished"):
            complete = Run(out, before, was_complete=True)
            added = _added(work, before)
            if not added and not (work.reopen and any(complete.errors.values())):
                return complete
            if work.keeps_journal and not (out / JOURNAL).exists():
                raise UserError(
                    f"Nothing can be added to the run {out}: its {JOURNAL} is missing. Choose another --out, or pass "
                    "--restart to measure everything again."
                )
        created = before["created"] if before else now()
        facts = run_facts(
            instrument.name, settings, work.identity, command, created=created, kind_facts=dict(work.facts)
        )
        facts["versions"] |= work.versions
        if components:
            facts[COMPONENTS_KEY] = components
        return Run(out, _measured(work, out, facts, before, progress), was_complete=False)


def outdated(instrument: Instrument[S], settings: S, out: Path) -> list[str]:
    """What differs between a finished run and what these settings would measure and estimate now; empty: nothing.

    Models that the run has besides make no difference.

    Raises:
        UserError: the data or the models cannot be used.
    """
    with reading_files(include_drafts=settings.include_drafts):
        before = read_run(out)
        work = instrument.work(_with_earlier(settings, before, out), out)
        if _added(work, before):
            return ["a model is not measured"]
        changes = work.changes_since(before["identity"])
        analysis = settings.asked()
        if instrument.estimate is not None and before.get("reported") != analysis:
            changes += differences(before.get("reported"), analysis, "estimates:") or [
                "estimates are missing"
            ]
        return changes


def read_run(folder: Path) -> dict[str, Any]:
    """What `run.json` of a run folder says."""
    facts: dict[str, Any] = json.loads((folder / RUN).read_text(encoding="utf-8"))
    return facts


def finished_run(folder: Path, *kinds: str) -> dict[str, Any]:
    """What `run.json` of a finished run of one of these kinds says.

    Raises:
        UserError: the folder holds no run, one of another kind, or one that is not finished.
    """
    commands = f"`endoxa probe {'|'.join(kinds)}`"
    try:
        facts = read_run(folder)
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise UserError(
            f"'{folder}' is not a run folder: no {RUN} found. Expected a folder written by {commands}."
        ) from problem
    except (ValueError, OSError) as problem:
        raise UserError(f"'{folder / RUN}' cannot be read as JSON: {problem}.") from problem
    kind = facts.get("kind") if isinstance(facts, dict) else None
    if kind not in kinds:
        holds = f"a run of kind '{kind}'" if kind else "no JSON object of a run"
        raise UserError(f"'{folder}' is not a finished run of {commands}: {RUN} holds {holds}.")
    if not facts.get("finished") or not (kind == "embeddings" or (folder / RECORDS).is_file()):
        raise UserError(f"The run '{folder}' is not finished. Run the same command again to continue.")
    return facts


def _earlier(instrument: Instrument[S], out: Path, *, restart: bool) -> dict[str, Any] | None:
    """The run that a folder holds; None where it holds none, or one that has measured nothing.

    Raises:
        UserError: the folder holds something else, or a run of another kind.
    """
    before = earlier_run(out, restart=restart)
    if before is None or (not before.get("finished") and _measured_nothing(out)):
        return None
    kind = before.get("kind")
    if kind != instrument.name:
        other = INSTRUMENTS.all().get(str(kind))
        holds = other.holds if other else f"a run of kind '{kind}'"
        raise DifferentRunError(f"{out} holds {holds}: name another folder with --out.")
    return before


def _measured_nothing(out: Path) -> bool:
    if not (out / JOURNAL).exists():
        return True
    with closing(JournalFile(out / JOURNAL, "")) as journal:
        return journal.empty()


def _components_used(instrument: Instrument[S], settings: S, before: Mapping[str, Any] | None) -> Used:
    """Components of endoxa's own words that the run rests on; an earlier run has noted them.

    Raises:
        UserError: the data cannot be read.
    """
    if before is not None:
        return dict(before.get(COMPONENTS_KEY, {}))
    return instrument.words(settings) if instrument.words else {}


def _with_earlier(settings: S, before: Mapping[str, Any], out: Path) -> S:
    """The settings with the models that the folder has already in front, so that they keep their numbers.

    Raises:
        UserError: the earlier run is not finished, and a model of it is not given: it is not measured unasked.
    """
    earlier = before.get("settings", {}).get("models", [])
    if not settings.models or len(set(settings.models)) < len(settings.models):
        return settings  # refused by the instrument
    left_out = [name for name in earlier if name not in settings.models]
    if left_out and not before.get("finished"):
        raise DifferentRunError(
            f"{out} holds an unfinished run of {', '.join(earlier)}. Give {', '.join(left_out)} with --model as well, "
            "choose another --out, or pass --restart to replace the run."
        )
    added = [name for name in settings.models if name not in earlier]
    return settings.model_copy(update={"models": (*earlier, *added)})


def _require_same_code(earlier: Mapping[str, Any]) -> None:
    """Refuse a model with Python code that is not as it was, before anything runs that code.

    Raises:
        DifferentRunError: a file of such a model has changed since the earlier run.
    """
    for model in earlier.get("models", []):
        folder = Path(model.get("name", "").partition("/")[2]).expanduser()
        if not (model.get("fingerprint") and folder.is_dir() and any(folder.rglob("*.py"))):
            continue
        from endoxa.models.checkpoint import fingerprint, fingerprint_of_parts

        if not {fingerprint(folder), fingerprint_of_parts(folder)} & set(model["fingerprint"].split("+")):
            raise DifferentRunError(
                f"The files of the model '{model['name']}' are not those of the run. Python code comes with this "
                "model, so it was not loaded. Look at the code; if you trust it, measure again without --repeat, in a "
                "new folder."
            )


def _require_repeated(expected: Mapping[str, Any] | None, work: Work) -> None:
    if expected is not None and (changed := work.changes_since(expected)):
        raise UserError(f"The run cannot be repeated: {'; '.join(changed)}.")


def _require_same(before: Mapping[str, Any], work: Work, out: Path) -> None:
    """Refuse another run than the one the folder holds; models behind the earlier ones are added to it.

    Raises:
        UserError: something else differs.
    """
    if changed := work.changes_since(before["identity"], more_models=True):
        raise DifferentRunError(
            f"The folder {out} holds a different run ({'; '.join(changed)}). Choose another --out, or pass --restart "
            "to replace it."
        )


def _added(work: Work, before: Mapping[str, Any]) -> list[Any]:
    """Identities of the models that are added to an earlier run, as they look in JSON."""
    added: list[Any] = json.loads(json.dumps(work.identity["models"][len(before["identity"]["models"]) :]))
    return added


def _measured(
    work: Work, out: Path, facts: dict[str, Any], before: dict[str, Any] | None, progress: Progress
) -> dict[str, Any]:
    """Fill the folder; returns `run.json`."""
    journal = work.journal(out / JOURNAL)  # from here on the folder is ours alone
    try:
        if before is None:
            clear(out)
            journal.clear()
        if before and before.get("finished"):
            added = _added(work, before)
            wanted = takewhile(
                lambda pair: pair[0] == pair[1], zip(added, before.get("adding", []), strict=False)
            )
            journal.forget_models(len(before["identity"]["models"]) + len(list(wanted)))
            write_json(out / RUN, {**before, "adding": added})
        else:
            write_json(out / RUN, facts)
        progress("reading the data", 0, 0)
        items = work.scan(journal)
        facts |= work.measure(journal, items, before or {}, progress)
        _require_unchanged(work.files)
        progress("writing records", items, items)
        part = {} if work.available is None else {AVAILABLE: work.available()}
        if notes := left_out_notes():
            facts["data"] = {**facts.get("data", {}), NOTES: [*data_notes(facts), *notes]}
        facts["counts"] = {"items": items, **part, **work.write(journal, out)}
    except UserError:
        # A start that failed before anything was measured must not block the corrected command.
        failed_start = before is None and journal.empty()
        journal.close()
        if failed_start:
            _remove_start(out)
        raise
    finally:
        journal.close()
    facts = {**json.loads(json.dumps(facts)), "finished": now()}
    write_json(out / RUN, facts)
    if not work.keeps_journal:
        remove_journal(out)
    return facts


def _remove_start(out: Path) -> None:
    """Remove what a start leaves in a run folder, and the folder where nothing else is in it."""
    remove_journal(out)
    clear(out)
    if not any(out.iterdir()):
        out.rmdir()


def _require_unchanged(files: Mapping[Path, str]) -> None:
    """Refuse to write records of other data than was measured.

    Raises:
        UserError: a file is not what it was when the run began.
    """
    for path, expected in files.items():
        if not path.is_file() or sha256(path) != expected:
            raise UserError(
                f"{path} was changed during the run, so answers might not match their items. Restore the file and run "
                "the same command again, or start over with --restart."
            )
