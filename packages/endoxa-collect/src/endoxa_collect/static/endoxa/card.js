// An addition to cards: everything works without it. It keeps a tap that finds no network, answers to keys, and
// sends nothing twice. What it keeps is the address of a card and the number that was tapped, never any words.
"use strict";

(() => {
  const KEPT = "endoxa.answers";
  const KEYS = "endoxa.keys";
  const RETRY_SECONDS = 15;
  const GIVE_UP_SECONDS = 10;
  const find = (selector) => document.querySelector(selector);
  // A comparison has the same look and none of this: it is sent as any form.
  const card = find("form.answers[data-next]");
  let sending = false;

  // Browsers without storage still send; they only forget a kept answer when the page is closed.
  let memory = {};
  const read = () => {
    try { return JSON.parse(localStorage.getItem(KEPT)) || {}; } catch { return memory; }
  };
  const write = (answers) => {
    memory = answers;
    try {
      if (Object.keys(answers).length) localStorage.setItem(KEPT, JSON.stringify(answers));
      else localStorage.removeItem(KEPT);
    } catch { /* kept in memory */ }
  };
  const keep = (address, value) => write({ ...read(), [address]: value });
  const drop = (address) => {
    const { [address]: _, ...others } = read();
    write(others);
  };

  const say = (id, shown = true) => {
    const line = document.getElementById(id);
    if (!line) return;
    line.hidden = !shown;
    line.textContent = shown ? line.dataset.text : "";
    if (shown) line.scrollIntoView({ block: "nearest" });
  };

  // True: the site has it, now or from before. False: it does not want it. "first": it has another answer, which stays.
  // null: no network, or the site is busy.
  const send = async (address, value) => {
    const token = find("[name=csrfmiddlewaretoken]");
    if (!token || !navigator.onLine) return null;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), GIVE_UP_SECONDS * 1000);
    try {
      const answer = await fetch(address, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams({ csrfmiddlewaretoken: token.value, value }),
        redirect: "manual",
        signal: abort.signal,
      });
      if (answer.type === "opaqueredirect") return true;
      if (answer.status === 409) return "first";
      return answer.status === 429 || answer.status >= 500 ? null : false;
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  };

  const own = card && new URL(card.action).pathname;

  const flush = async () => {
    if (sending) return;
    sending = true;
    for (let kept; (kept = Object.entries(read())[0]);) {
      const done = await send(...kept);
      if (done === null) break;
      drop(kept[0]);
      if (kept[0] === own) {
        if (done === "first") location.assign(card.dataset.first);
        else if (done) location.assign(card.dataset.next);
        else location.reload();
        return;
      }
    }
    sending = false;
    const left = read();
    if (card && own in left) say("kept");
    if (Object.keys(left).length) setTimeout(flush, RETRY_SECONDS * 1000);
  };

  if (card) {
    card.addEventListener("submit", (event) => {
      const button = event.submitter;
      if (!button) return;
      event.preventDefault();
      // A second tap while the first is on its way; once the first is only kept, it may still be changed.
      if (sending && own in read()) return;
      for (const each of card.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each === button));
      keep(own, button.value);
      flush();
    });
  }

  // Other forms are sent by the browser: once, and not into a dead network, where typed words would be lost.
  for (const form of document.querySelectorAll("main form:not([data-next])")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      else if (!navigator.onLine) { event.preventDefault(); say("offline"); }
      else form.dataset.sent = "1";
    });
  }
  addEventListener("pageshow", (event) => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
    // The page came back from the browser's own store: the card may be answered already, so ask the site.
    if (event.persisted && card) location.reload();
  });
  addEventListener("online", () => { say("offline", false); flush(); });
  flush();

  // Keys: off inside fields, with modifiers, and where somebody switched them off (WCAG 2.1.4).
  const help = find("#keys");
  const off = () => { try { return localStorage.getItem(KEYS) === "off"; } catch { return false; } };
  if (help) {
    help.hidden = false;
    const box = help.querySelector("input");
    box.checked = !off();
    box.addEventListener("change", () => {
      try { localStorage.setItem(KEYS, box.checked ? "on" : "off"); } catch { /* stays for this page */ }
    });
  }
  const open = (details) => {
    if (!details) return;
    details.open = !details.open;
    details.querySelector("summary").focus();
  };
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") { const menu = find("#skip[open]"); if (menu) open(menu); return; }
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat || off()) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    const key = event.key.toLowerCase();
    if (/^[1-5]$/.test(key) && card) card.querySelector(`button[value="${key}"]`).click();
    else if (key === "r") find("#reveal button")?.click();
    else if (key === "s") open(find("#skip"));
    else if (key === "u") find("#undo button")?.click();
    else if (key === "?") open(help);
    else return;
    event.preventDefault();
  });
})();
