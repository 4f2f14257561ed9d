"""Debian's own chromium, driven by Playwright, as a cheap phone or a desk; what goes wrong on a page fails the test.

Its headless shell is preferred: the same engine without the parts that draw windows, in some 60 % of the time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, Page, sync_playwright

CHROMIUM = next(
    (path for path in map(Path, ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")) if path.exists()),
    None,
)
"""The browser, or None where there is none."""
_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"
]  # fmt: skip
PHONE = {
    "viewport": {"width": 360, "height": 640},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
DESK = {
    "viewport": {"width": 1280, "height": 800},
    "has_touch": False,
    "is_mobile": False,
    "device_scale_factor": 1,
}
_AXE = {
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "resultTypes": ["violations"],  # what is right is not described
}
_WORSE = {"serious", "critical"}

# Whether the page is replaced once the script has sent the form of a button; it is marked until then.
_SENT = """button => document.documentElement.toggleAttribute(
  "data-pressed", Boolean(button.form?.dataset.keep) && navigator.onLine)"""


@dataclass
class Visit:
    """A browser window of its own (own cookies) and all that it did wrong."""

    context: BrowserContext
    page: Page
    address: str
    faults: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)
    received: list[tuple[str, int]] = field(default_factory=list)

    def go(self, path: str) -> None:
        """Open a page of the site."""
        self.page.goto(f"{self.address}{path}")

    def press(self, name: str, **options: object) -> None:
        """Press the button or follow the link of this name."""
        button = self.page.get_by_role("button", name=name, **options)
        self.tap(button if button.count() else self.page.get_by_role("link", name=name, **options))

    def tap(self, button: Locator | str) -> None:
        """Tap the first of these; where a script sends the form of a button, wait for the page that follows."""
        first = (self.page.locator(button) if isinstance(button, str) else button).first
        sent = first.evaluate(_SENT)
        first.click()
        if sent:
            told = "html:has(form[data-keep] :invalid)"
            self.page.locator(f"html:not([data-pressed]), {told}").first.wait_for(state="attached")
        self.page.wait_for_load_state()

    def forgive(self, status: int) -> None:
        """The test asked for an answer of this status: what the browser says of it, now or later, is no fault."""
        self.expected.add(status)

    def unforgiven(self) -> list[str]:
        """The faults that are not said of a status the test asked for."""
        told = tuple(
            start
            for status in self.expected
            for start in (
                f"{status} ",
                f"Failed to load resource: the server responded with a status of {status} ",
            )
        )
        return [fault for fault in self.faults if not fault.startswith(told)]

    def check(self, shot: str = "") -> None:
        """No sideways scrolling, nothing serious for axe; keeps a picture where `ENDOXA_SHOTS` names a folder."""
        width = self.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert width[0] <= width[1], f"{self.page.url} scrolls sideways: {width}"
        with self._whole_page():
            found = Axe().run(self.page, options=_AXE).response["violations"]
            if shot and (folder := os.environ.get("ENDOXA_SHOTS")):
                self.page.screenshot(path=str(Path(folder) / f"{shot}.png"), full_page=True)
        serious = [
            f"{one['id']}: {one['help']} {one['nodes'][0]['html'][:200]}"
            for one in found
            if one["impact"] in _WORSE
        ]
        assert not serious, f"{self.page.url}: {serious}"

    @contextmanager
    def _whole_page(self) -> Iterator[None]:
        """A window as high as the page: what sticks to its foot covers nothing that scrolling would show."""
        size = self.page.viewport_size
        height = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({**size, "height": max(height, size["height"])})
        yield
        self.page.set_viewport_size(size)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


@contextmanager
def visit(browser: Browser, address: str, **options: object) -> Iterator[Visit]:
    """A visitor with a clean browser; console errors, dialogs, failed and third-party requests fail the test."""
    context = browser.new_context(**{**PHONE, "locale": "en", **options})
    context.set_default_timeout(20_000)
    one = Visit(context, context.new_page(), address)
    host = urlsplit(address).netloc
    one.page.on(
        "console", lambda line: one.faults.append(line.text) if line.type in {"error", "warning"} else None
    )
    one.page.on("pageerror", lambda error: one.faults.append(str(error)))
    one.page.on("dialog", lambda dialog: _asked(one, dialog))
    one.page.on("request", lambda request: _foreign(one, request.url, host))
    one.page.on("response", lambda response: _received(one, response))
    yield one
    context.close()
    assert not (faults := one.unforgiven()), faults


def join(
    one: Visit,
    path: str,
    *boxes: str,
    origin: str = "AR",
    languages: tuple[str, ...] = ("es", "en"),
) -> str:
    """From the code to what comes after the profile, with `languages` and that of the page; gives the receipt code.

    `boxes` of the consent are ticked beside those that everybody has.
    """
    one.go(path)
    for box in ("age", "take_part", "publication", *boxes):
        one.page.locator(f"input[name={box}]").check()
    one.page.locator(".actions button").last.click()
    receipt = one.page.locator(".line-receipt bdi").inner_text()
    if (shown := one.page.locator(f"input[name=origins][value={origin}]")).count():
        shown.check()
    else:
        one.page.locator("input[name=origins_typed]").fill(origin)
    for language in languages:
        if (box := one.page.locator(f"input[name=languages][value={language}]")).count():
            box.check()
    one.page.locator(".actions button.primary").click()
    one.page.wait_for_url(re.compile("/(card|survey)/"))
    return receipt


_BY_SCRIPT = re.compile("/(card/.*/(rate|finish|add)|survey/.*|at-hand)/")


_NO_POST = """(() => {
  const send = window.fetch;
  const cut = () => localStorage.getItem("test.cut") !== null;
  window.fetch = (address, how) =>
    how?.method === "POST" && cut() ? Promise.reject(new TypeError("Failed to fetch")) : send(address, how);
})()"""
"""Where a worker is in charge of a page, routes do not see every request; so scripts cannot send while it is cut."""


def cut(one: Visit) -> None:
    """Take the network away. The browser forgets that for a moment when a page is loaded anew: nothing is sent then."""
    one.context.add_init_script(_NO_POST)
    one.page.evaluate(f"localStorage.setItem('test.cut', '1'); {_NO_POST}")
    one.context.set_offline(True)
    one.context.route(
        _BY_SCRIPT, lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )


def mend(one: Visit) -> None:
    """Give the network back."""
    one.page.evaluate("localStorage.removeItem('test.cut')")
    one.context.unroute(_BY_SCRIPT)
    one.context.set_offline(False)


def forgive_the_network(one: Visit) -> None:
    """What the browser says of requests without a network is what such tests are about."""
    said = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "Failed to fetch", "ERR_CONNECTION")
    one.faults = [fault for fault in one.faults if not any(word in fault for word in said)]


def until(one: Visit, script: str, limit: int = 60) -> None:
    """Wait for what an asynchronous function says; `wait_for_function` does not wait for its promise."""
    for _ in range(limit * 5):
        if one.page.evaluate(script):
            return
        one.page.wait_for_timeout(200)
    raise AssertionError(f"{one.page.url}: {script}")


_OUT_OF_SIGHT = """selector => [...document.querySelectorAll(selector)].filter((part) => {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  const seen = (y) => part.contains(document.elementFromPoint((left + right) / 2, y));
  return !(seen(top + 3) && seen(bottom - 3));
}).map((part) => part.textContent.trim())"""


def out_of_sight(one: Visit, selector: str) -> list[str]:
    """Words of the parts of a page that do not lie wholly within the window, or that something lies over."""
    return list(one.page.evaluate(_OUT_OF_SIGHT, selector))


def _asked(one: Visit, dialog: Dialog) -> None:
    one.faults.append(f"a dialog said {dialog.message}")
    dialog.dismiss()


def _foreign(one: Visit, url: str, host: str) -> None:
    if urlsplit(url).netloc not in {host, ""}:
        one.faults.append(f"request to {url}")


def _received(one: Visit, response: object) -> None:
    if response.status >= 500:
        one.faults.append(f"{response.status} {response.url}")
    length = response.headers.get("content-length")
    one.received.append((response.url, int(length) if length else 0))
