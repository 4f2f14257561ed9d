"""Numbers of models that were given: sentence pairs and association tests; runs stay in `runs/` of the folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.association_tests.instrument import EMBEDDINGS
from endoxa.instruments.association_tests.items import build_tests, write_tests
from endoxa.instruments.association_tests.options import BuildOptions
from endoxa.instruments.association_tests.settings import EmbeddingsSettings
from endoxa.instruments.pairs.instrument import PAIRS
from endoxa.instruments.pairs.options import PairsSettings
from endoxa.instruments.pairs.rules import RULES
from endoxa.models.scoring import look_at, parse_model
from endoxa.report.words import slug
from endoxa.runs.folder import RECORDS, DifferentRunError
from endoxa.runs.run import run
from endoxa.schema import AssociationTest
from endoxa.sources.frames import read_table
from endoxa.sources.read import read_pairs
from endoxa.sources.spreadsheets import read_csv
from endoxa.study.reproduce.answers import model_matches
from endoxa.study.reproduce.catalogue import Key, Ours, PublishedResult
from endoxa.study.reproduce.run import Inputs, ModelMatch, ensure_folder


def of_every_model(
    declared: PublishedResult, inputs: Inputs, compute: Callable[[ModelMatch], Mapping[Key, Ours]]
) -> dict[Key, Ours]:
    """What is computed with each model that was given, over the printed cells.

    The cells of a model that cannot be scored are not computed, with the reason; the others go on.

    Args:
        declared: the result; the label of a model is one of the parts of the names of its cells.
        inputs: what the user gave.
        compute: ours of one model.

    Raises:
        DifferentRunError: the folder holds a run of the model with other options.
    """
    printed = declared.uncomputed(inputs, "no model was given for it (--model)")
    cells = dict(printed)
    for model in inputs.models:
        try:
            cells |= compute(model)
        except DifferentRunError:
            raise
        except (UserError, RuntimeError, MemoryError) as problem:
            failed = Ours(None, f"{model.model} cannot be scored: {str(problem).rstrip('.')}")
            keys = [key for key in printed if model.label in key[1].split(", ")]
            cells |= dict.fromkeys(keys or [("models that were given", model.label)], failed)
    return cells


def _require_models(declared: PublishedResult, inputs: Inputs) -> None:
    if not inputs.models:
        label, names = next(iter(declared.models.items()))
        raise UserError(
            f"{declared.name} needs weights: name at least one model, as in --model {names[0]}, or one that stands in "
            f"for a rehearsal, as in --model {label}=hf/FOLDER ({len(declared.models)} published models: "
            f"{', '.join(declared.models)})."
        )


def pairs(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """An estimate of sentence pairs, over all pairs and by axis, in each language of the table.

    A finished run of `endoxa probe pairs` in the data folder (`run`) takes the place of pairs and weights, where the
    table has one language.
    """
    settings = declared.settings
    languages = settings.get("languages", {"": ""})
    finished = inputs.find(f"run/{RECORDS}") if len(languages) == 1 else None
    if finished is None:
        path = declared.need(inputs, *settings["files"])
        _require_models(declared, inputs)
        for _ in read_pairs(path):  # to the end: its faults are no fault of a model
            pass
        number = read_table(path).height
    else:
        records = pl.read_parquet(finished, columns=["model", "item_id"])
        number = records["item_id"].n_unique()
        inputs.models = tuple(model_matches(records["model"], declared.models, inputs).values())
    fewer = declared.other_size(number)
    printed = {cell.key for cell in declared.cells(inputs)}

    def keys(axis: str, **parts: str) -> Sequence[Key]:
        templates = settings["cells"]["all" if axis == "all" else "axis"]
        named = [(table, cell.format(axis=axis, **parts)) for table, cell in templates]
        if axis != "all":
            return [key for key in named if key in printed or not settings.get("printed_axes")]
        return [key for key in named if key in printed] or named[:1]

    def of_model(model: ModelMatch) -> dict[Key, Ours]:
        computed: dict[Key, Ours] = {}
        for language, code in languages.items():
            options = {"part": code, "languages": (code,)} if code else {}
            folder = (
                finished.parent if finished else _run_pairs(inputs, model, path, settings["rules"], **options)
            )
            # A folder of an earlier call may hold another model in the same place.
            estimates = read_csv(folder / "estimates.csv", infer_schema_length=None).filter(
                pl.col("rule").is_in(settings["rules"]), model=model.model, name=settings["estimate"]
            )
            for axis, value in _by_axis(estimates, settings.get("axes")).items():
                ours = Ours.unless(value, model.why, fewer)
                computed |= dict.fromkeys(keys(axis, language=language, model=model.label), ours)
            spread: dict[str, Any] = settings.get("spread", {})
            overall = estimates.filter(axis="all").drop_nulls("value").select("value", "n")
            for value, n in overall.head(1).rows() if spread else ():
                table, cell = spread["cell"]
                key = table, cell.format(language=language, model=model.label)
                computed[key] = Ours.unless(sqrt(value * (100 - value) / n), spread["why"], model.why)
            if "t_test" in settings:
                scores = pl.read_parquet(folder / RECORDS).filter(
                    pl.col("rule").is_in(settings["rules"]), model=model.model
                )
                for key, tested in _t_tests(settings["t_test"], model.label, scores).items():
                    untested = "fewer than two pairs on this axis" if tested is None else ""
                    computed[key] = Ours.unless(tested, untested, model.why, fewer)
        return computed

    return of_every_model(declared, inputs, of_model)


def _t_tests(settings: Mapping[str, Any], model: str, scores: pl.DataFrame) -> dict[Key, float | None]:
    """Two-sided p-value of the paired t-test of both scores; and whether an axis alone prefers stereotypes so (1: yes).

    An axis with fewer than two pairs has no test.
    """
    from scipy.stats import ttest_rel

    def test(part: pl.DataFrame) -> Any:
        return ttest_rel(part["score_more"], part["score_less"], nan_policy="omit")

    table = settings["table"]
    values: dict[Key, float | None] = {
        (table, settings["cell"].format(model=model)): float(test(scores).pvalue)
    }
    for axis in settings["axes"]:
        part, key = scores.filter(axis=axis), (table, settings["axis_cell"].format(model=model, axis=axis))
        values[key] = None
        if part.height > 1:
            of_axis = test(part)
            values[key] = int(of_axis.statistic > 0 and of_axis.pvalue <= settings["level"])
    return values


def _by_axis(estimates: pl.DataFrame, axes: Sequence[str] | None) -> dict[str, float]:
    """Value by axis; the table's axes are told apart whatever their capitals, and no others are taken."""
    values = dict(estimates.unique("axis", maintain_order=True).select("axis", "value").iter_rows())
    if axes is None:
        return values
    lowered = {axis.lower(): value for axis, value in values.items()}
    return {axis: lowered[axis.lower()] for axis in axes if axis.lower() in lowered}


