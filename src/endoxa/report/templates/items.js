// Items to read: filters, two models side by side, the view in the address. The page holds the first few without this.
// The list is a feed, with its keys, as in the ARIA Authoring Practices Guide.
const readItems = async (holder, first) => {
  const SHOWN = 10;
  const name = holder.dataset.name;
  const data = await unpack(name);
  const [form, list, turning] = [".choices", ".list", ".pager"].map((part) => holder.querySelector(part));
  const veil = holder.querySelector(".unveil");
  const names = (key) => [...new Set(data.answers.map((answer) => answer[key]))];
  const [models, conditions] = [names("model"), names("condition")];
  const same = (values) => values.map((value) => [value, value]);
  const initial = { model: models[0], beside: models[1] ?? EVERY, [data.condition]: conditions[0] };
  const boxes = {};
  let [page, item] = [0, ""];

  const change = (replace) => {
    [page, item] = [0, ""];
    view.write(name, first, state(), replace);
    show();
  };
  const add = (key, label, options) => {
    boxes[key] = choice(form, label, options, () => change(false));
  };
  add("model", "Model", same(models));
  const under = conditions.length > 1 ? conditions.map((name) => [`${data.condition}=${name}`, `the same under ${name}`]) : [];
  const several = models.length > 1 || under.length > 0;
  if (several) add("beside", "Beside it", [[EVERY, "no other"], ...same(models), ...under]);
  if (conditions.length > 1) add(data.condition, data.condition[0].toUpperCase() + data.condition.slice(1), same(conditions));
  for (const { name: key, noun, values, words } of data.facets) {
    add(key, noun[0].toUpperCase() + noun.slice(1), [[EVERY, "any"], ...values.map((value, k) => [value, words[k]]).filter(([value]) => value)]);
  }
  const codes = data.outcomes.map((outcome, k) => [outcome, String.fromCharCode(48 + k)]);
  add("outcome", "Outcome of the first", [[EVERY, "any"], ...same(data.outcomes)]);
  if (data.answers.some((answer) => answer.values)) {
    add("order", "Order", [[EVERY, "widest of any model first"], ["widest", "widest of the first"], ["apart", "furthest apart"]]);
  }
  const tick = element("input", { type: "checkbox" });
  if (several) form.append(element("label", {}, tick, " only where the two differ"));
  const search = element("input", { type: "search" });
  form.append(element("label", {}, "Search ", search));
  tick.addEventListener("change", () => change(false));
  search.addEventListener("input", () => change(true));
  const status = element("output");
  form.append(status);
  form.addEventListener("submit", (event) => event.preventDefault());

  // What differs from the first view, as it stands in the address.
  const state = () => {
    const chosen = Object.entries(boxes).map(([key, box]) => [key, box.value]);
    const kept = chosen.filter(([key, value]) => value !== (initial[key] ?? EVERY));
    if (tick.checked) kept.push(["differ", "1"]);
    if (search.value) kept.push(["search", search.value]);
    if (page) kept.push(["page", page + 1]);
    if (item) kept.push(["item", item]);
    return kept;
  };
  const restore = () => {
    const said = view.read(name, first);
    if (!said) return false;
    for (const [key, box] of Object.entries(boxes)) {
      box.value = said.get(key) ?? initial[key] ?? EVERY;
      if (box.selectedIndex < 0) box.value = initial[key] ?? EVERY;
    }
    tick.checked = said.get("differ") === "1";
    search.value = said.get("search") ?? "";
    page = Math.max(0, (Number.parseInt(said.get("page"), 10) || 1) - 1);
    item = said.get("item") ?? "";
    return [...said].length > 0;
  };

  // Answers of a model under a condition, or under its first one where it has no such.
  const answers = (model, condition = boxes[data.condition]?.value) => {
    const all = data.answers.filter((answer) => answer.model === model);
    return all.find((answer) => answer.condition === condition) ?? all[0];
  };
  const beside = (value) => {
    const place = under.findIndex(([name]) => name === value);
    return place < 0 ? value && answers(value) : answers(boxes.model.value, conditions[place]);
  };
  const size = (answer, k) => answer?.values?.[k] ?? null;
  const widths = {
    widest: ([one], k) => Math.abs(size(one, k) ?? -1),
    apart: ([one, other], k) =>
      size(one, k) === null || size(other, k) === null ? -1 : Math.abs(size(one, k) - size(other, k)),
  };
  const matching = (sides) => {
    const wanted = data.facets.map(({ name: key, places, values }) => [places, values.indexOf(boxes[key].value || null)]);
    const code = codes.find(([outcome]) => outcome === boxes.outcome.value)?.[1];
    const text = search.value.trim().toLowerCase();
    const [one, other] = sides;
    const differ = (k) => other && one.outcomes[k] !== other.outcomes[k] && !`${one.outcomes[k]}${other.outcomes[k]}`.includes("-");
    const kept = [...data.ids.keys()].filter(
      (k) =>
        wanted.every(([places, place]) => place < 0 || places[k] === place) &&
        (code ? one.outcomes[k] === code : sides.some((side) => side.outcomes[k] !== "-")) &&
        (!tick.checked || differ(k)) &&
        (!text || [data.ids[k], ...data.parts.map((part) => part.texts[k])].some((one) => one?.toLowerCase().includes(text))),
    );
    const width = widths[boxes.order?.value];
    if (width) kept.sort((a, b) => width(sides, b) - width(sides, a));
    return kept;
  };

  // Of two sentences, the words that one has and the other has not are underlined.
  const marked = (text, other) => {
    const [own, its] = [text.split(" "), other.split(" ")];
    // Length of the longest common sequence of the words from each place on.
    const common = [...own, ""].map(() => new Array(its.length + 1).fill(0));
    for (let i = own.length - 1; i >= 0; i -= 1) {
      for (let j = its.length - 1; j >= 0; j -= 1) {
        common[i][j] = own[i] === its[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    const pieces = [];
    for (let [i, j] = [0, 0]; i < own.length; ) {
      const alike = own[i] === its[j];
      if (!alike && j < its.length && common[i][j + 1] >= common[i + 1][j]) {
        j += 1;
        continue;
      }
      if (pieces.at(-1)?.alike === alike) pieces.at(-1).words.push(own[i]);
      else pieces.push({ alike, words: [own[i]] });
      [i, j] = [i + 1, j + alike];
    }
    const drawn = pieces.map(({ alike, words }) => (alike ? words.join(" ") : element("u", {}, words.join(" "))));
    return drawn.flatMap((piece, place) => (place ? [" ", piece] : [piece]));
  };
  const drawn = (k, place, total, sides) => {
    const head = `${name}-item-${place}`;
    const id = data.ids[k];
    const link = element("a", { href: view.address(name, first, [...state().filter(([key]) => key !== "item" && key !== "page"), ["item", id]]) }, id);
    const facets = data.facets.map((facet) => element("span", {}, facet.words[facet.places[k]]));
    const button = element("button", { type: "button", "aria-pressed": "false" }, "Show the text");
    const part = ({ noun, texts }, index, parts) => {
      const text = texts[k] ?? "";
      const pieces = data.alike ? marked(text, parts[1 - index].texts[k] ?? "") : [text];
      return element("p", { class: "sentence", dir: "auto", lang: data.languages[k] }, element("b", { lang: "en", dir: "ltr" }, noun), " ", element("span", {}, ...pieces));
    };
    const answer = (side) => {
      const code = side.outcomes[k];
      const said = code === "-" ? "not asked" : data.outcomes[code.charCodeAt(0) - 48];
      const value = size(side, k);
      const text = side.texts?.[k];
      return element(
        "p",
        text ? { class: "sentence", dir: "auto", lang: data.languages[k] } : {},
        element("b", { lang: "en", dir: "ltr" }, [side.model, side.condition].filter(Boolean).join(" · ")),
        " ",
        element("em", { lang: "en" }, said + (value === null ? "" : ` (${value > 0 ? "+" : ""}${value})`.replace("-", "−"))),
        ...(text ? [" ", element("span", {}, text)] : []),
      );
    };
    const article = element(
      "article",
      { class: "item", tabindex: "0", "aria-labelledby": head, "aria-posinset": place + 1, "aria-setsize": total, "aria-current": id === item ? "true" : null },
      element("div", { class: "item-head" }, element("span", { id: head }, link), ...facets, button),
      element("div", { class: "parts" }, ...data.parts.map(part)),
      element("div", { class: "parts" }, ...sides.map(answer)),
    );
    button.addEventListener("click", () => open(article, !article.classList.contains("open")));
    return article;
  };
  // What is blurred is hidden from screen readers as well.
  const open = (article, shown) => {
    article.classList.toggle("open", shown);
    const button = article.querySelector("button");
    button.setAttribute("aria-pressed", String(shown));
    button.textContent = shown ? "Cover the text" : "Show the text";
    cover(article);
  };
  const cover = (article) => {
    const hidden = !veil.checked && !article.classList.contains("open");
    article.querySelectorAll(".sentence span").forEach((text) => text.setAttribute("aria-hidden", String(hidden)));
  };
  veil.addEventListener("change", () => list.querySelectorAll(".item").forEach(cover));

  const show = () => {
    const sides = [answers(boxes.model.value), boxes.beside && beside(boxes.beside.value)].filter(Boolean);
    const kept = matching(sides);
    const wanted = data.ids.indexOf(item);
    const at = kept.indexOf(wanted);
    if (at >= 0) page = Math.floor(at / SHOWN);
    page = Math.min(page, Math.max(0, Math.ceil(kept.length / SHOWN) - 1));
    const rows = kept.slice(page * SHOWN, (page + 1) * SHOWN).map((k, place) => drawn(k, page * SHOWN + place, kept.length, sides));
    if (wanted >= 0 && at < 0) rows.unshift(drawn(wanted, -1, kept.length, sides));
    status.textContent =
      `${kept.length.toLocaleString("en")} of ${data.ids.length.toLocaleString("en")} ${data.nouns}.` +
      (wanted >= 0 && at < 0 ? ` ${item} is not one of them; it stands first.` : "") +
      (item && wanted < 0 ? ` There is no ${data.noun} ${item} in this page.` : "");
    list.replaceChildren(...rows);
    rows.forEach(cover);
    pager(turning, kept.length, page, data.nouns, turn, SHOWN);
  };
  const turn = (to) => {
    [page, item] = [to, ""];
    view.write(name, first, state(), false);
    show();
    list.firstElementChild?.focus();
  };

  list.addEventListener("keydown", (event) => {
    const article = event.target.closest(".item");
    const step = { PageDown: 1, PageUp: -1 }[event.key];
    const leave = event.ctrlKey && { Home: form.querySelector("select"), End: turning.querySelector("button:enabled") }[event.key];
    if (step) {
      const rows = [...list.children];
      const next = rows[rows.indexOf(article) + step];
      const button = turning.querySelectorAll("button")[step > 0 ? 1 : 0];
      if (next) next.focus();
      else if (!button.disabled) {
        button.click();
        if (step < 0) list.lastElementChild.focus();
      }
    } else if (leave) leave.focus();
    else if (event.target === article && (event.key === "Enter" || event.key === " ")) article.querySelector("button").click();
    else return;
    event.preventDefault();
  });

  const follow = (event) => {
    const asked = restore();
    if (asked || event) show();
    if (asked) (list.querySelector("[aria-current]") ?? holder).scrollIntoView({ block: "start" });
  };
  holder.closest("details")?.setAttribute("open", "");
  window.addEventListener("hashchange", follow);
  for (const [key, box] of Object.entries(boxes)) box.value = initial[key] ?? EVERY;
  form.hidden = false;
  holder.querySelector(".keys").hidden = false;
  restore();
  show();
  if (view.read(name, first)?.size) follow();
};
if ("DecompressionStream" in window) {
  const explorers = [...document.querySelectorAll(".items")];
  explorers.forEach((holder) => readItems(holder, explorers[0].dataset.name));
}
