// Sorting and filtering for the pair tables. The page is complete without this.
(async () => {
  const tables = document.querySelectorAll("table.enhance");
  if (!tables.length || !("DecompressionStream" in window)) return;
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };
  const style = document.createElement("style");
  style.textContent = await unpack(BUNDLE_CSS);
  document.head.prepend(style);
  const source = new Blob([await unpack(BUNDLE_JS)], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  const { jQuery } = await import(address);
  URL.revokeObjectURL(address);
  const list = ["order", ["searchList"]];
  tables.forEach((table) => {
    table.closest(".tall").classList.remove("tall");
    jQuery(table).DataTable({
      order: [],
      pageLength: 25,
      lengthMenu: [10, 25, 100, 500],
      autoWidth: false,
      ordering: { indicators: false, handler: false },
      columnControl: ["order"],
      columnDefs: [{ targets: [1, 2], columnControl: list }],
      layout: { topStart: "search", topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" },
      language: { search: "Filter all columns: ", lengthMenu: "rows per page: _MENU_" },
    });
    // Blurred sentences are hidden from screen readers as well.
    const box = table.closest(".pairs").querySelector(".unveil");
    const hide = () =>
      table.querySelectorAll(".sentence span").forEach((s) => s.setAttribute("aria-hidden", String(!box.checked)));
    box.addEventListener("change", hide);
    jQuery(table).on("draw.dt", hide);
    hide();
  });
})();
