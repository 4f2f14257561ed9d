"""Sample files for the commands of the manual: a small one for each name that the manual uses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from openpyxl import load_workbook

from endoxa.sources.sources import SAMPLES
from endoxa.sources.stereotales.associations import PARTS
from support.harm_samples import write_people
from support.manual import SampleFiles, Workspace, copy, write_files
from support.repository import ROOT
from support.tutorials import HOME

_SAID = {
    ("women", "gender", "en"): "caring kind patient gentle talkative",
    ("men", "gender", "en"): "strong brave stubborn proud loud",
    ("bakers", "profession", "en"): "patient friendly",
    ("drivers", "profession", "en"): "impatient rude",
    ("las mujeres", "gender", "es"): "pacientes amables",
    ("los hombres", "gender", "es"): "fuertes valientes",
}
"""Associations: what is said of whom."""
_COMMANDS = """
endoxa curate extract survey.csv --map map.toml -o statements.csv
endoxa curate group statements.csv -o groups.csv --encoder same-words
endoxa curate review statements.csv -o ana.xlsx --reviewer Ana
endoxa curate review statements.csv -o ben.xlsx --reviewer Ben
endoxa build tests --axes gender --attributes career-family --language en -o tests.json
endoxa probe pairs --data pairs.csv --model hf/openai-community/gpt2 --rule sum --rule mean --out out/a
endoxa probe pairs --data pairs.csv --model hf/other/gpt2 --rule sum --rule mean --out out/b
endoxa probe pairs --data my-pairs.csv --model hf/other/gpt2 --rule sum --rule mean --out out/new
endoxa probe embeddings --data tests.json --model hf/google-bert/bert-base-uncased --out out/bert
endoxa probe qa --data Nationality.jsonl --model sim/biased --out out/q1
endoxa probe qa --data Nationality.jsonl --model sim/fair --out out/qa-b
endoxa probe qa --data Nationality.jsonl --model sim/biased --model sim/fair --out out/models
endoxa build choices associations.csv --kind decision -o decisions.jsonl
endoxa build qa --names Nationality.jsonl -o names.jsonl
endoxa probe qa --data names.jsonl --model sim/biased --out out/q2
endoxa build stories --language en --language hi --attribute gender -o prompts.jsonl
endoxa probe stories --data prompts.jsonl --model sim/teller --out out/s1
endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --out out/s2
endoxa analyze associations out/s2 -o assoc.csv
endoxa analyze associations out/s2 --by language -o by_language.csv
endoxa probe harm --data assoc.csv --model sim/rater --out out/harm
endoxa author tuples identities.csv --model sim/author -o tuples.csv
endoxa author translate pairs.csv --to fr --model sim/translator-a --model sim/translator-b -o candidates.csv
endoxa collect init camp --preset laces --organisation Lab --contact lab@example.org
endoxa collect print camp -o cards.html --sheets 6
endoxa probe extract --data out/s1 --model sim/reader-a --model sim/reader-b --out out/s2 \
  --sheet check.xlsx --set sheet_rows=5
