// An addition to cards: everything works without it. It answers to keys, and sends no form into a dead network; answers
// and words that find none are kept by `offline.js`.
"use strict";

(() => {
  const KEYS = "endoxa.keys";
  const find = (selector) => document.querySelector(selector);
  // A comparison has the same look and none of this: it is sent as any form.
  const card = find("form.answers[data-keep]");

  const say = (id, shown = true) => {
    const line = document.getElementById(id);
    if (!line) return;
    line.hidden = !shown;
    line.textContent = shown ? line.dataset.text : "";
    if (shown) line.scrollIntoView({ block: "nearest" });
  };

  // Other forms are sent by the browser: once, and not into a dead network, where typed words would be lost.
  for (const form of document.querySelectorAll("main form:not([data-keep])")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) event.preventDefault();
      else if (!navigator.onLine) {
        event.preventDefault();
        // The page that the phone keeps has the words behind its cover.
        if (form.id === "reveal" && navigator.serviceWorker?.controller) location.reload();
        else say("offline");
      }
      else form.dataset.sent = "1";
    });
  }
  addEventListener("pageshow", (event) => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
    // The page came back from the browser's own store: the card may be answered already, so ask the site.
    if (event.persisted && card) location.reload();
  });
  addEventListener("online", () => { say("offline", false); });

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
    if (event.key === "Escape") { const menu = find(".skip[open]"); if (menu) open(menu); return; }
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat || off()) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
    const key = event.key.toLowerCase();
    if (/^[1-5]$/.test(key) && card) {
      // Not inside a cover that nobody opened.
      if (!card.closest("details:not([open])")) card.querySelector(`button[value="${key}"]`).click();
    }
    else if (key === "r") find("#reveal button, #reveal > summary")?.click();
    else if (key === "s") open(find("#skip"));
    else if (key === "u") find("#undo button")?.click();
    else if (key === "?") open(help);
    else return;
    event.preventDefault();
  });
})();
