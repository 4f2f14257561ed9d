"use strict";
/* Single keys for moderators and judges. An addition: each key presses a button or opens a fold that is on the page. */

const KEYS = "endoxa.keys";
const help = document.getElementById("keys");
const switchBox = document.getElementById("keys-on");

function keysAreOn() {
  try { return localStorage.getItem(KEYS) !== "off"; } catch { return switchBox.checked; }
}

function show() {
  switchBox.checked = keysAreOn();
  document.body.classList.toggle("with-keys", switchBox.checked);
}

function typing(target) {
  return target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}

/* Approving by key shows covered words to others: the first press shows them to the moderator. */
function firstLook(control) {
  const cover = control.value === "approve" && document.querySelector("article > .cover:not([open])");
  if (!cover) return false;
  cover.open = true;
  cover.scrollIntoView({ block: "nearest" });
  return true;
}

/* What a key presses: nothing in a closed fold; in an open one before anything else (reasons, chosen by digit). */
function controlOf(key) {
  const all = [...document.querySelectorAll(`[data-key~="${CSS.escape(key)}"]`)].filter((one) => {
    const around = one.tagName === "SUMMARY" ? one.parentElement.parentElement : one;
    return around.closest("details:not([open])") === null;
  });
  const inFold = (one) => (one.tagName === "SUMMARY" ? one.parentElement.parentElement : one).closest("details");
  return all.find(inFold) || all[0];
}

/* The key Enter belongs to whatever has the focus. */
function taken(event) {
  return event.key === "Enter" && event.target.closest("a, button, summary, input, label") !== null;
}

function press(control) {
  if (control.matches("input:not([type=radio], [type=checkbox]), textarea")) {
    control.focus();
    control.select();
    return;
  }
  if (control.tagName !== "SUMMARY") {
    control.click();
    return;
  }
  const fold = control.parentElement;
  fold.open = true;
  const inside = [...fold.querySelectorAll("input:not([type=hidden]), textarea, summary, button")];
  (inside.find((one) => one !== control) || control).focus();
}

if (help) {
  help.hidden = false;
  show();
  switchBox.addEventListener("change", () => {
    try { localStorage.setItem(KEYS, switchBox.checked ? "on" : "off"); } catch { /* stays for this page */ }
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.key === "Escape" && typing(event.target)) event.target.blur();
    if (typing(event.target) || taken(event)) return;
    if (event.key === "?") {
      help.open = !help.open;
      help.scrollIntoView({ block: "nearest" });
      return;
    }
    if (!switchBox.checked) return;
    const key = event.key.toLowerCase();
    const control = key === "r"
      ? document.querySelector("article .cover > summary")
      : controlOf(key);
    if (control) {
      event.preventDefault();
      if (!firstLook(control)) press(control);
    }
  });
}
