// Every figure as files, made from the page itself: a page sent alone has them too.
(() => {
  const folder = location.pathname.split("/").at(-1).replace(/\.html?$/, "_figures");
  const save = (blob, name) => {
    const address = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  const papers = [...document.styleSheets[0].cssRules].filter((rule) => rule.selectorText === ":root");
  const color = (name) => papers.map((rule) => rule.style.getPropertyValue(name)).find(Boolean).trim();
  // The words of a text by the line on which they stand.
  const linesOf = (node) => {
    const lines = [];
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { left, right, top, bottom, width } = range.getBoundingClientRect();
      const line = lines.at(-1);
      if (line && Math.abs(line.top - top) < 2) {
        line.words += ` ${word}`;
        [line.left, line.right] = [Math.min(line.left, left), Math.max(line.right, right)];
      } else if (width) lines.push({ words: word, left, right, top, bottom });
    }
    return lines;
  };
  // Rows of the page as a picture: everything where it stands on the screen.
  const pictured = (plot) => {
    const frame = plot.getBoundingClientRect();
    const svg = svgPart("svg", { viewBox: `0 0 ${Math.ceil(frame.width)} ${Math.ceil(frame.height)}`, role: "img", "aria-label": plot.getAttribute("aria-label"), "font-family": "system-ui, Arial, sans-serif" });
    const series = (mark) => mark.closest("[class^='s']").className.match(/s\d+/)[0];
    for (const mark of plot.querySelectorAll("i, .curve")) {
      const at = mark.getBoundingClientRect();
      const [x, y] = [at.left - frame.left, at.top - frame.top];
      if (mark.matches(".curve")) {
        const curve = svgPart("svg", { x, y, width: at.width, height: at.height, viewBox: "0 0 100 100", preserveAspectRatio: "none" });
        for (const path of mark.querySelectorAll("path")) {
          const fill = color(path.matches(".right") ? "--band" : "--line");
          curve.append(svgPart("path", { d: path.getAttribute("d"), fill, stroke: color("--s0"), "vector-effect": "non-scaling-stroke" }));
        }
        svg.append(curve);
        continue;
      }
      const own = mark.matches(".part") ? getComputedStyle(mark).getPropertyValue("--c") : mark.matches(".bar, .dot") ? color(`--${series(mark)}`) : color(mark.matches(".neutral") ? "--ink" : "--muted");
      if (!at.height && !at.width) continue;
      if (mark.matches(".dot")) {
        const fill = mark.matches(".filled") ? own : "#fff";
        svg.append(svgPart("circle", { cx: x + at.width / 2, cy: y + at.height / 2, r: at.width / 2 - 1.5, fill, stroke: own, "stroke-width": 3 }));
      } else svg.append(svgPart("rect", { x, y, width: Math.max(1.5, at.width), height: at.height, fill: own, opacity: getComputedStyle(mark).opacity }));
    }
    const texts = document.createTreeWalker(plot, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const around = texts.currentNode.parentElement;
      const { fontSize, fontWeight, textAlign } = getComputedStyle(around);
      const anchor = { right: "end", center: "middle" }[textAlign] ?? "start";
      for (const { words, left, right, top, bottom } of linesOf(texts.currentNode)) {
        const x = { start: left, middle: (left + right) / 2, end: right }[anchor] - frame.left;
        const y = (top + bottom) / 2 - frame.top + 0.35 * Number.parseFloat(fontSize);
        svg.append(svgPart("text", { x, y, "text-anchor": anchor, "font-size": fontSize, "font-weight": fontWeight, fill: around.matches(".dark") ? "#fff" : color("--ink") }, words));
      }
    }
    return svg;
  };
  // As it would be in a file: with its name space, its size, and black on white.
  const alone = (figure) => {
    const svg = pictured(figure.querySelector(".plot"));
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const { width, height } = svg.viewBox.baseVal;
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    return [new XMLSerializer().serializeToString(svg), width, height];
  };
  const makers = {
    svg: async (figure) => new Blob([alone(figure)[0]], { type: "image/svg+xml" }),
    png: async (figure) => {
      const [text, width, height] = alone(figure);
      const picture = new Image();
      picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await picture.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
      const paper = canvas.getContext("2d");
      paper.fillStyle = "#fff";
      paper.fillRect(0, 0, canvas.width, canvas.height);
      paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
      return new Promise((done) => canvas.toBlob(done, "image/png"));
    },
  };
  for (const figure of document.querySelectorAll("figure[id^='figure-']")) {
    const name = figure.id.replace("figure-", "");
    const line = figure.querySelector(".rows") ?? figure.appendChild(document.createElement("p"));
    line.className = "rows";
    for (const [ending, make] of Object.entries(makers)) {
      const link = document.createElement("a");
      link.href = `${folder}/${name}.${ending}`;
      link.textContent = ending.toUpperCase();
      link.setAttribute("aria-label", `${ending.toUpperCase()} of ${figure.querySelector("figcaption").textContent}`);
      const taken = async (event) => {
        if (event.button > 1) return; // a menu, whose address is that of the file beside the page
        if (figure.querySelector(".maps")) return; // a table: its picture is beside the page
        event.preventDefault();
        save(await make(figure), `${name}.${ending}`);
      };
      link.addEventListener("click", taken);
      link.addEventListener("auxclick", taken);
      line.append(" · ", link);
    }
  }
})();
