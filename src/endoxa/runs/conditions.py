"""Conditions: named ways of asking, or versions of local weights, that all measure the same items with the same seeds.

A file of them (TOML) has a table for each; what is in the table replaces options of the command. Each condition is an
ordinary run in a folder of its own. Nothing in the file grants anything: no code, no server, no key, no money.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, Generic

from endoxa.errors import UserError
from endoxa.runs.asking.cost import dollars_text, run_cost
from endoxa.runs.folder import CONDITIONS, RUN, conditions_in
from endoxa.runs.instrument import Instrument, Plan, Run, S
from endoxa.runs.options import as_setting, keywords, nearest
from endoxa.runs.run import read_run, run
from endoxa.schema import Progress
from endoxa.schema.options import (
    ASKING,
    LOCAL,
    OUTPUT,
    SAMPLING,
    OptionField,
    options_of,
    settings_from,
)
from endoxa.schema.typed import TRUST_REMOTE_CODE
from endoxa.sources.files import replacing
from endoxa.sources.toml import read_toml

PRESETS = Path(__file__).parent / "presets"
BASELINE = "baseline"
"""Name of the condition that the others are compared with; without it the first is."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_FIXED = ("repeats", "rules", "poolings", "language", "skip_unscorable")
"""Options that say what is measured of each item, so that conditions that differ in them could not be paired."""
_WEIGHTS = ("hf/", "st/")
"""Beginnings of models whose weights are loaded from files."""


@dataclass(frozen=True, slots=True)
class Conditions(Generic[S]):
    """All conditions of a command.

    Attributes:
        text: the file.
        each: settings of the run of each, by its name, which is that of its folder, in the order of the file.
    """

    text: str
    each: Mapping[str, S]

    @property
    def baseline(self) -> str:
        """The condition that the others are compared with."""
        return BASELINE if BASELINE in self.each else next(iter(self.each))


