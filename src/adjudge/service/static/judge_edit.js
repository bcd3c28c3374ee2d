// A judge as a form and as a file: whichever side is written in, the other follows.
"use strict";

const form = document.querySelector("#editor");
const side = form.querySelector("#side");
const REST = 500; // milliseconds without a key, after which the form follows the file
const PARTS = ["part-said", "part-fields", "part-preview", "part-tried"];
let asked = 0;

// The page for what is written now; the part that the reader is in keeps its field and place.
async function again(wrote, action) {
  const mine = (asked += 1);
  const fields = new URLSearchParams(new FormData(form));
  fields.set("side", wrote);
  if (action) fields.set("do", action);
  form.setAttribute("aria-busy", "true");
  const answer = await fetch(form.action, { method: "POST", body: fields }).catch(() => null);
  if (mine !== asked) return;
  form.removeAttribute("aria-busy");
  if (!answer) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const text = fresh.querySelector("#text");
  if (!text) return;
  const file = form.querySelector("#text");
  if (file.value !== text.value) file.value = text.value;
  const open = new Set([...form.querySelectorAll("details[data-section][open]")].map((part) => part.dataset.section));
  const focused = document.activeElement?.id;
  for (const id of PARTS) {
    const next = document.adoptNode(fresh.getElementById(id));
    for (const part of next.querySelectorAll("details[data-section]")) part.open ||= open.has(part.dataset.section);
    form.querySelector(`#${id}`).replaceWith(next);
  }
  if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
}

// What was written and not saved is not lost unsaid.
let unsaved = Boolean(document.querySelector("#findings"));
addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
form.addEventListener("submit", () => { unsaved = false; });

let resting;
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
