// Copies the receipt code, or the link on the page of thanks. `navigator.clipboard` is missing on plain http, as in a workshop's own network.
"use strict";

const button = document.getElementById("receipt-copy");
const code = document.getElementById("receipt-code");
const told = document.getElementById("receipt-status");

const select = () => {
  const range = document.createRange();
  range.selectNodeContents(code);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

const copy = async () => {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
  select();
  if (!document.execCommand("copy")) throw new Error("not copied");
};

button.hidden = false;
button.addEventListener("click", () => {
  copy().then(
    () => { told.textContent = button.textContent = button.dataset.done; },
    () => { select(); told.textContent = button.textContent = button.dataset.failed; },
  );
});
