"""Chat models asked for a run: check, ask one after the other, record cost and time.

`asking_work` makes the work of a run from the conversations of one kind of run; the engine does the rest.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat import open_batch, open_chat
from endoxa.models.chat.presets import price_of
from endoxa.models.chat.spec import ChatSpec
from endoxa.models.retrying import SilentError
from endoxa.runs.asking.batches import ask_in_batches, fetch_ended
from endoxa.runs.asking.calls import Asking, Report, ask_all, counting_lost
from endoxa.runs.asking.cost import Budget, prices, require_askable, spent
from endoxa.runs.asking.jobs import ChatRunSettings, Job
from endoxa.runs.asking.journal import AnswerJournal, Totals
from endoxa.runs.asking.outcomes import AnswerCounts, count_lines, read_counts, write_counts
from endoxa.runs.executors import chat_model
from endoxa.runs.instrument import Run, Work
from endoxa.runs.journal import JournalError
from endoxa.schema import Message, Progress, Sampling, Usage
from endoxa.sources.served import fingerprint_sentences

log = logging.getLogger(__name__)

MOST_CAUSES = 5
"""Most frequent causes of failures, which the terminal names for each model."""

Score = Callable[[int, AnswerJournal, Report], dict[str, Any]]
"""Brings what a model of this number has to say into the journal without asking it; returns its facts."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What one kind of run asks.

    Attributes:
        settings: the run's settings.
        specs: its models, in the order of `settings.models`.
        contents: see `endoxa.runs.instrument.Work`; `data` is the SHA-256 of what is asked about.
        data: what `run.json` says of the data; `scan` may still complete it.
        scan: reads the data once, refuses duplicates, and counts the items.
        jobs: gives all jobs of a model anew, numbered upwards.
        turns: messages of each job.
        calls: calls that one item takes of one model.
        write: writes the records into the run folder, and counts what `run.json` keeps.
        outcomes: what became of the answers, from the records in the run folder.
        files: SHA-256 of each file that is read again when the records are written.
        available: see `endoxa.runs.instrument.Work`.
        score: in the place of asking, or None.
        enough: for weights that run here, see `endoxa.runs.asking.calls.Asking`.
    """

    settings: ChatRunSettings
    specs: Sequence[ChatSpec]
    contents: Mapping[str, Any]
    data: Mapping[str, Any]
    scan: Callable[[AnswerJournal], int]
    jobs: Callable[[], Iterable[Job]]
    turns: int
    calls: int
    write: Callable[[AnswerJournal, Path], dict[str, int]]
    outcomes: Callable[[Path], Sequence[AnswerCounts]]
    files: Mapping[Path, str] = field(default_factory=dict)
    available: Callable[[], int] | None = None
    score: Score | None = None
    enough: int | None = None


def asking_work(questions: Questions) -> Work:
    """The work of a run that asks.

    Raises:
        UserError: the models cannot be asked so (batches, bounded cost).
    """
    settings = questions.settings
    require_askable(settings, questions.specs)

    def measure(
        journal: AnswerJournal, items: int, before: Mapping[str, Any], progress: Progress
    ) -> dict[str, Any]:
        models = _Models(questions, journal, items * questions.calls, progress)
        facts = models.ask_all(before["models"] if before.get("finished") else [])
        used = {spec.text: models.usage(number) for number, spec in enumerate(questions.specs)}
        served = {spec.text: journal.served(number) for number, spec in enumerate(questions.specs)}
        return {"models": facts, "usage": used, "served": served}

    def write(journal: AnswerJournal, folder: Path) -> dict[str, int]:
        counts = questions.write(journal, folder)
        write_counts(questions.outcomes(folder), folder)
        return counts

    return Work(
        settings=settings,
        models=[dict(spec.host.identity(spec, settings.options)) for spec in questions.specs],
        contents=questions.contents,
        facts={"notice": settings.notice, "data": questions.data, "models": []},
        journal=AnswerJournal,
        scan=questions.scan,
        measure=measure,
        write=write,
        files=questions.files,
        available=questions.available,
        versions=versions(questions.specs),
        reopen=settings.retry_errors,
    )


@dataclass(frozen=True, slots=True)
class _Models:
    """The models of a run while they are asked; each goes by its number.

    Attributes:
        questions: what is asked.
        journal: where answers go.
        answers: how many each model is to give.
        progress: told what is being done.
    """

    questions: Questions
    journal: AnswerJournal
    answers: int
    progress: Progress

    def ask_all(self, earlier: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Bring the answers of all models into the journal; returns the models' facts.

        Args:
            earlier: facts of models whose run was finished before; those with all answers are not opened again.

        Raises:
            UserError: what went wrong with the models that could not be asked to the end.
        """
        settings, specs = self.questions.settings, self.questions.specs
        numbers = range(len(specs))
        for number in numbers:
            if warning := self.cut_off(number):
                log.warning("%s", warning)
            if settings.retry_errors:
                self.journal.forget_errors(number)
        pending = [number for number in numbers if self.journal.count(number) < self.answers]
        self.progress("checking the models", 0, 0)
        failed: dict[int, UserError] = {}
        if not self.questions.score:
            failed |= self.silent(pending)
        facts = []
        for number in numbers:
            if number < len(earlier) and number not in pending:
                facts.append(earlier[number])
                continue
            try:
                if number not in failed:
                    facts.append(self.collect(number))
            except JournalError:
                raise
            except UserError as problem:
                failed[number] = problem
            if number in failed and len(specs) > 1:
                log.warning("%s Continuing with the other models.", failed[number])
        if failed:
            raise _together(failed, len(specs))
        return facts

    def silent(self, numbers: Sequence[int]) -> dict[int, SilentError]:
        """Check every model that is asked from here, before the first question; the models that do not answer.

        Weights are not loaded: they are checked where the run's identity is made.

        Raises:
            UserError: wrong key, unknown model.
        """

        async def look(number: int) -> SilentError | None:
            spec = self.questions.specs[number]
            if spec.host.runs_here:
                return None

            def lost(_messages: Sequence[Message], _sampling: Sampling, tokens: Usage | None) -> None:
                if tokens is not None:
                    self.journal.add_lost(number, tokens, counted=True)

            chat = open_chat(spec, self.questions.settings.options, lost)
            try:
                await chat.check()
            except SilentError as problem:
                return problem
            finally:
                await chat.close()
            return None

        async def look_at_all() -> list[SilentError | None]:
            return await asyncio.gather(*map(look, numbers))

        outcomes = zip(numbers, asyncio.run(look_at_all()), strict=True)
        return {number: problem for number, problem in outcomes if problem is not None}

    def collect(self, number: int) -> dict[str, Any]:
        """Bring the answers of a model into the journal; returns the model's facts for `run.json`.

        Raises:
            UserError: no answer will come, or the budget is spent; what was answered is in the journal.
        """
        done = self.journal.count(number)

        def report(new: int, detail: str = "") -> None:
            nonlocal done
            done += new
            what = f"asking {self.questions.specs[number].text}"
            self.progress(what, done, self.answers, *filter(None, (detail,)))

        report(0)
        if self.questions.score:
            return self.questions.score(number, self.journal, report)
        return self.ask(number, report)

    def ask(self, number: int, report: Report) -> dict[str, Any]:
        """Ask a model what it has not answered yet; see `collect`."""
        settings, spec = self.questions.settings, self.questions.specs[number]
        budget = self.budget(number)
        lost = counting_lost(number, self.journal, budget)
        chat, copies = chat_model(spec, settings.options, lost, settings.engine)
        # Weights here write so many answers side by side: places would stay empty if fewer were asked for.
        at_once = max(settings.options.concurrency, chat.describe().get("batch_size", 0)) * copies
        enough = self.questions.enough if spec.host.runs_here else None
        asking = Asking(chat, number, settings.sampling, at_once, self.journal, budget, report, enough)
        if settings.batch or self.journal.batches(number):
            client = open_batch(spec, settings.options, worked=self.journal.worked(number))
            if settings.batch:
                asyncio.run(chat.close())  # it only names the model; the batches have a client of their own
                ask_in_batches(asking, client, self.questions.jobs, self.questions.turns)
                return dict(chat.describe())
            fetch_ended(asking, client)
        ask_all(asking, self.questions.jobs())
        return dict(chat.describe())

    def budget(self, number: int) -> Budget:
        """What a model may still spend: the limit less what all models have cost, or cost at most in batches."""
        settings, specs = self.questions.settings, self.questions.specs
        model_prices = prices(settings, specs)
        already = 0.0
        for k, spec in enumerate(specs):
            already += spent(self.journal.totals(k), model_prices[spec.text]) or 0.0
            if k != number:
                waiting = [Totals(1, batched=True, usage=batch.worst) for batch in self.journal.batches(k)]
                already += spent(waiting, model_prices[spec.text]) or 0.0
        return Budget(settings.max_cost, model_prices[specs[number].text], already)

    def cut_off(self, number: int) -> str:
        """Count the calls as lost that were under way when the run was stopped; what is said of them, or nothing."""
        spec = self.questions.specs[number]
        price = price_of(spec, self.questions.settings.price)
        lost = self.journal.lose_calls(number)
        most = spent([lost], price)
        if not most:
            return ""
        calls, they = ("1 call was", "it") if lost.calls == 1 else (f"{lost.calls} calls were", "they")
        return (
            f"{spec.text}: {calls} under way when the run was stopped; {they} may have been billed: at most "
            f"${most:.4f}."
        )

    def usage(self, number: int) -> dict[str, Any]:
        """Calls, tokens, cost and failures (with their causes) of a model, for `run.json`.

        "lost_calls" may be billed though no answer came. Their tokens are not known: they are in "most_cost_usd" alone,
        at their most, which is what --max-cost counts.
        """
        totals, causes = self.journal.totals(number), self.journal.causes(number)
        counted = [total for total in totals if total.counted]
        price = price_of(self.questions.specs[number], self.questions.settings.price)
        return {
            "calls": sum(total.calls for total in counted),
            "prompt_tokens": sum(total.usage.prompt_tokens for total in counted),
            "completion_tokens": sum(total.usage.completion_tokens for total in counted),
            "reasoning_tokens": sum(total.usage.reasoning_tokens for total in counted),
            "lost_calls": sum(total.calls for total in totals if not total.counted),
            "errors": sum(causes.values()),
            "causes": causes,
            "cost_usd": spent(counted, price),
            "most_cost_usd": spent(totals, price),
            "price": asdict(price) if price else None,
        }


