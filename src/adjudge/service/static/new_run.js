// The form of a new run, sent without leaving the page: what is wrong is said beside it, and the
// chosen file stays chosen.
"use strict";
import { csrf } from "./app.js";

const form = document.querySelector("#new-run");
const problem = document.querySelector("#problem");
const start = document.querySelector("#start");

// Lines of a text and its language, "" for that of the page.
function complain(lines) {
  problem.hidden = false;
  const shown = lines.map(({ text, lang }) => {
    const line = document.createElement("div");
    line.textContent = text;
    if (lang) line.lang = lang;
    return line;
  });
  problem.querySelector("#problem-text > .text").replaceChildren(...shown);
  problem.querySelector("p:nth-of-type(2)")?.remove(); // the file need not be chosen again
  problem.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  start.disabled = true;
  problem.hidden = true;
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body: new FormData(form),
      headers: { Accept: "application/json", "X-CSRF-Token": csrf() },
    });
    const result = await answer.json();
    if (result.run) window.location.assign(result.run);
    else complain(result.problem ?? [{ text: result.detail ?? answer.statusText, lang: "en" }]);
  } catch {
    form.submit(); // the server's own page says what is wrong
  } finally {
    start.disabled = false;
  }
});
