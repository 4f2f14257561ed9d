// Shares of the values of an attribute, compared over models, languages or themes.
const distributions = async () => {
  const explorer = document.getElementById("distribution-explorer");
  if (!explorer) return;
  const data = await unpack("distributions");
  explorer.hidden = false;
  const controls = explorer.querySelector(".controls");
  const table = explorer.querySelector("table");
  const first = []; // place of each attribute's first value
  data.attributes.reduce((place, [, values]) => (first.push(place), place + values.length), 0);

  const again = () => show();
  const attribute = choice(controls, "attribute", numbered(data.attributes.map(([name]) => name)), again);
  const by = choice(controls, "compare", [["model", "models"], ["language", "languages"], ["theme", "themes"]], again);
  const only = {
    model: choice(controls, "of", any(data.models, "all models"), again),
    language: choice(controls, "in", any(data.languages, "all languages"), again),
    theme: choice(controls, "about", any(data.themes, "all themes"), again),
  };

  const show = () => {
    const [, values] = data.attributes[Number(attribute.value)];
    const start = first[Number(attribute.value)];
    const names = data[`${by.value}s`];
    const counts = names.map(() => values.map(() => 0));
    for (let k = 0; k < data.n.length; k += 1) {
      const value = data.value[k] - start;
      if (value < 0 || value >= values.length) continue;
      if (Object.keys(only).every((side) => picks(only[side], data[side][k]))) counts[data[by.value][k]][value] += data.n[k];
    }
    const cell = (share) =>
      element("td", { class: "share" }, element("span", { style: `width:${100 * share}%` }), percent(share));
    const rows = names.flatMap((name, place) => {
      const total = counts[place].reduce((sum, n) => sum + n, 0);
      if (!total) return [];
      const cells = counts[place].map((n) => cell(n / total));
      const said = element("td", { class: "number" }, total.toLocaleString("en"));
      return [element("tr", {}, element("th", { scope: "row" }, name), ...cells, said)];
    });
    const heads = ["", ...values, "stories"].map((text) => element("th", { scope: "col" }, text));
    table.replaceChildren(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  };
  show();
};