def _together(failed: Mapping[int, UserError], models: int) -> UserError:
    """What is said at the end of a run in which models failed."""
    if models == 1:
        return failed[0]
    problems = " ".join(str(problem) for _, problem in sorted(failed.items()))
    return UserError(f"{len(failed)} of {models} models did not finish; the others did. {problems}")


def versions(specs: Sequence[ChatSpec]) -> dict[str, str]:
    """Versions of the libraries that reach these models and know their prices."""
    wanted = {name for spec in specs for name in spec.host.libraries}
    if any(spec.host.price for spec in specs):
        wanted.add("genai-prices")
    return {name: version(name) for name in sorted(wanted) if find_spec(name.replace("-", "_"))}


def asking_lines(run: Run) -> Iterator[str]:
    """What became of the answers of a run, where it was answered, and what it cost, for the terminal."""
    yield from count_lines(read_counts(run.folder))
    for model, dollars in run.cost.items():
        used = run.facts["usage"][model]
        if used.get("lost_calls") and used.get("most_cost_usd"):
            calls = "1 call" if used["lost_calls"] == 1 else f"{used['lost_calls']} calls"
            most = f", at most ${used['most_cost_usd']:.4f} ({calls} without an answer may have been billed)"
        else:
            most = ""
        if dollars or most:
            yield f"{model}: ${dollars or 0:.4f}{most}"
    for model, failed in run.errors.items():
        if failed:
            counts = run.facts["usage"][model].get("causes", {})
            causes = [f"{cause} ({jobs})" for cause, jobs in counts.items()][:MOST_CAUSES]
            said = f"{failed} {'answer' if failed == 1 else 'answers'} failed: {'; '.join(causes)}"
            yield f"{model}: {said.rstrip(': ')}. Repeat with --set retry_errors=yes."
    yield from fingerprint_sentences(run.facts)
