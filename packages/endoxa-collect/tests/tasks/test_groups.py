"""The group editor: what each change does, what is refused, and that everything can be taken back."""

from __future__ import annotations

import csv
import random
import re
from contextlib import suppress

import pytest
from django.test import Client
from django.urls import reverse

from endoxa.curate.group.neighbours import with_likeness
from endoxa.curate.opposites.lexicon import load_lexicon
from endoxa_collect.models import AttributeGroup, GroupChange, GroupMember, TaskState
from endoxa_collect.tasks import group_changes as editing
from endoxa_collect.tasks import groups as looking
from endoxa_collect.tasks.handing import TaskOverError
from endoxa_collect.tasks.results import write_results

WORDS = (
    ("smart", "g1", "smart", "positive", 9),
    ("clever", "g2", "clever", "positive", 5),
    ("stupid", "g3", "stupid", "negative", 4),
    ("loud", "g4", "loud", "negative", 3),
    ("very noisy", "g4", "loud", "negative", 2),
    ("<b>noisy</b>", "g5", "noisy", "negative", 1),
)
NEAR = {1: [[2, 0.9], [3, 0.86]], 3: [[5, 0.82]], 4: [[6, 0.8]], 5: [[6, 0.95]], 6: [[2, 0.81]]}
OPPOSITES = {1: [3], 2: [3]}


