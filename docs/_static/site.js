// What screen readers and keyboards need and the theme leaves out.
addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll("p.caption[role=heading]")) caption.ariaLevel = "2";
  for (const wide of document.querySelectorAll("pre, .table-wrapper, p:has(> img)")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
});

// A site that is a folder of files has no server to fetch pages from: the search takes its excerpts from one script.
if (location.protocol === "file:" && /search\.html$/.test(location.pathname)) {
  const root = document.documentElement.dataset.content_root;
  const loaded = new Promise((ready) => {
    const script = document.head.appendChild(document.createElement("script"));
    script.src = `${root}_static/excerpts.js`;
    script.onload = ready;
  });
  const fetchPage = window.fetch;
  window.fetch = async (address, ...rest) => {
    await loaded;
    const words = window.endoxaExcerpts[String(address).replace(root, "").replace(/\.html$/, "")];
    if (words === undefined) return fetchPage(address, ...rest);
    const main = document.createElement("div");
    main.setAttribute("role", "main");
    main.textContent = words;
    return new Response(main.outerHTML);
  };
}
