// Figures for who points at them: tooltips of marks, and rows that are part of another figure's.
(() => {
  const NEAR = 18; // pixels
  const box = document.createElement("div");
  box.className = "tip";
  box.setAttribute("role", "status");
  document.body.append(box);
  const marksOf = (figure) => [...figure.querySelectorAll("[data-tip]")];
  let shown = null;

  const show = (mark) => {
    if (mark === shown) return;
    if (shown) shown.classList.remove("pointed");
    shown = mark;
    box.textContent = mark ? mark.dataset.tip : "";
    if (!mark) return;
    mark.classList.add("pointed");
    const at = mark.getBoundingClientRect();
    const own = box.getBoundingClientRect();
    const left = at.left + at.width / 2 - own.width / 2;
    const above = at.top - own.height - 8;
    box.style.left = `${Math.max(4, Math.min(left, document.documentElement.clientWidth - own.width - 4))}px`;
    box.style.top = `${above > 4 ? above : at.bottom + 8}px`;
  };

  const distance = (mark, x, y) => {
    const at = mark.getBoundingClientRect();
    return Math.hypot(Math.max(at.left - x, 0, x - at.right), Math.max(at.top - y, 0, y - at.bottom));
  };

  const nearest = (event) => {
    const figure = event.target.closest("figure");
    if (!figure) return show(null);
    let best = null;
    let least = NEAR;
    for (const mark of marksOf(figure)) {
      const far = distance(mark, event.clientX, event.clientY);
      if (far < least) [best, least] = [mark, far];
    }
    show(best);
  };

  document.addEventListener("pointermove", (event) => event.pointerType === "mouse" && nearest(event));
  document.addEventListener("pointerup", nearest); // a tap; a touch that scrolls ends otherwise
  document.addEventListener("scroll", () => show(null), { capture: true, passive: true });
  document.addEventListener("focusout", () => show(null));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const figure = document.activeElement;
    if (!step || !figure.matches("figure")) return;
    const marks = marksOf(figure);
    if (!marks.length) return;
    event.preventDefault();
    const place = marks.indexOf(shown);
    const next = marks[place < 0 ? (step > 0 ? 0 : marks.length - 1) : (place + step + marks.length) % marks.length];
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    requestAnimationFrame(() => requestAnimationFrame(() => show(next))); // after the scrolling
  });
  for (const figure of document.querySelectorAll("figure")) {
    if (!marksOf(figure).length) continue;
    figure.tabIndex = 0;
    figure.setAttribute("aria-description", "Arrow keys read one mark after the other.");
  }
})();
