// Labelling: one answer a question, and the letters that act while a number is being typed.
"use strict";

import { keyTarget } from "./app.js";

const form = document.querySelector("form.question");
const field = form.querySelector("#value");

// The first answer counts: a second click while the next question loads does nothing.
let sent = false;
form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
// The browser's way back shows this page as it was left.
addEventListener("pageshow", () => {
  sent = false;
});

// A value that was refused stands there to be mended or, as it is selected, typed over.
if (field && !field.value) {
  field.value = field.dataset.typed;
  field.select();
}

// No number holds the letters that act, so that they do so in its field too; names may hold them.
field?.addEventListener("keydown", (event) => {
  if (field.inputMode !== "decimal") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = keyTarget(event);
  if (!target) return;
  event.preventDefault();
  if (!target.disabled) target.click();
});