def presets() -> list[str]:
    """Names of the files of conditions that come with endoxa."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def varies(entry: OptionField) -> bool:
    """Whether an option may differ between conditions: it says how is asked, not what, and grants nothing."""
    name = entry.path[-1]
    return (
        entry.option.group in (ASKING, SAMPLING, LOCAL)
        and entry.option.decides is not False
        and name not in _FIXED
        and entry.name != TRUST_REMOTE_CODE
    )


def read_conditions(
    source: str, instrument: Instrument[S], typed: Mapping[tuple[str, ...], Any]
) -> Conditions[S]:
    """The conditions of a file, or of one that comes with endoxa.

    Args:
        source: name of the file, or of a preset.
        instrument: what measures them.
        typed: options of the command by path; each condition has them, unless it says otherwise.

    Raises:
        UserError: the file is no TOML, names what is no option, or an option that cannot be a condition.
    """
    path = Path(source).expanduser()
    preset = source in presets() and not path.exists()
    if preset:
        path = PRESETS / f"{source}.toml"
    elif not path.exists() and path.suffix != ".toml":
        hint = nearest(source, dict.fromkeys(presets()))
        raise UserError(
            f"There is no file of conditions {source}.{hint} Expected a TOML file, or {' or '.join(presets())}."
        )
    tables = read_toml(path)
    _require_names(source, tables)
    _require_single_output(instrument, typed)
    each = {}
    for name, table in tables.items():
        try:
            each[name] = _settings(table, instrument, typed, None if preset else path)
        except UserError as problem:
            raise UserError(f"{source}, [{name}]: {problem}") from problem
    return Conditions(path.read_text(encoding="utf-8-sig"), each)


def _require_names(source: str, tables: Mapping[str, Any]) -> None:
    if not tables:
        raise UserError(
            f"{source} contains no conditions. Expected a table for each, for example [baseline] and [careful]."
        )
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise UserError(
                f"{source}: '{name}' stands outside of the conditions. Put it into a table, for example [careful]."
            )
        if not _NAME.fullmatch(name) or name.lower() == CONDITIONS:
            raise UserError(
                f"{source}: the condition '{name}' cannot name a folder. Use letters, digits, '-', '_' and '.'."
            )


def _require_single_output(instrument: Instrument[S], typed: Mapping[tuple[str, ...], Any]) -> None:
    """Refuse a file that each condition would write anew.

    Raises:
        UserError: the command names one.
    """
    for entry in options_of(instrument.settings):
        if entry.path in typed and entry.is_file and entry.option.group == OUTPUT:
            raise UserError(f"With --conditions each run would write {entry.name} anew: leave it out.")


def _settings(
    table: Mapping[str, Any],
    instrument: Instrument[S],
    typed: Mapping[tuple[str, ...], Any],
    path: Path | None,
) -> S:
    """The settings of a condition: those of the command, and what its table says.

    Args:
        table: of the condition.
        instrument: what measures it.
        typed: see `read_conditions`.
        path: the file of conditions; None for one that comes with endoxa.

    Raises:
        UserError: it cannot have them.
    """
    options = keywords(instrument.settings)
    values: dict[tuple[str, ...], Any] = {}
    keys: dict[tuple[str, ...], str] = {}
    served = next(
        (model for model in typed.get(("models",), ()) if not str(model).startswith(_WEIGHTS)), None
    )
    for key, value in table.items():
        entry = _option(key, options, instrument.name)
        if entry.path in values:
            raise UserError(f"'{key}' says what '{keys[entry.path]}' says, too. Keep one of them.")
        values[entry.path], keys[entry.path] = _value(key, value, entry, path), key
        if entry.option.group == LOCAL and served is not None:
            raise UserError(
                f"'{key}' is for weights on this machine and would have no effect on the model '{served}'. Leave "
                "the model out, or the option."
            )
    try:
        return settings_from(instrument.settings, {**typed, **values})
    except UserError as problem:
        raise UserError(str(problem).removeprefix("--").removeprefix("set ")) from problem


def _option(key: str, options: Mapping[str, OptionField], instrument: str) -> OptionField:
    """The option that a key names.

    Raises:
        UserError: there is none, or it cannot be a condition.
    """
    word = key.replace("-", "_")
    entry = options.get(word)
    if entry is None:
        able = {name: option for name, option in options.items() if varies(option)}
        raise UserError(
            f"`endoxa probe {instrument}` has no option '{key}' for a condition.{nearest(word, able)}"
        )
    if not varies(entry):
        raise UserError(
            f"'{key}' cannot be a condition: all measure the same models on the same items with the same seeds, and a "
            f"file allows no code, server or money. Give {entry.name} to the command."
        )
    return entry


def _value(key: str, value: Any, entry: OptionField, path: Path | None) -> Any:
    """The value of an option as its settings take it.

    Raises:
        UserError: it cannot be read, or is a file elsewhere.
    """
    if isinstance(value, float) and not isfinite(value):
        raise UserError(f"'{key}' must be finite.")
    if isinstance(value, str) and entry.option.parse is not None:
        try:
            value = entry.option.parse(value)
        except (ValueError, UserError) as problem:
            raise UserError(f"'{key}': {problem}") from problem
    value = as_setting(entry, value)
    if not isinstance(value, str) or path is None or (not entry.is_file and entry.path[-1] != "adapter"):
        return value
    file = path.parent / Path(value).expanduser()
    if entry.path[-1] == "adapter":
        return str(file)
    if value.isidentifier() and not file.exists():
        return value  # the name of something that comes with endoxa
    if not file.resolve().is_relative_to(path.parent.resolve()):
        raise UserError(
            f"'{key}' names {file.resolve()}, which is not in the folder of {path}. Copy it there, or give "
            f"{entry.name} to the command."
        )
    if not file.is_file():
        raise UserError(f"'{key}': there is no file {file}.")
    return str(file)


def plan_conditions(instrument: Instrument[S], conditions: Conditions[S]) -> Plan:
    """What the runs of all conditions would take, in one table.

    Raises:
        UserError: there is no plan for this instrument, or data or models cannot be used.
    """
    if instrument.plan is None:
        raise UserError(f"There is no plan for `endoxa probe {instrument.name}`: leave out --plan.")
    plans = [(name, instrument.plan(settings)) for name, settings in conditions.each.items()]
    first = plans[0][1]
    notes = dict.fromkeys(plan.note for _, plan in plans if plan.note)
    costs = [plan.dollars for _, plan in plans if plan.dollars is not None]
    if len(costs) == len(plans) and any(most for _, most in costs):
        together = dollars_text(sum(low for low, _ in costs), sum(most for _, most in costs))
        notes[f"All conditions together: {together} US dollars."] = None
    return replace(
        first,
        columns=("condition", *first.columns),
        texts=first.texts + 1,
        rows=tuple((name, *row) for name, plan in plans for row in plan.rows),
        note="\n".join(notes),
    )


def run_conditions(
    instrument: Instrument[S],
    conditions: Conditions[S],
    out: Path,
    *,
    restart: bool = False,
    progress: Progress = lambda *_: None,
    command: Sequence[str] = (),
) -> dict[str, Run]:
    """Run every condition into a folder of its own below `out`, first those that were begun earlier.

    So a condition that has changed is refused before anything else is measured. `--max-cost` holds for all together.

    Args:
        instrument: what is measured.
        conditions: how.
        out: the folder of the runs.
        restart: discard the runs that are there.
        progress: told what is being done, with the name of the condition.
        command: the words of the command line, for each `run.json`.

    Returns:
        The runs by condition, in the order of the file.

    Raises:
        UserError: any user error; what was measured is kept.
    """
    names = list(conditions.each)
    _prepare(out, names, restart=restart)
    done: dict[str, Run] = {}
    try:
        for name in sorted(names, key=lambda name: _newness(out / name)):
            folder = out / name
            # Not before those that are finished were compared: the file stays true of them.
            if _newness(folder):
                _write_copy(out, conditions.text)
            counted = done if restart else [other for other in names if other != name]
            others = [out / other for other in counted if (out / other / RUN).exists()]

            def report(what: str, /, *state: Any, name: str = name) -> None:
                progress(f"{name}: {what}", *state)

            settings = _within_limit(conditions.each[name], folder, others)
            try:
                done[name] = run(
                    instrument, settings, folder, restart=restart, progress=report, command=command
                )
            except UserError as problem:
                raise UserError(f"Condition '{name}': {problem}") from problem
        _write_copy(out, conditions.text)
    finally:
        if not any((out / name).exists() for name in names):
            (out / CONDITIONS).unlink(missing_ok=True)
            if not any(out.iterdir()):
                out.rmdir()
    return {name: done[name] for name in names}


def _newness(folder: Path) -> int:
    """0 for a finished run, 1 for one that was begun, 2 for none."""
    if not (folder / RUN).exists():
        return 2
    try:
        return 0 if read_run(folder).get("finished") else 1
    except ValueError:  # damaged, as its own run will say
        return 1


def _write_copy(out: Path, text: str) -> None:
    """Write the file of conditions into the folder."""
    with replacing(out / CONDITIONS) as draft:
        draft.write_text(text, encoding="utf-8")


def _prepare(out: Path, names: Sequence[str], *, restart: bool) -> None:
    """Make the folder.

    Raises:
        UserError: it holds something else, or a condition that is left out now.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError(f"The run folder {out} cannot be created: {problem.strerror}.") from problem
    kept = out / CONDITIONS
    if not kept.exists():
        if not all(entry.name.removeprefix(".").startswith(CONDITIONS) for entry in out.iterdir()):
            raise UserError(
                f"The folder {out} is not empty and holds no runs of conditions. Choose another --out."
            )
    elif not restart and (missing := [name for name in conditions_in(out) if name not in names]):
        raise UserError(
            f"{out} holds a run of the condition '{missing[0]}', which the file does not have. Keep it in the "
            "file (others can be added), or choose another --out."
        )


def _within_limit(settings: S, folder: Path, others: Sequence[Path]) -> S:
    """The settings, with what the other conditions have left of --max-cost.

    Raises:
        UserError: nothing is left, and the run is not finished.
    """
    limit: float | None = getattr(settings, "max_cost", None)
    if limit is None:
        return settings
    spent = sum(map(run_cost, others))
    if spent < limit:
        return settings.model_copy(update={"max_cost": limit - spent})
    if (folder / RUN).exists() and read_run(folder).get("finished"):
        return settings
    raise UserError(
        f"The conditions have cost ${spent:.2f} together, and --max-cost is {limit:g}. Give a higher one to go on: "
        "everything measured is kept."
    )
