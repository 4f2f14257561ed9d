// Boxes above a figure: what is chosen is drawn anew, as wide as there is room, and stands in the address.
// The first choice is a picture already, and stands without scripts.
(() => {
  const CLAIMS = ["above", "below"];
  const STACKED = 560; // below this width labels stand above their dots
  const LETTER = 6.3; // width of a character in pixels, about
  const number = (text) => (text === "" ? null : Number(text));

  // As `first_view` in closer.py.
  const chosen = (rows, boxes, most) => {
    const kept = rows
      .filter((row) =>
        boxes.every((box) => (box.value ? row[box.name] === box.value : row[box.name] !== box.dataset.together)),
      )
      .map((row) => ({ ...row, value: number(row.value), low: number(row.low), high: number(row.high) }))
      .filter((row) => row.value !== null)
      .sort((one, other) => other.value - one.value);
    const varying = boxes.filter((box) => !box.value);
    const lettered = varying.length === 1 && varying[0] === boxes[0];
    const words = (row, from) => from.map((box) => row[box.name]).join(" · ");
    const drawn = kept.slice(0, most).map((row) => ({
      label: words(row, varying.length ? varying : boxes.slice(0, 1)),
      note: row.reading,
      letters: (lettered && row.letters) || "",
      value: row.value,
      low: row.low,
      high: row.high,
      filled: CLAIMS.includes(row.verdict),
      tip: `${words(row, boxes)}: ${row.reading}, n ${Number(row.n).toLocaleString("en")}, ${row.verdict.replaceAll("-", " ")}`,
    }));
    return [drawn, kept.length];
  };

  const [ink, muted, grid, blue] = ["#1b1f24", "#57606a", "#e3e6e9", "#0b5fa5"];
  const text = (x, y, words, own = {}) => svgPart("text", { x, y, fill: ink, "font-size": 12, ...own }, words);

  const picture = (rows, { neutral, domain, title, ticks, labelLimit }, width) => {
    const stacked = width < STACKED;
    const widest = (name) => LETTER * Math.max(0, ...rows.map((row) => row[name].length)) + 14;
    const room = stacked ? 6 : Math.min(labelLimit, widest("label"));
    const slots = [...new Set(rows.flatMap((row) => [...row.letters]))].sort();
    const plot = stacked ? width - 2 * room : Math.max(110, width - room - widest("note") - 10 * slots.length);
    const [step, drop] = stacked ? [42, 27] : [23, 12];
    const height = step * Math.max(1, rows.length);
    const x = (value) => room + ((Math.min(Math.max(value, domain[0]), domain[1]) - domain[0]) / (domain[1] - domain[0])) * plot;
    const line = (own) => svgPart("line", own);
    const shortened = (words, beside) => {
      const most = Math.floor((stacked ? width - LETTER * beside - 16 : room - 10) / LETTER);
      return words.length > most ? `${words.slice(0, most - 1)}…` : words;
    };
    const marks = rows.flatMap((row, place) => {
      const y = place * step + drop;
      const label = stacked
        ? text(room, y - 12, shortened(row.label, row.note.length + row.letters.length + 2), { "font-weight": 600 })
        : text(room - 8, y + 4, shortened(row.label, 0), { "text-anchor": "end" });
      const interval =
        row.low === null || row.high === null ? [] : [line({ x1: x(row.low), x2: x(row.high), y1: y, y2: y, stroke: blue, "stroke-width": 2 })];
      const dot = svgPart("circle", { cx: x(row.value), cy: y, r: 4.5, stroke: blue, "stroke-width": 2, fill: row.filled ? blue : "#fff", class: row.filled ? "" : "hollow", "data-tip": row.tip });
      // Wide: a column for each letter, so that who shares one stands in one line.
      const after = stacked
        ? [text(width - room, y - 12, `${row.note}  ${row.letters}`, { "text-anchor": "end" })]
        : [text(room + plot + 10, y + 4, row.note), ...[...row.letters].map((letter) => text(width - 10 * (slots.length - slots.indexOf(letter)), y + 4, letter))];
      return [label, ...interval, dot, ...after];
    });
    const axis = ticks.flatMap(([value, words]) => [
      line({ x1: x(value), x2: x(value), y1: 0, y2: height, stroke: grid }),
      text(x(value), height + 16, words, { "text-anchor": "middle", "font-size": 11 }),
    ]);
    const dashed = line({ x1: x(neutral), x2: x(neutral), y1: 0, y2: height, stroke: muted, "stroke-dasharray": "4 3" });
    const below = text(room, height + 34, title, { "font-size": 11, "font-weight": 600 });
    const size = { width, height: height + 42, viewBox: `0 0 ${width} ${height + 42}` };
    return svgPart("svg", { ...size, class: "live", role: "img", "font-family": "system-ui, Arial, sans-serif" }, ...axis, dashed, ...marks, below);
  };

  for (const figure of document.querySelectorAll("figure[data-closer]")) {
    const form = figure.querySelector("form");
    const boxes = [...form.querySelectorAll("select")];
    const initial = boxes.map((box) => box.value);
    const { most, ...scale } = JSON.parse(figure.querySelector("script").textContent);
    const said = form.querySelector("output");
    const [head, ...body] = csv.read(figure.querySelector("a[download]"));
    const rows = body.map((cells) => Object.fromEntries(cells.map((cell, place) => [head[place], cell])));

    const draw = () => {
      const [drawn, total] = chosen(rows, boxes, most);
      said.textContent =
        total > most
          ? `The ${most} highest of ${total.toLocaleString("en")} estimates.`
          : `${total} estimate${total === 1 ? "" : "s"}.`;
      if (rows.some((row) => row.letters) && !drawn.some((row) => row.letters)) said.textContent += " Letters are given to models over all axes only, under one rule.";
      const svg = picture(drawn, scale, Math.min(900, figure.clientWidth));
      const finding = figure.closest("section")?.querySelector(".finding");
      const values = drawn.map((row) => row.tip).join("; ") || "no estimate";
      svg.setAttribute("aria-label", [finding?.textContent, values].filter(Boolean).join(" "));
      figure.querySelector("svg").replaceWith(svg);
    };
    const restore = () => {
      const asked = view.read(figure.id, "");
      if (!asked) return;
      boxes.forEach((box, place) => {
        box.value = asked.get(box.name) ?? initial[place];
        if (box.selectedIndex < 0) box.value = initial[place];
      });
      if (asked.size) figure.scrollIntoView({ block: "start" });
      draw();
    };
    form.addEventListener("change", () => {
      view.write(figure.id, "", boxes.filter((box, place) => box.value !== initial[place]).map((box) => [box.name, box.value]), false);
      draw();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    window.addEventListener("hashchange", restore);
    let width = 0;
    new ResizeObserver(() => {
      if (figure.clientWidth !== width) draw();
      width = figure.clientWidth;
    }).observe(figure);
    restore();
  }
})();
