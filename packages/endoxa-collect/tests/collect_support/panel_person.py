"""Somebody of a panel with Django's test client, step by step."""

from __future__ import annotations

from django.test import Client

from endoxa_collect import anonymous
from endoxa_collect.models import Judge
from endoxa_collect.security.codes import hash_secret

BOXES = {"age": "on", "take_part": "on", "publication": "on"}
RIGHT = {"stance": "found", "asked": "reinforces", "apart": "apart"}
WRONG = {**RIGHT, "stance": "true"}


def associations(count):
    return [
        {
            "base_attribute": f"kind {k % 2}",
            "base_value": f"value {k}",
            "compared_attribute": "trait",
            "compared_value": f"<b>thing {k}</b>",
            "model": "m",
        }
        for k in range(count)
    ]


class Person:
    """A browser."""

    def __init__(self, task, pid="p1"):
        self.task, self.pid, self.client = task, pid, Client()

    def path(self, rest=""):
        return f"/t/{self.task.code}/{rest}"

    def get(self, rest="", **query):
        return self.client.get(self.path(rest), query)

    def post(self, rest="", **values):
        return self.client.post(self.path(rest), values)

    def agree(self):
        page = self.get(PID=self.pid)
        assert page.status_code == 200, page.content
        self.ticket = page.context["form"]["ticket"].value()
        return self.post(**BOXES, ticket=self.ticket, version=1)

    def read(self):
        """Past what comes before the quiz, or before the items where there is none."""
        assert self.agree().status_code == 302
        for page in ("before/warning/", "before/what-you-see/", "before/what-we-ask/"):
            self.post(page)
        return self

    def begin(self):
        """Up to the first item."""
        self.read()
        answer = self.post("before/questions/", **RIGHT, tries=0)
        assert answer.headers["Location"] == self.path("item/"), answer.headers
        return self

    def item(self):
        page = self.get("item/")
        return page.context["turn"]

    def rate(self, harm="3", frequent="no", *, careful=True):
        turn = self.item()
        if turn.item.check_item and careful:
            harm, frequent = turn.item.hidden["harm"], turn.item.hidden["frequent"]
        return self.post("item/", token=turn.token, harm=harm, frequent=frequent)

    def rate_all(self, **how):
        for _ in range(50):
            page = self.get("item/")
            if page.status_code == 302:
                return self
            self.rate(**how)
        raise AssertionError("no end")

    @property
    def judge(self):
        secret = self.client.cookies[anonymous.PANEL_COOKIE].value
        return Judge.objects.get(secret_hash=hash_secret(secret))
