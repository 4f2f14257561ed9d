"use strict";
/* Renews the figures of the dashboard and the projector page. Without it a link or the browser does so. */

const EVERY_MS = 4000;

function showClocks(part) {
  for (const time of part.querySelectorAll("time[data-clock]")) {
    const at = new Date(time.dateTime);
    time.textContent = `(${at.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" })})`;
    time.hidden = false;
  }
}

async function renew(part) {
  const response = await fetch(part.dataset.live, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (response.redirected) {
    window.location.reload();
    return;
  }
  if (!response.ok) throw new Error(String(response.status));
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  showClocks(fresh);
  part.replaceChildren(...fresh.body.childNodes);
}

function keepFresh(part) {
  const lost = document.querySelector("[data-live-lost]");
  const pause = document.querySelector("[data-live-pause]");
  let still = false;
  showClocks(part);
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

document.querySelectorAll("[data-live]").forEach(keepFresh);
