// What the explorers share: unpacking data, building elements, choices and pages. The page is complete without scripts.
"use strict";
const PAGE = 50;
const EVERY = "";

const unpack = async (name) => {
  const text = atob(document.getElementById(`data-${name}`).textContent);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k += 1) bytes[k] = text.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
};

// Everything is set as text or attribute, never as markup: what models and people wrote stays text.
const element = (tag, own = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(own)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
};

const choice = (holder, label, options, change) => {
  const select = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", change);
  holder.append(element("label", {}, `${label} `, select));
  return select;
};

const numbered = (names) => names.map((name, place) => [String(place), name]);
const any = (names, every) => [[EVERY, every], ...numbered(names)];
const picks = (select, place) => select.value === EVERY || Number(select.value) === place;

const pager = (holder, total, page, noun, move, size = PAGE) => {
  const last = Math.max(0, Math.ceil(total / size) - 1);
  const first = total ? page * size + 1 : 0;
  const step = (text, to) => {
    const button = element("button", { type: "button", onclick: () => move(to) }, text);
    button.disabled = to < 0 || to > last;
    return button;
  };
  const said = `${first}–${Math.min(total, (page + 1) * size)} of ${total} ${noun}`;
  holder.replaceChildren(step("Previous", page - 1), element("span", { role: "status" }, said), step("Next", page + 1));
};

const fixed = (value, digits) => (value === null ? "–" : value.toFixed(digits));
const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(0)} %`);

// What is blurred is hidden from screen readers as well.
const cover = (explorer) => {
  const box = explorer.querySelector(".unveil");
  const hide = () =>
    explorer.querySelectorAll(".sentence span").forEach((s) => s.setAttribute("aria-hidden", String(!box.checked)));
  box.addEventListener("change", hide);
  return hide;
};

// What an explorer or chart shows, in the address: #axis=religion&item=12; `in` names it where it is not the first.
const view = {
  // What the address asks of it; nothing where the address is of something else, or a place in the page.
  read: (name, first) => {
    const said = new URLSearchParams(location.hash.slice(1));
    const its = location.hash.length < 2 || (location.hash.includes("=") && (said.get("in") ?? first) === name);
    if (!its) return null;
    said.delete("in");
    return said;
  },
  address: (name, first, values) =>
    `#${new URLSearchParams([...(name === first ? [] : [["in", name]]), ...values])}`,
  write: (name, first, values, replace) => {
    const address = values.length || name !== first ? view.address(name, first, values) : location.pathname + location.search;
    history[replace ? "replaceState" : "pushState"](null, "", address);
  },
};
