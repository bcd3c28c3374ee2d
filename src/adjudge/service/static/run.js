// The items of a run: a column's values are offered beside it; one panel is open at a time, and has
// the focus.
"use strict";

const column = document.querySelector("#column");
const offered = document.querySelector("#values");
function offer() {
  const values = [...document.querySelectorAll("template[data-values]")].find((each) => each.dataset.values === column.value);
  offered.replaceChildren(...(values ? [values.content.cloneNode(true)] : []));
}
if (column) {
  column.addEventListener("change", offer);
  offer();
}

const panels = [...document.querySelectorAll("details.pop")];
for (const panel of panels) {
  panel.addEventListener("toggle", () => {
    if (!panel.open) return;
    for (const other of panels) if (other !== panel) other.open = false;
    panel.querySelector("select, input:not([type=hidden])").focus(); // keys go on from there
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !panel.open) return;
    panel.open = false;
    panel.querySelector("summary").focus();
  });
}
