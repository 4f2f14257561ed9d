// Stories to read, unpacked when they are asked for, fifty at a time.
const stories = () => {
  const outer = document.getElementById("story-explorer");
  if (!outer) return;
  const start = async () => {
    const data = await unpack("stories");
    const explorer = outer.querySelector(".explorer");
    const [controls, list] = [explorer.querySelector(".controls"), explorer.querySelector(".list")];
    const turning = explorer.querySelector(".pager");
    const hide = cover(explorer);
    const word = (place) => data.words[place];
    const again = () => show(0);
    const column = (place) => {
      const found = [...new Set(data.rows.map((row) => row[place]))].sort((a, b) => word(a).localeCompare(word(b)));
      return [[EVERY, "any"], ...found.map((one) => [String(one), word(one)])];
    };
    const filters = [
      [0, choice(controls, "model", column(0), again)],
      [1, choice(controls, "language", column(1), again)],
      [3, choice(controls, "prompt names", column(3), again)],
    ];
    const refused = choice(controls, "kind", [[EVERY, "any"], ["0", "stories"], ["1", "refusals"]], again);

    const profile = (row) => {
      if (!row[6]) return "No usable profile.";
      const told = [];
      for (let k = 0; k < row[6].length; k += 2) told.push(`${word(row[6][k])}: ${word(row[6][k + 1])}`);
      return told.join("; ") || "Nothing could be told about the protagonist.";
    };
    const one = (row) => {
      const named = `${word(row[0])} · ${word(row[1])} · ${word(row[3])}: ${word(row[4])}`;
      const scenario = word(row[2]) ? ` · ${word(row[2])}` : "";
      const text = (said) => element("p", { class: "sentence", dir: "auto" }, element("span", {}, said));
      const story = text(row[7] || "(no text)");
      story.lang = data.codes[row[1]] ?? "";
      return element(
        "details",
        { class: "story" },
        element("summary", {}, named + scenario + (row[5] === 1 ? " · refusal" : "")),
        story,
        text(profile(row)),
      );
    };
    const show = (page) => {
      const rows = data.rows.filter((row) => filters.every(([place, select]) => picks(select, row[place])) && picks(refused, row[5]));
      list.replaceChildren(...rows.slice(page * PAGE, (page + 1) * PAGE).map(one));
      pager(turning, rows.length, page, "stories", show);
      hide();
    };
    show(0);
  };
  if (outer.open) start();
  else outer.addEventListener("toggle", start, { once: true });
};