def _run_pairs(
    inputs: Inputs, model: ModelMatch, data: Path, rules: Sequence[str], *, part: str = "", **options: Any
) -> Path:
    """The folder of a finished run of sentence pairs; rules that do not fit the model's architecture are left out.

    Raises:
        UserError: model or data cannot be used, or no rule fits.
    """
    architecture = look_at(parse_model(model.model), inputs.options).architecture
    fitting = tuple(name for name in rules if RULES.get(name).architecture == architecture)
    if not fitting:
        raise UserError(
            f"{model.model} is {architecture}, and the published rules ({', '.join(rules)}) do not apply to it."
        )
    settings = PairsSettings(
        data=str(data),
        models=(model.model,),
        rules=fitting,
        calibrate=False,
        seed=inputs.seed,
        options=inputs.options,
        **options,
    )
    return _run(PAIRS, settings, inputs, model, part)


def _run(instrument: Any, settings: Any, inputs: Inputs, model: ModelMatch, part: str = "") -> Path:
    folder = inputs.out / "runs" / slug(f"{model.label} {part}")
    run(instrument, settings, folder, progress=inputs.progress)
    return folder


# ------------------------------------------------------------------ association tests


def name_of_test(row: str, attributes: Mapping[str, str]) -> str:
    """The name of a printed test, without the language: 'hindu_male/muslim_female/violence'.

    Raises:
        ValueError: a row of the printed tables that has no such form.
    """
    parts = re.fullmatch(r"(.+)/ (.+?)(?: Names| Terms), (./.)", row)
    if parts is None:
        raise ValueError(f"'{row}' names no test")
    groups = [re.sub(r" caste", "-caste", part.lower()).replace(" ", "_") for part in parts.groups()[:2]]
    return "/".join([*groups, attributes[parts[3]]])


def association_tests(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Effect sizes of the tests of every printed row in each language."""
    settings = declared.settings
    _require_models(declared, inputs)
    cells = [cell.key for cell in declared.cells(inputs)]
    rows = list(dict.fromkeys((table, cell.rsplit(", ", 2)[0]) for table, cell in cells))
    path = _write_tests(declared, inputs)

    def of_model(model: ModelMatch) -> dict[Key, Ours]:
        run = EmbeddingsSettings(
            data=str(path),
            models=(model.model,),
            poolings=(settings["pooling"],),
            seed=inputs.seed,
            draws=200,
            options=inputs.options,
        )
        folder = _run(EMBEDDINGS, run, inputs, model)
        estimates = read_csv(folder / "estimates.csv", infer_schema_length=None).filter(model=model.model)
        effects = dict(estimates.select("test", "value").iter_rows())
        computed: dict[Key, Ours] = {}
        for table, row in rows:
            for language, code in settings["languages"].items():
                key = (table, f"{row}, {language}, {model.label}")
                value = effects.get(f"{code}/{name_of_test(row, settings['attributes'])}")
                drafts = settings["drafts"].get(code, "")
                if key in cells or model.label == model.model:
                    computed[key] = Ours.unless(value, model.why, drafts)
        return computed

    return of_every_model(declared, inputs, of_model)


def _write_tests(declared: PublishedResult, inputs: Inputs) -> Path:
    """runs/tests.json in the folder: every test of the printed tables."""
    languages = tuple(declared.settings["languages"].values())
    tests: list[AssociationTest] = []
    for options in declared.settings["tests"]:
        axes, attributes = tuple(options["axes"]), tuple(options["attributes"])
        tests += build_tests(
            BuildOptions(axes=axes, attributes=attributes, languages=languages, wanted=options.get("wanted"))
        )
    path = ensure_folder(inputs.out / "runs") / "tests.json"
    write_tests(tests, path)
    return path
