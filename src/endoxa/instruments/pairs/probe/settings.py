"""What a run of sentence pairs is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field

from endoxa.models.spec import ModelOptions
from endoxa.runs.options import DEFAULT_CONFIDENCE, EngineOptions, RunConfidence
from endoxa.runs.settings import RunSettings
from endoxa.schema import ReadOptions
from endoxa.schema.options import ASKING, DATA, Internal, Option, Setting, column_names


class PairsSettings(RunSettings):
    """Settings of `endoxa probe pairs`; `run.json` keeps them, and a run can be repeated from there.

    Attributes:
        data: file of pairs, or the name of a registered data set.
        models: models as written on the command line.
        rules: rule names; empty takes the usual rule of each architecture.
        format: format of the file; None recognises it.
        columns: our name of a column -> the file's.
        prefix: word(s) before every identity, for S-AS tables.
        template: sentence template, for S-AS tables.
        identities: table of groups in the place of endoxa's own, see `endoxa.sources.groups`.
        languages: only pairs in these languages; a single one also names the language of a file that does
            not say.
        limit: only the first so many pairs.
        calibrate: also score the same sentences about other identities, where the data names the identity.
        skip_unscorable: leave pairs out that a model cannot score, and list them, instead of stopping.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap and the permutation tests.
        notice: what every page made from the run must say first ("planted models").
        options: how models are loaded.
        engine: where local weights run.
        chunk: pairs held in memory at a time.
    """

    data: Annotated[
        str,
        Option("File of pairs, `sample`, or the name of a downloaded data set.", DATA, metavar="FILE|NAME"),
    ]
    models: Annotated[
        tuple[str, ...],
        Option(
            "Model: hf/ID-OR-FOLDER or http://HOST:PORT/v1#NAME; repeatable.",
            DATA,
            name="--model",
            metavar="MODEL",
        ),
    ] = ()
    rules: Annotated[
        tuple[str, ...],
        Option(
            "Scoring rule; repeatable.", ASKING, name="--rule", metavar="RULE", default="one per architecture"
        ),
    ] = ()
    format: Annotated[
        str | None,
        Option(
            "Format of the file, a name of `endoxa datasets list`.",
            DATA,
            metavar="NAME",
            default="recognised",
        ),
    ] = None
    columns: Annotated[
        Mapping[str, str],
        Option(
            "What the file calls our columns: sent_more=stereotype,sent_less=other.",
            DATA,
            metavar="OURS=THEIRS,...",
            parse=column_names,
        ),
    ] = Field(default_factory=dict)
    prefix: Annotated[
        str | None,
        Setting("S-AS tables: words before every identity ('African').", DATA, metavar="WORDS"),
    ] = None
    template: Annotated[
        str | None,
        Setting("S-AS tables: sentence with {identity} and {attribute}.", DATA, metavar="TEXT"),
    ] = None
    identities: Annotated[
        Path | None,
        Option(
            "Your own table of groups (CSV: group, words, axis), by which pairs are counted.",
            DATA,
            metavar="FILE",
            default="endoxa's, for CrowS-Pairs and IndiBias",
        ),
    ] = None
    languages: Annotated[
        tuple[str, ...],
        Option(
            "Use only pairs in this language; repeatable. One alone is also the language of a file without any.",
            DATA,
            name="--language",
            metavar="CODE",
        ),
    ] = ()
    calibrate: Annotated[
        bool, Option("Also score the same sentences about other groups, or 'people' and 'they'.", ASKING)
    ] = True
    skip_unscorable: Annotated[
        bool, Option("List pairs that cannot be scored instead of stopping.", ASKING, only_on=True)
    ] = False
    confidence: RunConfidence = DEFAULT_CONFIDENCE
    options: ModelOptions = ModelOptions()
    engine: EngineOptions = EngineOptions()
    chunk: Annotated[int, Internal(decides=False)] = Field(default=1024, ge=1)

    def with_earlier(self, before: Mapping[str, Any]) -> Self:
        """These settings with the rules of a finished run in front; where none is new, with just these."""
        if not before.get("finished"):
            return self
        stated = tuple(before["settings"].get("rules", ()))
        if self.rules == stated:
            return self
        scored = stated or tuple(dict.fromkeys(rule for model in before["models"] for rule in model["rules"]))
        added = tuple(rule for rule in self.rules or self._usual_rules() if rule not in scored)
        return self.model_copy(update={"rules": (*scored, *added) if added else stated})

    def _usual_rules(self) -> tuple[str, ...]:
        """The usual rule of each architecture among the models."""
        from endoxa.instruments.pairs.rules import DEFAULT_RULES
        from endoxa.models.scoring import look_at, parse_model

        kinds = [look_at(parse_model(text), self.options).architecture for text in self.models]
        return tuple(dict.fromkeys(DEFAULT_RULES[kind] for kind in kinds))

    def asked(self) -> dict[str, Any]:
        """What decides estimates and report besides the records."""
        return {"confidence": self.confidence, "seed": self.seed}

    def read_options(self) -> ReadOptions:
        """What the reader of the data is told."""
        return ReadOptions(
            chunk_rows=self.chunk,
            language=self.languages[0] if len(self.languages) == 1 else None,
            prefix=self.prefix,
            template=self.template,
            columns=self.columns,
        )