def table(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def liked(rows):
    return [
        {**row, "near": NEAR.get(number, []), "opposites": OPPOSITES.get(number, [])}
        for number, row in enumerate(rows, start=1)
    ]


@pytest.fixture
def groups(campaign, tmp_path):
    from endoxa_collect.tasks.adding import add_task

    path = tmp_path / "groups.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("attribute", "group_id", "canonical", "polarity", "count"))
        rows.writerows(WORDS)
    return add_task(campaign, "groups", path, more=liked)


def state(task):
    """Groups with members, as sets of wordings, with head, polarity and flag."""
    found = {}
    for group in AttributeGroup.objects.filter(task=task, size__gt=0):
        words = [one.item.content["attribute"] for one in group.members.select_related("item")]
        assert group.size == len(words)
        assert group.count == sum(one.count for one in group.members.all())
        found[group.key] = (group.head, group.polarity, group.flag, tuple(sorted(words)))
    return found


def seen(task, *keys):
    return dict(AttributeGroup.objects.filter(task=task, key__in=keys).values_list("key", "version"))


def member(task, word):
    return GroupMember.objects.get(group__task=task, item__content__attribute=word).pk


def test_groups_of_the_file_are_those_of_the_editor_and_of_the_export(groups, tmp_path):
    assert state(groups)["g4"] == ("loud", "negative", "", ("loud", "very noisy"))
    (path,) = write_results(groups, tmp_path / "out.csv")
    back = [tuple(row.values()) for row in table(path)]
    assert back == [(*row[:4], str(row[4])) for row in WORDS]


def test_merge_split_move_rename_and_flag(groups, make_judge, tmp_path):
    judge = make_judge(groups)
    editing.change(judge, "merge", seen(groups, "g4", "g5"), editing.merged("g4"))
    assert state(groups)["g4"][3] == ("<b>noisy</b>", "loud", "very noisy")
    assert "g5" not in state(groups)
    key = editing.new_key(groups)
    chosen = [member(groups, "very noisy")]
    editing.change(judge, "split", seen(groups, "g4"), editing.split("g4", chosen, key, "very noisy"))
    assert (key, state(groups)[key]) == ("g6", ("very noisy", "negative", "", ("very noisy",)))
    editing.change(judge, "move", seen(groups, "g6", "g1"), editing.moved("g6", "g1", chosen))
    assert state(groups)["g1"][3] == ("smart", "very noisy")
    editing.change(judge, "describe", seen(groups, "g1"), editing.described("g1", "bright", "neutral"))
    editing.change(judge, "flag", seen(groups, "g1"), editing.flagged("g1", "two things?"))
    assert state(groups)["g1"][:3] == ("bright", "neutral", "two things?")
    paths = {path.name: path for path in write_results(groups, tmp_path / "out.csv")}
    rows = table(paths["out.csv"])
    assert [row["group_id"] for row in rows] == ["g1", "g2", "g3", "g4", "g1", "g4"]
    assert rows[4]["canonical"] == "bright"
    assert table(paths["out_flags.csv"])[0]["flag"] == "two things?"
    changes = table(paths["out_changes.csv"])
    assert [one["change"] for one in changes] == ["merge", "split", "move", "describe", "flag"]
    assert {one["rater"] for one in changes} == {"r001"}


def test_all_can_be_taken_back_whatever_was_done(groups, make_judge):
    """Random changes of two people who take turns, then all taken back in the order they were made."""
    ana, omar = make_judge(groups, "ana"), make_judge(groups, "omar")
    start = state(groups)
    rng = random.Random(7)
    words = {row[0] for row in WORDS}
    for _ in range(25):
        now = state(groups)
        keys = sorted(now)
        one, other = rng.choice(keys), rng.choice(keys)
        ids = list(
            GroupMember.objects.filter(group__key=one, group__task=groups).values_list("pk", flat=True)
        )
        make = {
            "merge": (editing.merged(one), (one, other)),
            "split": (editing.split(one, ids[:1], editing.new_key(groups), "new"), (one,)),
            "move": (editing.moved(one, other, ids[:1]), (one, other)),
            "flag": (editing.flagged(one, str(rng.random())), (one,)),
        }
        kind = rng.choice(list(make))
        with suppress(editing.UnusableError):
            editing.change(
                rng.choice((ana, omar)), kind, seen(groups, *make[kind][1]), make[kind][0], despite=True
            )
        held = [word for _, _, _, inside in state(groups).values() for word in inside]
        assert sorted(held) == sorted(words)
    made = GroupChange.objects.count()
    assert made > 10
    order = {ana.pk: ana, omar.pk: omar}
    for change in GroupChange.objects.order_by("-pk"):
        assert editing.undo(order[change.judge_id]).pk == change.pk
    assert state(groups) == start
    assert editing.undo(ana) is None


def test_somebody_who_saw_an_earlier_state_changes_nothing(groups, make_judge):
    ana, omar = make_judge(groups, "ana"), make_judge(groups, "omar")
    before = seen(groups, "g1", "g2")
    editing.change(omar, "describe", seen(groups, "g2"), editing.described("g2", "bright", ""))
    with pytest.raises(editing.ConflictError) as problem:
        editing.change(ana, "merge", before, editing.merged("g1"))
    assert problem.value.changed == ("g2",)
    assert state(groups)["g2"][0] == "bright"
    editing.change(ana, "merge", seen(groups, "g1", "g2"), editing.merged("g1"))
    with pytest.raises(editing.ConflictError):
        editing.undo(omar)
    editing.undo(ana)
    editing.undo(omar)
    # What was taken back is what it was: a page that was drawn before is up to date again.
    editing.change(ana, "merge", before, editing.merged("g1"))


def test_opposites_come_together_only_where_that_is_meant(groups, make_judge):
    judge = make_judge(groups)
    with pytest.raises(editing.OppositesError) as problem:
        editing.change(judge, "merge", seen(groups, "g1", "g3"), editing.merged("g1"))
    assert problem.value.pairs == ((member(groups, "smart"), member(groups, "stupid")),)
    editing.change(judge, "merge", seen(groups, "g1", "g3"), editing.merged("g1"), despite=True)
    # A later change of the same group does not ask again.
    editing.change(judge, "flag", seen(groups, "g1"), editing.flagged("g1", "why?"))
    assert looking.opened(groups, "g1").opposites == (("smart", "stupid"),)


def test_nothing_changes_in_a_task_that_is_paused(groups, make_judge):
    groups.state = TaskState.PAUSED
    groups.save()
    with pytest.raises(TaskOverError):
        editing.change(make_judge(groups), "flag", seen(groups, "g1"), editing.flagged("g1", "x"))


def test_the_preview_merges_nothing_and_keeps_opposites_apart(groups):
    before = state(groups)
    found = looking.preview(groups, 0.8)
    united = [[one.key for one in union.groups] for union in found.proposed]
    assert (found.before, found.after, found.refused) == (5, 2, 1)
    assert sorted(united) == [["g1", "g2"], ["g4", "g3", "g5"]]
    assert not found.cut
    assert looking.preview(groups, 0.96).after == 5
    assert state(groups) == before


def test_unions_are_those_of_another_union_find():
    rng = random.Random(3)
    for _ in range(50):
        links = sorted(
            ((*rng.sample(range(12), 2), rng.random()) for _ in range(rng.randint(0, 14))),
            key=lambda one: -one[2],
        )
        found, refused = looking.unite(links, set())
        parent = list(range(12))
        for one, other, _ in links:
            a, b = parent[one], parent[other]
            parent = [a if mine == b else mine for mine in parent]
        wanted = {
            frozenset(k for k in range(12) if parent[k] == root) for root in parent if parent.count(root) > 1
        }
        assert ({union for union, _ in found}, refused) == (wanted, 0)


def test_likeness_by_letters_knows_opposites():
    rows = [{"attribute": one} for one in ("smart", "very smart", "stupid", "loud", "not loud")]
    found = with_likeness(rows, load_lexicon("en"))
    assert [2, 1.0] in found[0]["near"]
    assert found[0]["opposites"] == [3]
    assert found[4]["opposites"] == [4]


@pytest.fixture
def browser_of(groups, make_judge):
    def make(name):
        judge = make_judge(groups, name)
        client = Client()
        client.force_login(judge.user)
        client.post(reverse("organiser:task_begin", args=[groups.campaign.slug, groups.name]))
        return client

    return make


def at(task, what=""):
    return reverse(f"organiser:task_groups{what}", args=[task.campaign.slug, task.name])


def test_pages_show_groups_escaped_and_find_words(groups, browser_of):
    client = browser_of("ana")
    page = client.get(at(groups), {"open": "g5"}).content.decode()
    assert "&lt;b&gt;noisy&lt;/b&gt;" in page
    assert "<b>noisy" not in page
    assert "nearest 0.95" in page
    found = client.get(at(groups), {"q": "stup"}).context["groups"]
    assert [one.group.key for one in found] == ["g3"]
    by_likeness = [one.group.key for one in client.get(at(groups), {"sort": "likeness"}).context["groups"]]
    assert by_likeness[:2] == ["g4", "g5"]
    assert client.get(at(groups), {"open": "g99"}).status_code == 200
    assert "Preview" in client.get(at(groups, "_preview"), {"at": "nonsense"}).content.decode()


def test_pages_take_no_more_queries_with_more_attributes(
    campaign, tmp_path, make_judge, django_assert_max_num_queries
):
    from endoxa_collect.tasks.adding import add_task

    for number, size in enumerate((60, 600)):
        path = tmp_path / f"{size}.csv"
        rows = [f"word {k},g{k % (size // 3):04d},word {k % (size // 3)},,1" for k in range(size)]
        path.write_text("attribute,group_id,canonical,polarity,count\n" + "\n".join(rows), encoding="utf-8")

        def near(rows, size=size):
            return [
                {**row, "near": [[(k + 1) % size + 1, 0.9]], "opposites": []} for k, row in enumerate(rows)
            ]

        task = add_task(campaign, "groups", path, name=f"n{number}", more=near)
        client = Client()
        client.force_login(make_judge(task, "ana").user)
        client.post(reverse("organiser:task_begin", args=[campaign.slug, task.name]))
        for address, values in ((at(task), {"open": "g0001"}), (at(task, "_preview"), {"at": "0.8"})):
            with django_assert_max_num_queries(22):
                assert client.get(address, values).status_code == 200


def test_a_conflict_is_shown_side_by_side_and_mine_can_be_done_after_all(groups, browser_of):
    ana, omar = browser_of("ana"), browser_of("omar")
    form = {"kind": "merge", "open": "g1", "groups": "g1:0 g2:0"}
    done = omar.post(
        at(groups, "_change"), {"kind": "describe", "open": "g2", "groups": "g2:0", "head": "bright"}
    )
    assert done.status_code == 302
    page = ana.post(at(groups, "_change"), form)
    assert page.status_code == 409
    text = page.content.decode()
    assert "bright" in text
    assert "changed by <bdi>omar</bdi>" in text
    (mine,) = [one for one in page.context["mine"] if one.key == "g1"]
    assert set(mine.words) == {"smart", "clever"}
    again = {**form, "groups": page.context["versions"]}
    assert ana.post(at(groups, "_change"), again).status_code == 302
    assert "g2" not in state(groups)


def test_opposites_are_asked_about_on_a_page(groups, browser_of):
    client = browser_of("ana")
    form = {"kind": "merge", "open": "g1", "groups": "g1:0 g3:0"}
    page = client.post(at(groups, "_change"), form)
    assert page.status_code == 422
    assert "smart" in page.content.decode()
    assert "g3" in state(groups)
    assert client.post(at(groups, "_change"), {**form, "despite": "yes"}).status_code == 302
    assert "g3" not in state(groups)
    assert client.post(at(groups, "_undo")).status_code == 302
    assert "g3" in state(groups)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"kind": "split", "open": "g4", "groups": "g4:0"},
        {"kind": "split", "open": "g4", "groups": "g4:0", "member": "999999"},
        {"kind": "describe", "open": "g4", "groups": "g4:0", "head": "  "},
        {"kind": "merge", "open": "g4", "groups": "g4:0"},
        {"kind": "merge", "open": "g4", "groups": "g4:0 nobody:0"},
        {"kind": "move", "open": "g4", "groups": "g4:0", "target": "g1"},
        {"kind": "nonsense", "open": "g4", "groups": "g4:x"},
    ],
)
def test_forms_that_say_too_little_change_nothing(groups, browser_of, form):
    before = state(groups)
    assert browser_of("ana").post(at(groups, "_change"), form).status_code == 422
    assert state(groups) == before


