// Turns a chosen name into a ticked box at once. Without this file the server does it ("Add").
"use strict";

for (const picker of document.querySelectorAll(".picker")) {
  const typed = picker.querySelector("input[list]");
  const chips = picker.querySelector("[data-chips]");
  const withheld = picker.querySelector("input[name$='_withheld']");
  const known = () => [...typed.list.options].map((option) => option.value);

  const add = () => {
    const wanted = typed.value.trim().toLocaleLowerCase();
    const name = known().find((one) => one.toLocaleLowerCase() === wanted);
    if (!name) return false;
    const same = [...chips.querySelectorAll("bdi")].find((text) => text.textContent === name);
    if (same) {
      same.closest("label").querySelector("input").checked = true;
    } else {
      chips.prepend(chip(name), " ");
    }
    typed.value = "";
    withheld.checked = false;
    return true;
  };

  const chip = (name) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    const text = document.createElement("bdi");
    label.className = "chip";
    Object.assign(box, { type: "checkbox", name: typed.name, value: name, checked: true });
    text.textContent = name;
    label.append(box, text);
    return label;
  };

  // A name taken from the list arrives whole; typed letters may be the beginning of a longer one.
  typed.addEventListener("input", (event) => {
    if (!event.inputType || event.inputType === "insertReplacementText") add();
  });
  typed.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && add()) event.preventDefault();
  });
  picker.querySelector("button[name=add]").addEventListener("click", (event) => {
    if (add()) {
      event.preventDefault();
      typed.focus();
    }
  });
  chips.addEventListener("change", () => { withheld.checked = false; });
  withheld.addEventListener("change", () => {
    if (!withheld.checked) return;
    for (const box of chips.querySelectorAll("input")) box.checked = false;
  });
}