"""
"""What makes sample files that people fill in or that they need not."""
_AFTER_PEOPLE = """
endoxa curate review statements.csv ana.xlsx -o reviewed.csv
endoxa curate review tuples.csv votes_items.csv -o judged.csv
endoxa analyze run out/harm --human panel.csv -o harm.csv
endoxa collect import camp cards-answers.csv
endoxa collect export camp -o export
"""
"""What makes the other sample files."""
_COPIES: Mapping[str, tuple[str, ...]] = {
    "survey.csv": ("export.csv", "next.csv"),
    "map.toml": ("survey.toml",),
    "statements.csv": ("out/statements.csv", "new_statements.csv", "rows.csv"),
    "groups.csv": ("out/groups.csv",),
    "associations.csv": ("out/associations.csv", "mine.csv", "other.csv", "seegull.csv", "said.csv"),
    "pairs.csv": ("out/pairs.csv", "survey-pairs.csv", "pairs_pairs.csv", "crows_pairs.csv"),
    "panel.csv": ("out/harm.csv",),
    "harm.csv": ("harm/associations.csv",),
    "assoc.csv": ("out/assoc.csv",),
    "names.jsonl": ("out/names.jsonl",),
    "Nationality.jsonl": ("questions.jsonl", "bbq/Religion.jsonl"),
    "out/a": ("out/gpt2", "out/run", "out/run-a", "out/run1", "out/three", "runs/in-use"),
    "out/b": ("out/run-b", "out/run2", "out/candidate"),
    "out/q1": ("out/qa-a", "out/plain", "out/2026-01", "out/2026-03"),
    "out/qa-b": ("out/careful", "out/2026-05"),
    "out/bert": ("out/r4", "out/muril"),
    "out/harm": ("out/s3", "out/harm_models", "out/harm-a", "out/harm-b"),
    "out/s2": ("out/profiles-a", "out/profiles-b"),
    "camp": ("campaign", "out/panel"),
}
"""Other names that the manual has for a file or run."""


def sample_files(folder: Path, shared: Path) -> SampleFiles:
    """Write sample files: pairs of a tutorial, a survey, what people fill in, and what a few commands make of them."""
    samples = SampleFiles(folder, shared)
    workspace = Workspace(folder, samples)
    (folder / "out").mkdir(parents=True)
    write_files(HOME / "own-pairs.md", folder)
    copy(SAMPLES / "sample-survey.csv", folder / "survey.csv")
    copy(SAMPLES / "sample-map.toml", folder / "map.toml")
    copy(folder / "pairs.csv", folder / "my-pairs.csv")
    rows = [(*who, word) for who, words in _SAID.items() for word in words.split()]
    said = pl.DataFrame(rows, ("identity", "axis", "language", "attribute"), orient="row").with_columns(
        support=3
    )
    said.with_row_index("association_id").write_csv(folder / "associations.csv")
    (folder / "identities.csv").write_text("identity,axis\nbakers,profession\n", encoding="utf-8")
    copy(ROOT / "examples/packs", folder / "examples/packs")
    copy(shared / "data/bbq/additional_metadata.csv", folder / "bbq/additional_metadata.csv")
    questions = (shared / "data/bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()[:80]
    (folder / "Nationality.jsonl").write_text("\n".join(questions) + "\n", encoding="utf-8")
    spanish = {"context": "Texto", "question": "Pregunta", "ans0": "A", "ans1": "B", "ans2": "C"}
    spanish |= {"label": "Correcta", "question_polarity": "Tipo"}
    asked = pl.read_ndjson(folder / "Nationality.jsonl").select(list(spanish)).rename(spanish)
    asked.write_csv(folder / "preguntas.csv")
    published = (shared / "data/afristereo/s_as_pairs.csv").read_text(encoding="utf-8").splitlines()[:13]
    (folder / "s_as.csv").write_text("\n".join(published) + "\n", encoding="utf-8")
    for command in _COMMANDS.strip().splitlines():
        workspace.run(command)
    _fill_in(folder)
    for command in _AFTER_PEOPLE.strip().splitlines():
        workspace.run(command)
    for name, others in _COPIES.items():
        for other in others:
            copy(folder / name, folder / other)
    return samples


def _fill_in(folder: Path) -> None:
    """Judge as people do, in the files that commands made for it."""
    _fill_workbook(folder / "ana.xlsx", {"decision": "keep"})
    _fill_workbook(folder / "ben.xlsx", {"decision": "keep"})
    _fill_workbook(folder / "check.xlsx", {"gender": "woman", "religion": "Christian"})
    drafts = pl.read_csv(folder / "tuples.csv").select("draft_id")
    drafts.with_columns(approved=pl.lit("yes")).write_csv(folder / "votes_items.csv")
    votes = [(item, rater, (item * rater) % 2) for item in range(6) for rater in range(3)]
    pl.DataFrame(votes, ("item_id", "rater", "vote"), orient="row").write_csv(folder / "votes.csv")
    rated = pl.read_csv(folder / "assoc.csv").select(PARTS)
    write_people(folder / "panel.csv", rated.head(12).to_dicts(), each=6)
    predicted = pl.read_ndjson(folder / "Nationality.jsonl").select(
        "category", "example_id", model=pl.lit("mine"), pred_index=pl.col("label")
    )
    predicted.write_csv(folder / "answers.csv")
    sheets = pl.read_csv(folder / "cards-answers.csv", infer_schema=False).with_row_index()
    sheets.with_columns(
        pl.lit("yes").alias("consent"),
        pl.lit("MX").alias("origins"),
        pl.lit("en").alias("languages"),
        *(
            (1 + (pl.col("index") * 3 + place) % 5).cast(pl.String).alias(name)
            for place, name in enumerate(sheets.columns)
            if name.startswith("card ")
        ),
    ).drop("index").write_csv(folder / "cards-answers.csv")


def _fill_workbook(path: Path, answers: Mapping[str, str]) -> None:
    """Write the same answers into every row of the first sheet."""
    book = load_workbook(path)
    sheet = book.worksheets[0]
    for heading in sheet[1]:
        for row in range(2, sheet.max_row + 1):
            if heading.value in answers and sheet.cell(row, 1).value:
                sheet.cell(row, heading.column).value = answers[heading.value]
    book.save(path)
