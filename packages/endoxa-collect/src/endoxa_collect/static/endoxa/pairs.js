"use strict";
/* Marks the words in which two sentences differ while the second one is typed. An addition: the site checks it again. */

const field = document.getElementById("sent_less");
const lines = { more: document.getElementById("live-more"), less: document.getElementById("live-less") };
const same = document.getElementById("live-same");

function wordsOf(text) {
  return text.trim().split(/\s+/u).filter(Boolean);
}

function bare(word) {
  return word.replace(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "").toLowerCase();
}

function mark(line, words, head, tail) {
  const until = words.length - tail;
  const middle = document.createElement("mark");
  middle.className = "span diff";
  middle.textContent = words.slice(head, until).join(" ");
  const parts = [words.slice(0, head).join(" "), middle, words.slice(until).join(" ")];
  const shown = parts.filter((part) => (part === middle ? middle.textContent : part));
  line.replaceChildren(...shown.flatMap((part, place) => (place ? [" ", part] : [part])));
}

function compare() {
  const more = wordsOf(lines.more.textContent);
  const less = wordsOf(field.value);
  const shortest = Math.min(more.length, less.length);
  let head = 0;
  while (head < shortest && bare(more[head]) === bare(less[head])) head += 1;
  let tail = 0;
  while (tail < shortest - head && bare(more.at(-1 - tail)) === bare(less.at(-1 - tail))) tail += 1;
  mark(lines.more, more, head, tail);
  mark(lines.less, less, head, tail);
  same.hidden = more.join(" ") !== less.join(" ");
}

if (field) field.addEventListener("input", compare);
