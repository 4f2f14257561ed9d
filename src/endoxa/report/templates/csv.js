// The rows of a figure, from CSV (RFC 4180) in which cells that a spreadsheet could run are marked, see
// endoxa.sources.spreadsheets.
const start = String.raw`(?=['"\s\x1c-\x1f]*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])`;
const neutralised = new RegExp(`(^|;)'${start}`, "g");
// An element of a picture.
const svgPart = (tag, own, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(own)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const csv = {
  read: (link) => {
    const address = link.getAttribute("href");
    const text = decodeURIComponent(address.slice(address.indexOf(",") + 1)).replace(/\n$/, "");
    const rows = [[]];
    for (const [, before, quoted, plain] of text.matchAll(/(^|,|\n)(?:"((?:[^"]|"")*)"|([^",\n]*))/g)) {
      if (before === "\n") rows.push([]);
      rows.at(-1).push((quoted === undefined ? plain : quoted.replaceAll('""', '"')).replace(neutralised, "$1"));
    }
    return rows;
  },
};
