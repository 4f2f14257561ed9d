"use strict";
/* Single keys for moderators. An addition: each key presses a button or opens a fold that is on the page. */

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
  return target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
}

/* Approving by key shows covered words to others: the first press shows them to the moderator. */
function firstLook(control) {
  const cover = control.value === "approve" && document.querySelector("article > .cover:not([open])");
  if (!cover) return false;
  cover.open = true;
  cover.scrollIntoView({ block: "nearest" });
  return true;
}

function press(control) {
  if (control.tagName !== "SUMMARY") {
    control.click();
    return;
  }
  const fold = control.parentElement;
  fold.open = true;
  (fold.querySelector("input:not([type=hidden]), button") || control).focus();
}

if (help) {
  help.hidden = false;
  show();
  switchBox.addEventListener("change", () => {
    try { localStorage.setItem(KEYS, switchBox.checked ? "on" : "off"); } catch { /* stays for this page */ }
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || typing(event.target)) return;
    if (event.key === "?") {
      help.open = !help.open;
      help.scrollIntoView({ block: "nearest" });
      return;
    }
    if (!switchBox.checked) return;
    const key = event.key.toLowerCase();
    const control = key === "r"
      ? document.querySelector("article .cover > summary")
      : document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (control) {
      event.preventDefault();
      if (!firstLook(control)) press(control);
    }
  });
}
