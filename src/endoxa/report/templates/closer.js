// Boxes above a figure: what is chosen is drawn anew. The first choice is a picture already, and stands without scripts.
(() => {
  const CLAIMS = ["above", "below"];
  const NOTES = 170; // room for what stands at the right, in pixels
  const figures = document.querySelectorAll("figure[data-closer]");
  if (!figures.length || !("DecompressionStream" in window)) return;

  let library = null;
  const load = async () => {
    const bytes = Uint8Array.from(atob(VEGA_EMBED), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const source = new Blob([await new Response(stream).text()], { type: "text/javascript" });
    const address = URL.createObjectURL(source);
    const { vegaEmbed } = await import(address);
    URL.revokeObjectURL(address);
    return vegaEmbed;
  };

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
    const words = (row, from) => from.map((box) => row[box.name]).join(" · ");
    const drawn = kept.slice(0, most).map((row) => ({
      label: words(row, varying.length ? varying : boxes.slice(0, 1)),
      note: row.reading,
      value: row.value,
      low: row.low,
      high: row.high,
      filled: CLAIMS.includes(row.verdict),
      tip: `${words(row, boxes)}: ${row.reading}, n ${Number(row.n).toLocaleString("en")}, ${row.verdict.replaceAll("-", " ")}`,
    }));
    return [drawn, kept.length];
  };

  // A picture like those of the page: described as a whole, with words for who points at a mark.
  const picture = (text, label) => {
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    for (const part of svg.querySelectorAll("[role], [aria-roledescription], [aria-label]")) {
      if (part.matches('[role="graphics-symbol"][aria-roledescription$=" mark"]') && part.hasAttribute("aria-label")) {
        part.dataset.tip = part.getAttribute("aria-label");
      }
      for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
    }
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    return document.importNode(svg, true);
  };

  for (const figure of figures) {
    const form = figure.querySelector("form");
    const boxes = [...form.querySelectorAll("select")];
    const { spec, name, most, labelLimit } = JSON.parse(figure.querySelector("script").textContent);
    const said = form.querySelector("output");
    let rows = null;
    let turn = 0;

    const read = () => {
      const [head, ...body] = csv.read(figure.querySelector("a[download]"));
      return body.map((cells) => Object.fromEntries(cells.map((cell, place) => [head[place], cell])));
    };

    const draw = async () => {
      const own = (turn += 1);
      rows ??= read();
      const [drawn, total] = chosen(rows, boxes, most);
      said.textContent =
        total > most
          ? `The ${most} highest of ${total.toLocaleString("en")} estimates.`
          : `${total} estimate${total === 1 ? "" : "s"}.`;
      const whole = structuredClone(spec);
      whole.datasets[name] = drawn;
      const room = Math.min(labelLimit, Math.round(6.3 * Math.max(0, ...drawn.map((row) => row.label.length))) + 8);
      for (const { encoding } of whole.layer) {
        if (encoding.y) Object.assign(encoding.y.axis, { labelLimit: room, minExtent: room });
      }
      whole.width = Math.max(150, Math.min(whole.width, figure.clientWidth - room - NOTES));
      library ??= load();
      const holder = document.createElement("div");
      const embed = await library;
      // Expressions are interpreted, because the page forbids evaluation.
      const { view, finalize } = await embed(holder, whole, { ast: true, actions: false, renderer: "svg" });
      const text = await view.toSVG();
      finalize();
      if (own !== turn) return; // something else was chosen meanwhile
      figure.querySelector("svg").replaceWith(picture(text, drawn.map((row) => row.tip).join("; ") || "no estimate"));
    };
    form.addEventListener("change", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
  }
})();
