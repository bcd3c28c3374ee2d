// Labelling: one answer a question, and the letters that act while a number is being typed.
"use strict";

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

// No number holds these letters, so that they act in the field too.
field?.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!["u", "s", "S", "q", "?"].includes(event.key)) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  event.preventDefault();
  if (target && !target.disabled) target.click();
});
