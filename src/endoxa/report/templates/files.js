// Every figure as files: pictures made from the page itself, else those beside it, where the report wrote them.
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
  // As it would be in a file: with its name space, its size, and black on white.
  const alone = (figure) => {
    const svg = figure.querySelector("svg").cloneNode(true);
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
    json: async (figure) => {
      const described = {
        name: figure.id.replace("figure-", ""),
        title: figure.querySelector("figcaption").textContent,
        description: figure.querySelector("svg[aria-label], .plot")?.getAttribute("aria-label") ?? figure.querySelector("desc")?.textContent,
        page: document.title,
        address: `${location.href.split("#")[0]}#${figure.id}`,
        generator: document.querySelector('meta[name="generator"]').content,
      };
      return new Blob([`${JSON.stringify(described, null, 2)}\n`], { type: "application/json" });
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
      link.addEventListener("click", async (event) => {
        if (ending !== "json" && !figure.querySelector(":scope > svg")) return; // drawn as text: its picture is beside the page
        event.preventDefault();
        save(await make(figure), `${name}.${ending}`);
      });
      line.append(" · ", link);
    }
  }
})();
