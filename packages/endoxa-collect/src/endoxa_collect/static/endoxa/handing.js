// The form that hands the phone on ("Next speaker") waits until `offline.js` has sent what it keeps, and what the site
// refused was seen: nobody else can send it.
"use strict";

(() => {
  const note = document.getElementById("handing");
  const form = note.closest("form");
  const left = () => {
    try { return localStorage.getItem("endoxa.answers") ?? localStorage.getItem("endoxa.refused"); } catch { return null; }
  };
  form.addEventListener("submit", (event) => {
    if (!left()) return;
    event.preventDefault();
    // `card.js` sends a form once.
    event.stopImmediatePropagation();
    if (!note.hidden) return;
    note.hidden = false;
    // It sends at once, not when its time has come.
    dispatchEvent(new Event("online"));
    const timer = setInterval(() => {
      if (left()) return;
      clearInterval(timer);
      form.requestSubmit();
    }, 500);
  });
})();
