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

const uploading = document.querySelector("#uploading");
const file = document.querySelector("#file");
const MB = 1_000_000;

// A file beyond the limit is named before anything is sent; the page and what was typed stay.
function tooLarge() {
  const size = file.files[0]?.size ?? 0;
  if (size <= Number(file.dataset.most)) return false;
  const words = file.dataset.tooLarge.replace("{size}", Math.ceil(size / MB).toLocaleString(document.documentElement.lang));
  complain([{ text: words, lang: "" }]);
  return true;
}
file.addEventListener("change", () => {
  problem.hidden = true;
  tooLarge();
});

function sent(event) {
  const share = event.total ? event.loaded / event.total : 0;
  uploading.hidden = false;
  uploading.querySelector("progress").value = share;
  const words = uploading.querySelector("span").dataset;
  uploading.querySelector("span").textContent =
    share < 1 ? words.sent.replace("{share}", `${Math.floor(100 * share)}%`) : words.checking;
}

// Only this kind of request tells how far it is.
function send() {
  return new Promise((answered, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", csrf());
    if (file.files.length) request.upload.addEventListener("progress", sent);
    request.addEventListener("load", () => answered(request));
    request.addEventListener("error", failed);
    request.send(new FormData(form));
  });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (tooLarge()) return;
  start.disabled = true;
  problem.hidden = true;
  try {
    const answer = await send();
    const result = JSON.parse(answer.responseText);
    if (result.run) window.location.assign(result.run);
    else complain(result.problem ?? [{ text: result.detail ?? answer.statusText, lang: "en" }]);
  } catch {
    form.submit(); // the server's own page says what is wrong
  } finally {
    start.disabled = false;
    uploading.hidden = true;
  }
});
