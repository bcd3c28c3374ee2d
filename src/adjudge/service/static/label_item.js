// All criteria of an item at once: a level's key answers the criterion that the reader is at and goes
// on to the next; Enter keeps them all.
"use strict";

const form = document.querySelector("#whole-item");
const criteria = [...form.querySelectorAll("[data-criterion]")];
const answered = (part) => part.querySelector("input[type=radio]:checked") || part.querySelector("input[inputmode]")?.value;
const field = (part) => part.querySelector("input:checked") ?? part.querySelector("input:not([type=hidden])");

function at() {
  return criteria.find((part) => part.contains(document.activeElement)) ?? criteria.find((part) => !answered(part));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.matches("textarea, input:not([type=radio])");
  if (event.key === "Enter" && !event.target.matches("textarea, summary, a, button")) {
    event.preventDefault();
    form.requestSubmit();
  }
  const part = at();
  const level = !typing && part?.querySelector(`input[type=radio][value="${CSS.escape(event.key)}"]`);
  if (!level) return;
  event.preventDefault();
  event.stopPropagation();
  level.checked = true;
  const next = criteria[criteria.indexOf(part) + 1];
  (next ? field(next) : form.querySelector("#keep")).focus();
}, true);

let sent = false;
form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });
