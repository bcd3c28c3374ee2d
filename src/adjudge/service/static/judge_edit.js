// A judge as a form and as a file: whichever side is written in, the other follows.
"use strict";

const form = document.querySelector("#editor");
const side = form.querySelector("#side");
const REST = 500; // milliseconds without a key, after which the form follows the file
const PARTS = ["part-problem", "part-said", "part-fields", "part-preview", "part-tried"];
let asked = 0;
let resting;

// The page for what is written now; the part that the reader is in keeps its field and place. What
// was tried is shown also where something was written since.
async function again(wrote, action) {
  clearTimeout(resting);
  const mine = (asked += 1);
  const fields = new URLSearchParams(new FormData(form));
  fields.set("side", wrote);
  if (action) fields.set("do", action);
  form.setAttribute("aria-busy", "true");
  const answer = await fetch(form.action, { method: "POST", body: fields }).catch(() => null);
  const late = mine !== asked;
  if (late && action !== "try") return;
  if (!late) form.removeAttribute("aria-busy");
  if (!answer) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const text = fresh.querySelector("#text");
  if (!text) return;
  const file = form.querySelector("#text");
  if (!late && file.value !== text.value) file.value = text.value;
  const open = new Set([...form.querySelectorAll("details[data-section][open]")].map((part) => part.dataset.section));
  const focused = document.activeElement?.id;
  for (const id of late ? ["part-problem", "part-tried"] : PARTS) {
    const next = document.adoptNode(fresh.getElementById(id));
    const now = form.querySelector(`#${id}`);
    if (id !== "part-fields" && now.isEqualNode(next)) continue; // it may be clicked at just now
    for (const part of next.querySelectorAll("details[data-section]")) part.open ||= open.has(part.dataset.section);
    now.replaceWith(next);
  }
  if (action) form.querySelector("#part-problem [role=alert]")?.focus();
  if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
}

// What was written and not saved is not lost unsaid.
let unsaved = Boolean(document.querySelector("#findings"));
addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
form.addEventListener("submit", () => { unsaved = false; });

// What was written before this script had come, or is back with the browser's button.
const written = form.querySelector("#text");
if (written.value !== written.defaultValue) {
  unsaved = true;
  again("yaml");
}

form.addEventListener("input", (event) => {
  unsaved ||= event.target.matches("#text, [name^='set.']");
  if (event.target.id !== "text") return;
  clearTimeout(resting);
  resting = setTimeout(() => again("yaml"), REST);
});
form.addEventListener("change", (event) => {
  if (event.target.matches("[data-value]")) again(event.target.name.startsWith("set.") ? "form" : "yaml");
});
form.addEventListener("click", (event) => {
  const line = event.target.closest(".to-line");
  if (line) {
    const file = form.querySelector("#text");
    const lines = file.value.split("\n");
    const start = lines.slice(0, line.dataset.line - 1).join("\n").length + (line.dataset.line > 1 ? 1 : 0);
    file.focus();
    file.setSelectionRange(start, start + lines[line.dataset.line - 1].length);
  }
  const button = event.target.closest("[data-do]");
  if (!button) return;
  event.preventDefault();
  unsaved ||= button.value !== "try";
  if (button.value === "try") {
    const working = form.querySelector("#working");
    working.textContent = working.dataset.words;
  }
  again(side.value, button.value);
});
