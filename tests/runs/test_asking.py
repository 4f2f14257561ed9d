"""The engine that asks chat models: everything once, everything kept, nothing spent beyond the limit."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.models.chat.remote import estimate_tokens
from endoxa.models.chat.spec import BatchStatus, Price, Submission, SubmissionStatus
from endoxa.runs.asking import calls
from endoxa.runs.asking.batches import SMALLEST, ask_in_batches, fetch_ended
from endoxa.runs.asking.calls import Asking, BudgetSpentError, ask_all, counting_lost
from endoxa.runs.asking.cost import Budget, Expected, Planned, bounded, cost, expect, plan_table, spent, worst
from endoxa.runs.asking.jobs import Answered, FirstAnswers, Job
from endoxa.runs.asking.journal import AnswerJournal, Totals
from endoxa.schema import ChatAnswer, Message, Sampling, Usage
from endoxa.schema.finish import CALLED_A_TOOL

PRICE = Price(1.0, 10.0, "ours")


@dataclass
class Echo:
    """A model that says what it heard last, and keeps what it was asked."""

    asked: list[tuple[tuple[Message, ...], Sampling, Mapping[str, Any]]] = field(default_factory=list)
    fail_at: int | None = None
    after: Callable[[Sequence[Message], Sampling, ChatAnswer], ChatAnswer] = lambda _, __, answer: answer
    before: Callable[[Sequence[Message], Sampling], object] = lambda *_: None
    closed: int = 0
    under_way: int = 0
    most_under_way: int = 0
    name: str = "test/echo"

    def describe(self) -> Mapping[str, Any]:
        return {"name": self.name}

    async def check(self) -> None:
        return None

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        self.before(messages, sampling)
        self.asked.append((tuple(messages), sampling, told or {}))
        if self.fail_at is not None and len(self.asked) >= self.fail_at:
            raise UserError("The key is wrong.")
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        return self.after(messages, sampling, ChatAnswer(f"heard {messages[-1].content}", usage=Usage(10, 5)))

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[AnswerJournal]:
    kept = AnswerJournal(tmp_path / "journal.sqlite")
    yield kept
    kept.close()


def asking(model: Any, journal: AnswerJournal, **given: Any) -> Asking:
    settings = {"sampling": Sampling(), "concurrency": 4, "budget": Budget(None, None, 0.0)} | given
    return Asking(model, 0, journal=journal, **settings)


def jobs(count: int, turns: tuple[str, ...] = ("hello",)) -> list[Job]:
    return [Job(k, tuple(f"{turn} {k}" for turn in turns), seed=k) for k in range(count)]


def test_every_job_is_asked_once_with_its_own_seed(journal: AnswerJournal) -> None:
    model = Echo()
    ask_all(asking(model, journal), iter(jobs(50)))
    assert sorted(messages[-1].content for messages, _, _ in model.asked) == sorted(
        f"hello {k}" for k in range(50)
    )
    assert {sampling.seed for _, sampling, _ in model.asked} == set(range(50))
    found = journal.answers(0, 0, 49)
    assert {k: [answer.text for answer in found[k]] for k in found} == {
        k: [f"heard hello {k}"] for k in range(50)
    }
    assert model.closed == 1
    assert 1 < model.most_under_way <= 4


def cut_off(messages: Sequence[Message], sampling: Sampling, _answer: ChatAnswer) -> ChatAnswer:
    """The question, cut at the limit of words."""
    words = messages[-1].content.split(" ")
    cut = words[: sampling.max_tokens]
    return ChatAnswer(" ".join(cut), "stop" if cut == words else "length")


def test_few_tokens_are_enough_where_an_answer_can_be_read_from_them(journal: AnswerJournal) -> None:
    said = ["B it is and so on", "I would say it must be B", "B", "<think> it may be A </think> B", "A " * 9]
    by_letter = (lambda answer: "B" in answer,)
    several = [Job(k, (text,), readable=by_letter) for k, text in enumerate(said)]
    model = Echo(after=cut_off)
    ask_all(asking(model, journal, enough=4, sampling=Sampling(max_tokens=8), concurrency=1), several)
    found = {k: (answer.text, answer.finish) for k, (answer,) in journal.answers(0, 0, 4).items()}
    assert found == {
        0: ("B it is and", "length"),
        1: (said[1], "stop"),
        2: ("B", "stop"),
        3: (" B", "stop"),
        4: (("A " * 8).strip(), "length"),
    }
    # A model that was seen to think is given all its tokens at once.
    assert [sampling.max_tokens for _, sampling, _ in model.asked] == [4, 4, 8, 4, 4, 8, 8]


def test_a_conversation_goes_on_where_it_stopped(journal: AnswerJournal) -> None:
    journal.add(0, [Answered(0, 0, ChatAnswer("<think>No?</think>first answer"))])
    model = Echo()
    ask_all(asking(model, journal), [Job(0, ("one", "two"), system="be brief")])
    ((messages, _, told),) = model.asked
    assert [(m.role, m.content) for m in messages] == [
        ("system", "be brief"),
        ("user", "one"),
        ("assistant", "first answer"),
        ("user", "two"),
    ]
    assert (told["turn"], told["turns"]) == (1, 2)


def test_a_failure_is_said_once_and_what_came_is_kept(journal: AnswerJournal) -> None:
    model = Echo(fail_at=20)
    with pytest.raises(UserError, match="The key is wrong"):
        ask_all(asking(model, journal), jobs(100))
    kept = journal.count(0)
    assert kept >= 15
    again = Echo()
    ask_all(asking(again, journal), jobs(100))
    assert journal.count(0) == 100
    assert len(again.asked) == 100 - kept


def test_the_budget_is_never_exceeded_and_a_higher_one_continues(journal: AnswerJournal) -> None:
    model = Echo()
    # Each call takes 10 tokens in and 5 out: 60 millionths of a dollar; at worst (100 out) about 1010 millionths.
    few = {"budget": Budget(0.003, PRICE, 0.0), "sampling": Sampling(max_tokens=100)}
    with pytest.raises(BudgetSpentError, match="--max-cost"):
        ask_all(asking(model, journal, **few), jobs(60))
    paid = spent(journal.totals(0), PRICE)
    assert paid is not None
    assert 0.001 < paid <= 0.003
    assert journal.count(0) == len(model.asked)
    ask_all(asking(model, journal, budget=Budget(1.0, PRICE, paid)), jobs(60))
    assert journal.count(0) == len(model.asked) == 60


def test_cost_and_expected_work_by_hand() -> None:
    """What was said is sent again with every turn."""
    assert cost(Usage(2_000_000, 500_000), PRICE) == pytest.approx(7.0)
    assert cost(Usage(2_000_000, 500_000), PRICE, batched=True) == pytest.approx(3.5)
    job = Job(0, ("a" * 40, "b" * 40))
    first = estimate_tokens([Message("user", "a" * 40)])
    both = estimate_tokens([Message("user", "a" * 40), Message("user", "b" * 40)])
    assert expect([(job, (20, 5))]) == Expected(2, Usage(first + both + 20, 25))
    row = Planned("m", Expected(1, Usage(1, 1)), Expected(1, Usage(1, 1)), PRICE, 0.25, 0.5, "")
    assert plan_table([row, row]).dollars == (0.5, 1.0)
    assert expect([(job, (20, 5))], 3) == Expected(6, Usage(3 * (first + both + 20), 75))


@dataclass
class Batches:
    """A provider's batch interface in memory; answers listed in `lost` do not come the first time."""

    lost: set[str] = field(default_factory=set)
    kept: dict[str, list[tuple[str, Sequence[Message], Sampling]]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    max_requests: int = 10
    max_bytes: int = 10_000_000
    die_after_submit: bool = False
    polls: int = 0
    working: bool = False

    async def mark(self) -> str:
        return ""

    async def submit(
        self, requests: Sequence[tuple[str, Sequence[Message], Sampling]], submission: Submission
    ) -> str:
        name = f"batch-{len(self.kept)}"
        self.kept[name] = list(requests)
        self.tags[submission.tag] = name
        if self.die_after_submit:
            raise KeyboardInterrupt
        return name

    async def status(self, batch_id: str) -> BatchStatus:
        self.polls += 1
        done = len(self.kept[batch_id])
        if self.working:
            return BatchStatus("working", 0, done)
        return BatchStatus("ended" if self.polls % 2 == 0 else "working", done, done, "")

    async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
        for name, messages, _ in self.kept[batch_id]:
            if name in self.lost:
                self.lost.discard(name)
                yield name, None
            else:
                yield name, ChatAnswer(f"heard {messages[-1].content}", usage=Usage(10, 5))

    async def find(self, submission: Submission) -> SubmissionStatus:
        name = self.tags.get(submission.tag)
        return SubmissionStatus("found", name) if name else SubmissionStatus("absent")

    async def close(self) -> None:
        return None


def test_batches_take_all_turns_and_ask_again_what_did_not_come(journal: AnswerJournal) -> None:
    provider = Batches(lost={"3-0", "7-1"})
    ask_in_batches(asking(Echo(), journal), provider, lambda: jobs(25, ("one", "two")), 2, poll=0)
    found = journal.answers(0, 0, 24)
    assert all([a.text for a in found[k]] == [f"heard one {k}", f"heard two {k}"] for k in range(25))
    assert max(len(group) for group in provider.kept.values()) <= 10
    sent = [name for group in provider.kept.values() for name, _, _ in group]
    assert len(sent) == 52
    assert [one.batched for one in journal.totals(0)] == [True]


def test_batches_stop_before_the_second_turn_where_no_first_answer_can_be_read(
    journal: AnswerJournal,
) -> None:
    def of(turns: tuple[str, ...]) -> list[Job]:
        return [replace(job, readable=(lambda said: "banana" in said,)) for job in jobs(8, turns)]

    provider = Batches()
    with pytest.raises(UserError, match=r"none of its first 5 answers can be read .*heard one 0.*repeat the"):
        ask_in_batches(asking(Echo(), journal), provider, lambda: of(("one", "two")), 2, poll=0)
    assert journal.count(0) == 8
    ask_in_batches(asking(Echo(), journal), provider, lambda: of(("one", "two")), 2, poll=0)
    assert journal.count(0) == 16
    # Where nothing is left to ask nothing is stopped.
    unread = [replace(job, number=job.number + 8) for job in of(("hello",))]
    ask_in_batches(asking(Echo(), journal), Batches(), lambda: unread, 1, poll=0)
    assert journal.count(0) == 24


def test_a_run_killed_while_handing_in_finds_its_batch_again(journal: AnswerJournal) -> None:
    provider = Batches(die_after_submit=True)
    with pytest.raises(KeyboardInterrupt):
        ask_in_batches(asking(Echo(), journal), provider, lambda: jobs(8), 1, poll=0)
    provider.die_after_submit = False
    ask_in_batches(asking(Echo(), journal), provider, lambda: jobs(8), 1, poll=0)
    assert len(provider.kept) == 1
    assert journal.count(0) == 8


MOST = cost(worst([Message("user", "hello 0")], Sampling()), PRICE, batched=True)
"""What one request of these tests costs at most in a batch; `TOOK` is what it really costs."""
TOOK = cost(Usage(10, 5), PRICE, batched=True)


def sizes(provider: Batches) -> list[int]:
    return [len(group) for group in provider.kept.values()]


def test_a_limit_that_allows_some_requests_at_once_splits_batches(journal: AnswerJournal) -> None:
    """All at their most would cost 100 / 20.5 of the limit; what they take is far less."""
    provider, budget = Batches(max_requests=1000), Budget(20.5 * MOST, PRICE, 0.0)
    ask_in_batches(asking(Echo(), journal, budget=budget), provider, lambda: jobs(100), 1, poll=0)
    assert journal.count(0) == 100
    names = [name for group in provider.kept.values() for name, _, _ in group]
    assert sorted(names) == sorted(f"{k}-0" for k in range(100))
    assert sizes(provider)[0] == 20
    assert all(size >= SMALLEST for size in sizes(provider)[:-1])
    assert budget.spent == pytest.approx(100 * TOOK)


def test_no_batch_is_smaller_than_ten_requests_unless_they_are_the_last(journal: AnswerJournal) -> None:
    provider, budget = Batches(max_requests=1000), Budget(9.5 * MOST, PRICE, 0.0)
    with pytest.raises(BudgetSpentError, match=r"only 9 more .* at least 10 .* without --batch"):
        ask_in_batches(asking(Echo(), journal, budget=budget), provider, lambda: jobs(11), 1, poll=0)
    nothing = Budget(0.9 * MOST, PRICE, 0.0)
    with pytest.raises(BudgetSpentError, match="could exceed --max-cost"):
        ask_in_batches(asking(Echo(), journal, budget=nothing), provider, lambda: jobs(100), 1, poll=0)
    assert not provider.kept
    ask_in_batches(asking(Echo(), journal, budget=budget), provider, lambda: jobs(10), 1, poll=0)
    assert sizes(provider) == [9, 1]


@pytest.mark.slow
@given(st.floats(1, 60), st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_batches_never_cost_more_than_the_limit(limit: float, seed: int) -> None:
    """Whatever the answers take, up to their most; nothing is handed in twice."""
    draws = random.Random(seed)
    share = draws.random()
    most = worst([Message("user", "hello 0")], Sampling())

    class Costly(Batches):
        async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
            async for name, answer in super().results(batch_id):
                assert answer is not None
                used = Usage(most.prompt_tokens, int(most.completion_tokens * share * draws.random()))
                yield name, replace(answer, usage=used)

    with TemporaryDirectory() as folder, closing(AnswerJournal(Path(folder) / "journal.sqlite")) as journal:
        provider = Costly(max_requests=30)
        budget = Budget(limit * MOST, PRICE, 0.0)
        with suppress(BudgetSpentError):
            ask_in_batches(asking(Echo(), journal, budget=budget), provider, lambda: jobs(50), 1, poll=0)
        paid = spent(journal.totals(0), PRICE)
        assert paid is not None
        assert paid <= limit * MOST + 1e-9
        names = [name for group in provider.kept.values() for name, _, _ in group]
        assert len(names) == len(set(names)) == journal.count(0)


def test_batches_of_a_limit_in_which_nothing_is_answered_come_to_an_end(journal: AnswerJournal) -> None:
    class Expiring(Batches):
        async def results(self, batch_id: str) -> AsyncIterator[tuple[str, ChatAnswer | None]]:
            for name, _, _ in self.kept[batch_id]:
                yield name, None

    budget, provider = Budget(20.5 * MOST, PRICE, 0.0), Expiring(max_requests=1000)
    with pytest.raises(UserError, match="some answers are missing after 5 batches"):
        ask_in_batches(asking(Echo(), journal, budget=budget), provider, lambda: jobs(60), 1, poll=0)
    assert len(provider.kept) == 5


# ------------------------------------------------------------------ calls that were cut off


@dataclass
class Silent(Echo):
    """A model that answers some calls, and to the others says nothing."""

    answers: int = 3

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        if len(self.asked) >= self.answers:
            self.asked.append((tuple(messages), sampling, told or {}))
            await asyncio.Event().wait()
        return await super().ask(messages, sampling, told)


def cut(model: Silent, journal: AnswerJournal, budget: Budget) -> None:
    """Ask until all calls wait, and look a while later; then end as Ctrl-C does."""

    async def main() -> None:
        task = asyncio.create_task(calls._ask_all(asking(model, journal, budget=budget), jobs(20)))
        while len(model.asked) < model.answers + 4 or journal.count(0) < model.answers:
            await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_calls_under_way_are_in_the_journal_until_they_are_answered(
    journal: AnswerJournal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What came is committed while all workers wait, and the calls that wait are counted once, at their most; those
    that cost nothing are not written down."""
    monkeypatch.setattr(calls, "COMMIT_SECONDS", 0.01)
    with closing(AnswerJournal(tmp_path / "free.sqlite")) as free:
        cut(Silent(), free, Budget(None, None, 0.0))
        assert [(one.calls, one.counted) for one in free.totals(0)] == [(3, True)]
    cut(Silent(), journal, Budget(1.0, PRICE, 0.0))
    most = worst([Message("user", "hello 0")], Sampling())
    before = spent(journal.totals(0), PRICE) or 0.0
    assert before == pytest.approx(4 * cost(most, PRICE) + 3 * cost(Usage(10, 5), PRICE))
    assert journal.lose_calls(0) == Totals(
        4, batched=False, usage=Usage(4 * most.prompt_tokens, 4 * most.completion_tokens), counted=False
    )
    assert journal.lose_calls(0).calls == 0
    assert spent(journal.totals(0), PRICE) == before
    ask_all(asking(Echo(), journal, budget=Budget(1.0, PRICE, before)), jobs(20))
    assert [(one.calls, one.counted) for one in journal.totals(0)] == [(20, True), (4, False)]


def test_a_refused_call_is_not_taken_for_one_that_may_be_billed(journal: AnswerJournal) -> None:
    with pytest.raises(UserError, match="The key is wrong"):
        ask_all(asking(Echo(fail_at=1), journal, concurrency=1, budget=Budget(1.0, PRICE, 0.0)), jobs(3))
    assert journal.totals(0) == []


def test_a_batch_under_way_counts_at_its_most_in_the_next_process(journal: AnswerJournal) -> None:
    provider = Batches(die_after_submit=True)
    limit = Budget(0.03, PRICE, 0.0)
    with pytest.raises(KeyboardInterrupt):
        ask_in_batches(asking(Echo(), journal, budget=limit), provider, lambda: jobs(10), 1, poll=0)
    (batch,) = journal.batches(0)
    assert batch.worst.completion_tokens == 10 * 512
    next_one = Budget(0.03, PRICE, 0.0)
    provider.working, provider.die_after_submit = True, False
    with pytest.raises(UserError, match=r"not finished \(0 of 10 done\).*paid for twice"):
        fetch_ended(asking(Echo(), journal, budget=next_one), provider)
    assert next_one.hold(worst([Message("user", "x")], Sampling(max_tokens=2000))) is None
    # What the batch answered is not asked again one by one.
    provider.working, provider.polls = False, 1
    fetch_ended(asking(Echo(), journal), provider)
    later = Echo()
    ask_all(asking(later, journal), jobs(12))
    assert len(later.asked) == 2
    assert journal.batches(0) == []


@pytest.mark.parametrize(("answer", "lost"), [("absent", 0), ("unknown", 7)])
def test_a_batch_that_is_gone_is_handed_in_again_and_counts_as_paid_unless_it_never_arrived(
    journal: AnswerJournal, answer: Any, lost: int
) -> None:
    class Forgetful(Batches):
        async def find(self, submission: Submission) -> SubmissionStatus:
            return SubmissionStatus(answer)

    journal.begin_batch(0, Submission("endoxa-lost", 7, ""), Usage(1000, 1000))
    ask_in_batches(asking(Echo(), journal), Forgetful(), lambda: jobs(1), 1, poll=0)
    assert (journal.count(0), journal.batches(0)) == (1, [])
    paid = cost(Usage(1010, 1005) if lost else Usage(10, 5), PRICE, batched=True)
    assert spent(journal.totals(0), PRICE) == pytest.approx(paid)
    assert sum(each.calls for each in journal.totals(0) if not each.counted) == lost


def test_calls_without_an_answer_are_paid_from_the_same_purse(journal: AnswerJournal) -> None:
    """Each lost call counts at its most, in this process and in the next, and no call is sent without money for it."""
    most = cost(worst([Message("user", "hello 0")], Sampling()), PRICE)
    budget = Budget(2.5 * most, PRICE, 0.0)

    lost = counting_lost(0, journal, budget)
    model = Echo(before=lambda messages, sampling: lost(messages, sampling, None))
    with pytest.raises(BudgetSpentError):
        ask_all(asking(model, journal, budget=budget, concurrency=1), jobs(10))
    assert len(model.asked) == 1
    paid = spent(journal.totals(0), PRICE)
    assert paid == pytest.approx(2 * most + cost(Usage(10, 5), PRICE))
    assert [(one.calls, one.counted) for one in journal.totals(0)] == [(1, True), (2, False)]


@settings(max_examples=20)
@given(st.lists(st.text(), min_size=1, max_size=4), st.integers(1, 100))
def test_the_most_tokens_of_a_call(texts: list[str], most: int) -> None:
    messages = [Message("user", text) for text in texts]
    found = worst(messages, Sampling(max_tokens=most))
    assert found.prompt_tokens >= sum(len(text.encode()) for text in texts)
    assert found.completion_tokens == most
    extra = {"max_completion_tokens": 500, "n": 3}
    assert worst(messages, Sampling(max_tokens=most, extra=extra)).completion_tokens == 1500
    assert not bounded(Sampling(max_tokens=most, extra={"max_tokens": None}))


@pytest.mark.parametrize(
    "fail", [ChatAnswer("", "error", error="too long"), ChatAnswer("", "refusal", refused=True)]
)
def test_a_conversation_ends_where_an_answer_failed(journal: AnswerJournal, fail: ChatAnswer) -> None:
    model = Echo(after=lambda *_: fail)
    ask_all(asking(model, journal), jobs(3, ("one", "two", "three")))
    assert len(model.asked) == 3
    ask_all(asking(model, journal), jobs(3, ("one", "two", "three")))
    assert len(model.asked) == 3
    for answers in journal.answers(0, 0, 2).values():
        assert [answer.finish for answer in answers] == [fail.finish, "not asked", "not asked"]
        assert {(answer.error, answer.refused) for answer in answers} == {(fail.error, fail.refused)}
    assert journal.totals(0)[0].calls == 3
    assert sum(journal.causes(0).values()) == (3 if fail.error else 0)
    journal.forget_errors(0)
    assert journal.count(0) == (0 if fail.error else 9)


def test_causes_of_failures_are_counted_whatever_the_server_sent_and_however_often(
    journal: AnswerJournal,
) -> None:
    errors = [
        "failed 2 times: no choices: '{1}'",
        "status 500: it hurts",
        "failed 12 times: no choices: '{2}'",
        "",
    ]
    journal.add(
        0, [Answered(job, 0, ChatAnswer("", "error", error=error)) for job, error in enumerate(errors)]
    )
    assert list(journal.causes(0).items()) == [("no choices", 2), ("status 500: it hurts", 1)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ChatAnswer("", "tool_calls", error=CALLED_A_TOOL), CALLED_A_TOOL),
        (ChatAnswer("", "length"), "the limit of tokens was reached before any text"),
        (ChatAnswer("", "stop", reasoning="hm"), "they hold nothing but thoughts"),
        (ChatAnswer(""), "they are empty"),
    ],
)
def test_first_answers_without_a_text_say_why(answer: ChatAnswer, said: str) -> None:
    first, (job,) = FirstAnswers(watched=True), jobs(1)
    for _ in range(5):
        first.look(replace(job, readable=(bool,)), 0, answer)
    with pytest.raises(UserError, match=rf"none of its first 5 answers can be read \({said}\)"):
        first.require_readable("m")


def test_in_batches_too_a_conversation_ends_where_an_answer_failed(journal: AnswerJournal) -> None:
    journal.add(0, [Answered(0, 0, ChatAnswer("", "error", error="too long"))])
    provider = Batches()
    ask_in_batches(asking(Echo(), journal), provider, lambda: jobs(2, ("one", "two")), 2, poll=0)
    sent = [name for group in provider.kept.values() for name, _, _ in group]
    assert sent == ["1-0", "1-1"]


def test_a_call_that_was_lost_waits_for_the_money_of_others(journal: AnswerJournal) -> None:
    """It is not the end of a run that all money is set aside while a call is lost: the others turn out cheaper."""
    most = cost(worst([Message("user", "hello 0")], Sampling()), PRICE)
    budget = Budget(4.5 * most, PRICE, 0.0)
    lost = counting_lost(0, journal, budget)
    losses = iter([True])
    once = Echo(before=lambda *asked: next(losses, False) and lost(*asked, None))
    ask_all(asking(once, journal, budget=budget, concurrency=4), jobs(40))
    assert journal.count(0) == 40


def test_characters_that_no_file_can_hold_are_replaced_before_anything_uses_them(
    journal: AnswerJournal,
) -> None:
    errors = iter(("", "\0"))
    model = Echo(after=lambda *_: ChatAnswer("a\0b \ud83d", error=next(errors)))
    ask_all(asking(model, journal), iter(jobs(1, ("hello", "again"))))
    first, last = journal.answers(0, 0, 0)[0]
    assert (first.text, last.text, last.error) == ("a\ufffdb \ufffd", "a\ufffdb \ufffd", "\ufffd")
    assert model.asked[1][0][1].content == "a\ufffdb \ufffd"
