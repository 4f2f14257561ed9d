"use strict";
/* Shows times as the clock of the reader has them, renews the figures of the dashboard and the projector page, and
   copies links to join.
   Without it times are in UTC, and a link or the browser renews. */

const EVERY_MS = 4000;
const CLOCKS = {
  full: { dateStyle: "long", timeStyle: "short" },
  short: { timeStyle: "short" },
  seconds: { timeStyle: "medium" },
};

function showClocks(part) {
  const language = `${document.documentElement.lang}-u-nu-latn`;
  for (const time of part.querySelectorAll("time[data-clock]")) {
    const at = new Date(time.dateTime);
    const today = at.toDateString() === new Date().toDateString();
    const form = time.dataset.clock === "short" && !today ? "full" : time.dataset.clock;
    time.textContent = at.toLocaleString(language, { ...CLOCKS[form], hourCycle: "h23" });
  }
}

const shown = new WeakMap();

async function renew(part) {
  const response = await fetch(part.dataset.live, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (response.redirected) {
    window.location.reload();
    return;
  }
  if (!response.ok) throw new Error(String(response.status));
  const text = await response.text();
  if (shown.get(part) === text) return;
  shown.set(part, text);
  const fresh = new DOMParser().parseFromString(text, "text/html");
  showClocks(fresh);
  part.replaceChildren(...fresh.body.childNodes);
}

function keepFresh(part) {
  const lost = document.querySelector("[data-live-lost]");
  const pause = document.querySelector("[data-live-pause]");
  let still = false;
  if (pause) {
    pause.hidden = false;
    pause.addEventListener("click", () => {
      still = !still;
      pause.setAttribute("aria-pressed", String(still));
    });
  }
  const turn = async () => {
    if (!still && !document.hidden) {
      const failed = await renew(part).then(() => false, () => true);
      if (lost) lost.hidden = !failed;
    }
    window.setTimeout(turn, EVERY_MS);
  };
  window.setTimeout(turn, EVERY_MS);
}

/* Plain http has no clipboard: there the address stands beside the button to be marked. */
function offerCopy(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = button.dataset.done;
  });
}

showClocks(document);
document.querySelectorAll("[data-copy]").forEach(offerCopy);
document.querySelectorAll("[data-live]").forEach(keepFresh);
