// Boxes above a figure: what is chosen is drawn anew, and stands in the address.
// The first choice is drawn already, and stands without scripts.
(() => {
  const CLAIMS = ["above", "below"];
  const NUMBER = /^((?:× )?[+−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:\u00a0%| %)?)?\s*(.*)$/s; // as `leading_number` in words.py
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
      untested: row.verdict === "cannot-be-tested",
      tip: `${words(row, boxes)}: ${row.reading}, n ${Number(row.n).toLocaleString("en")}, ${row.verdict.replaceAll("-", " ")}`,
    }));
    return [drawn, kept.length];
  };

  // As the macro `plot` in parts.html.j2.
  const drawnRow = (row, { domain: [low, high], neutral }) => {
    const place = (value) => (100 * (Math.min(Math.max(value, low), high) - low)) / (high - low);
    const mark = (name, left, own = {}) => {
      const made = element("i", { class: name, ...own });
      made.style.left = `${left}%`;
      return made;
    };
    const dots = element("span", { class: "s0" });
    dots.style.setProperty("--lane", 0);
    if (row.low !== null && row.high !== null) {
      dots.append(mark("bar", place(row.low)));
      dots.lastChild.style.width = `${place(row.high) - place(row.low)}%`;
    }
    const kind = row.filled ? "filled" : row.untested ? "untested" : "";
    dots.append(mark(`dot ${kind}`, place(row.value), { "data-tip": row.tip }));
    const [, number, rest] = row.note.match(NUMBER);
    return element(
      "p",
      { class: "row" },
      element("bdi", { class: "label" }, row.label),
      element("span", { class: "track" }, mark("neutral", place(neutral)), dots),
      element("span", { class: "value" }, element("b", {}, number ?? ""), " ", element("small", {}, `${rest}  ${row.letters}`)),
    );
  };

  for (const figure of document.querySelectorAll("figure[data-closer]")) {
    const form = figure.querySelector("form");
    const boxes = [...form.querySelectorAll("select")];
    const initial = boxes.map((box) => box.value);
    const { most, ...scale } = JSON.parse(figure.querySelector("script").textContent);
    const said = form.querySelector("output");
    const plot = figure.querySelector(".plot");
    const [head, ...body] = csv.read(figure.querySelector("a[download]"));
    const rows = body.map((cells) => Object.fromEntries(cells.map((cell, place) => [head[place], cell])));

    const draw = () => {
      const [drawn, total] = chosen(rows, boxes, most);
      said.textContent =
        total > most
          ? `The ${most} highest of ${total.toLocaleString("en")} estimates.`
          : `${total} estimate${total === 1 ? "" : "s"}.`;
      if (rows.some((row) => row.letters) && !drawn.some((row) => row.letters)) said.textContent += " Letters are given to models over all axes only, under one rule.";
      const finding = figure.closest("section")?.querySelector(".finding");
      const values = drawn.map((row) => row.tip).join("; ") || "no estimate";
      plot.setAttribute("aria-label", [finding?.textContent, values].filter(Boolean).join(" "));
      plot.querySelectorAll(".row:has(.label)").forEach((row) => row.remove());
      plot.querySelector(".ticks").before(...drawn.map((row) => drawnRow(row, scale)));
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
    restore();
  }
})();