def test_the_pages_of_items_lead_to_the_editor(groups, browser_of):
    client = browser_of("ana")
    page = client.get(reverse("organiser:task", args=[groups.campaign.slug, groups.name]))
    assert page.headers["Location"] == at(groups)
    fresh = Client()
    fresh.force_login(groups.judges.get().user)
    assert "Before you begin" in fresh.get(at(groups)).content.decode()


def test_names_of_groups_may_hold_anything(campaign, tmp_path, make_judge):
    from endoxa_collect.tasks.adding import add_task

    path = tmp_path / "odd.csv"
    path.write_text("attribute,group_id,canonical\na,group: 1 %20,a\nb,2 & <3>,b\n", encoding="utf-8")
    task = add_task(campaign, "groups", path, more=lambda rows: [{**row, "near": [[2, 0.9]]} for row in rows])
    client = Client()
    client.force_login(make_judge(task, "ana").user)
    client.post(reverse("organiser:task_begin", args=[campaign.slug, task.name]))
    page = client.get(at(task), {"open": "group: 1 %20"}).content.decode()
    (form,) = re.findall(r'name="groups" value="(group[^"]* [^"]*)"><button', page)
    done = client.post(at(task, "_change"), {"kind": "merge", "open": "group: 1 %20", "groups": form})
    assert done.status_code == 302
    assert [one[3] for one in state(task).values()] == [("a", "b")]
