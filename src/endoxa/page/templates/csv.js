// The rows of a figure, from and to CSV (RFC 4180).
const csv = {
  read: (link) => {
    const address = link.getAttribute("href");
    const text = decodeURIComponent(address.slice(address.indexOf(",") + 1)).replace(/\n$/, "");
    const rows = [[]];
    for (const [, before, quoted, plain] of text.matchAll(/(^|,|\n)(?:"((?:[^"]|"")*)"|([^",\n]*))/g)) {
      if (before === "\n") rows.push([]);
      rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    }
    return rows;
  },
  text: (rows) => {
    const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
  },
};
