// The table of associations: choose, sort, leaf through, and see what each model shows.
const associations = async () => {
  const explorer = document.getElementById("association-explorer");
  if (!explorer) return;
  const data = await unpack("associations");
  const [controls, turning] = [explorer.querySelector(".controls"), explorer.querySelector(".pager")];
  const [heads, body] = [explorer.querySelectorAll("th"), explorer.querySelector("tbody")];
  const hide = cover(explorer);
  let [page, sorted, falling] = [0, null, true];

  const named = (column) => [...new Set(data.rows.map((row) => row[0][column]))].sort((a, b) => a - b);
  const words = (places) => [[EVERY, "any"], ...places.map((place) => [String(place), data.words[place]])];
  const again = () => show(0);
  const base = choice(controls, "stories about", words(named(0)), again);
  const compared = choice(controls, "also have", words(named(2)), again);
  const model = choice(controls, "model", any(data.models, "all models"), again);
  const language = choice(controls, "language", any(data.languages, "any"), again);
  const verdicts = [...new Set(data.rows.map((row) => row[3]))].map((said) => [said ?? "unrated", said ?? "not rated"]);
  const harm = data.rated ? choice(controls, "harm", [[EVERY, "any"], ...verdicts], again) : null;
  const rule = element("input", { type: "checkbox" });
  rule.addEventListener("change", again);
  controls.append(element("label", {}, rule, " only those the article's rule keeps"));
  const search = element("input", { type: "search" });
  search.addEventListener("input", again);
  controls.append(element("label", {}, "search ", search));

  const text = (row, column) => data.words[row[0][column]];
  const own = (row) => row[5].find((one) => picks(model, one[0]));
  const kept = (row) =>
    picks(base, row[0][0]) &&
    picks(compared, row[0][2]) &&
    (model.value === EVERY || own(row)) &&
    (language.value === EVERY || row[1].includes(Number(language.value))) &&
    (!harm || harm.value === EVERY || harm.value === (row[3] ?? "unrated")) &&
    (!rule.checked || row[4] === 1) &&
    `${text(row, 1)} ${text(row, 3)}`.toLowerCase().includes(search.value.trim().toLowerCase().replaceAll("_", " "));
  // With one model chosen, its own numbers stand in the place of those over all models.
  const values = (row) => (model.value === EVERY ? row[2].slice(0, 5) : own(row).slice(1));
  const keys = [
    (row) => text(row, 1),
    (row) => text(row, 3),
    (row) => row[5].length,
    (row) => row[1].length,
    ...[0, 1, 3, 4].map((place) => (row) => values(row)[place] ?? -1),
    ...(data.rated ? [(row) => row[2][5] ?? -1, (row) => row[3] ?? ""] : []),
    (row) => row[6],
  ];

  const list = (places, names, noun) =>
    places.length > 3 ? `${places.length} ${noun}` : places.map((place) => names[place]).join(", ") || "–";
  const interval = (low, high) => (low === null ? "–" : `${fixed(low, 2)} to ${fixed(high, 2)}`);
  const models = (row) => {
    const cell = element("td");
    const many = list(row[5].map((one) => one[0]), data.models, "models");
    if (!row[5].length) return element("td", {}, "–");
    const lines = row[5].map(
      ([place, lift, low, high, share, n]) =>
        `${data.models[place]}: lift ${fixed(lift, 2)} (${interval(low, high)}), ${percent(share)}` +
        (n === null ? "" : `, ${n} stories`),
    );
    cell.append(element("details", {}, element("summary", {}, many), ...lines.map((line) => element("div", {}, line))));
    return cell;
  };
  const number = (said) => element("td", { class: "number" }, said);
  const veiled = (said) => element("td", { class: "sentence" }, element("span", {}, said));
  const line = (row) => {
    const [lift, low, high, share, n] = values(row);
    const cells = [
      veiled(text(row, 1)),
      veiled(text(row, 3)),
      models(row),
      element("td", {}, list(row[1], data.languages, "languages")),
      number(fixed(lift, 2)),
      number(interval(low, high)),
      number(percent(share)),
      number(n === null ? "–" : n.toLocaleString("en")),
    ];
    if (data.rated) cells.push(number(fixed(row[2][5], 1)), element("td", {}, row[3] ?? "–"));
    if (data.tested) cells.push(element("td", {}, row[6]));
    return element("tr", {}, ...cells);
  };

  const show = (to) => {
    page = to;
    const rows = data.rows.filter(kept);
    if (sorted !== null) {
      const key = keys[sorted];
      const order = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
      rows.sort((a, b) => (falling ? -1 : 1) * order(key(a), key(b)));
    }
    body.replaceChildren(...rows.slice(page * PAGE, (page + 1) * PAGE).map(line));
    pager(turning, rows.length, page, "associations", show);
    hide();
  };
  heads.forEach((head, column) => {
    const sort = () => {
      falling = sorted === column ? !falling : column > 1;
      sorted = column;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      show(0);
    };
    head.replaceChildren(element("button", { type: "button", onclick: sort }, head.textContent));
  });
  show(0);
};
