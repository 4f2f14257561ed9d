"""`endoxa export`: release a data set, or make a task for another harness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from endoxa.commands.datasets import PairsFile, Reading
from endoxa.commands.verbs import Outcome, add_command, argument, command_group, note
from endoxa.report.words import plural
from endoxa.schema.options import DATA, ITEMS, OUTPUT, Option

app = command_group("export")

Folder = Annotated[Path, Option("Folder to create.", OUTPUT, short="-o", metavar="DIR")]
Overwrite = Annotated[bool, Option("Replace an earlier export, unless it was edited.", OUTPUT, only_on=True)]


def hub(
    dataset: Annotated[Path, argument(metavar="DATASET")],
    *,
    out: Folder,
    name: Annotated[str | None, Option(group=OUTPUT, metavar="TEXT", default="name of the file")] = None,
    license: Annotated[str | None, Option(group=OUTPUT, metavar="ID")] = None,  # noqa: A002
    license_file: Annotated[Path | None, Option(group=DATA)] = None,
    citation: Annotated[Path | None, Option(group=DATA, default="made from --facts")] = None,
    facts: Annotated[Path | None, Option(group=DATA)] = None,
    keep: Annotated[tuple[str, ...], Option(group=OUTPUT, metavar="COLUMN")] = (),
    reading: Reading,
    overwrite: Overwrite = False,
) -> Outcome:
    """Make a folder for the Hugging Face hub: data, data card, licence, citation, checksums.

    Columns that describe respondents are left out unless named with --keep. Missing facts in the data card are marked
    '[open: ...]' and listed at the end.

    \b
    Examples:
      endoxa export hub pairs.csv -o release --name "Our pairs" --license CC-BY-4.0
      endoxa export hub associations.csv -o release --facts facts.toml --citation CITATION.cff
      endoxa export hub statements.csv -o release --keep country

    Options:
        dataset: File of pairs, or table of associations or statements.
        name: Title.
        license: SPDX id of the licence (CC-BY-4.0). There is no default.
        license_file: Text of the licence, copied to LICENSE.
        citation: CITATION.cff.
        facts: Answers for the data card (.toml).
        keep: Also release this column; repeatable.
    """  # noqa: D301
    from endoxa.export.datasheet import read_facts
    from endoxa.export.hub import export_hub
    from endoxa.export.licences import Terms
    from endoxa.export.material import read_material

    material = read_material(dataset, reading.options(), reading.format, list(keep))
    if material.identifying:
        note(f"{plural(material.identifying, 'row')} left out: flagged 'identifier'.")
    if material.unplaced:
        note(
            f"{material.unplaced} associations with few respondents written without their region (--keep region "
            "keeps it)."
        )
    terms = Terms.of(license, license_file, citation)
    released = export_hub(material, out, terms, read_facts(facts), name=name, overwrite=overwrite)
    lines = [f"{material.table.height} {material.kind} written to {out}"]
    if material.left_out:
        lines.append(f"Columns left out: {', '.join(material.left_out)} (release one with --keep COLUMN).")
    for warning in released.warnings:
        note(f"Warning: {warning}")
    if released.open:
        places = sum(released.open.values())
        lines.append(f"{places} places are marked '[open: ...]'. Fill them in, in the files or with --facts:")
        lines += [f"  {key}" for key in released.open]
    return Outcome(lines)


def task(
    file: PairsFile,
    *,
    harness: Annotated[Literal["lm-eval", "inspect"], Option(group=OUTPUT, name="--for")],
    out: Folder,
    name: Annotated[
        str | None, Option(group=OUTPUT, metavar="NAME", default="'endoxa_' and the name of the file")
    ] = None,
    seed: Annotated[int, Option(group=ITEMS)] = 0,
    reading: Reading,
    overwrite: Overwrite = False,
) -> Outcome:
    """Make a task for lm-evaluation-harness or Inspect.

    lm-eval scores pairs by the likelihood of whole sentences; with inspect, chat models choose between the two
    sentences of a pair, in both orders.

    \b
    Examples:
      endoxa export task pairs.csv --for lm-eval -o task
      endoxa export task crows_pairs.csv --for lm-eval -o task --name crows_published
      endoxa export task pairs.csv --for inspect -o task --seed 7

    Options:
        harness: Harness that runs the task.
        name: lm-eval: name of the task.
        seed: inspect: random seed for the order of samples.
    """  # noqa: D301
    from endoxa.export.harnesses import export_inspect, export_lm_eval
    from endoxa.export.material import read_pairs_material

    material = read_pairs_material(file, reading.options(), reading.format)
    if harness == "inspect":
        export_inspect(material, out, seed=seed, overwrite=overwrite)
        return Outcome(
            (
                f"{2 * material.table.height} samples ({material.table.height} pairs in both orders) written.",
                f"Run them with: cd {out} && inspect eval task.py --model openai/NAME",
            )
        )
    group = export_lm_eval(material, out, name=name, overwrite=overwrite)
    return Outcome(
        (
            f"{material.table.height} pairs written to {out}. Run them with:",
            f"lm_eval --include_path {out} --tasks {group} --model hf --model_args pretrained=MODEL",
        )
    )


add_command(app, hub)
add_command(app, task)
