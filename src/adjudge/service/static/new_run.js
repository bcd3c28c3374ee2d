// A new run. The first step sends the file, with its progress; the second fetches itself anew when
// something is chosen, and starts the run without losing what was typed.
"use strict";
import { csrf } from "./app.js";

const problem = () => document.querySelector("#problem");

// Lines of a text and its language, "" for that of the page.
function complain(lines) {
  const box = problem();
  box.hidden = false;
  box.className = "notice bad";
  box.querySelector("#problem-lead").hidden = false;
  const shown = lines.map(({ text, lang }) => {
    const line = document.createElement("div");
    line.textContent = text;
    if (lang) line.lang = lang;
    return line;
  });
  box.querySelector("#problem-text > .text").replaceChildren(...shown);
  box.focus();
}

// Only this kind of request tells how far it is.
function post(form, progressed) {
  return new Promise((answered, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", csrf());
    if (progressed) request.upload.addEventListener("progress", progressed);
    request.addEventListener("load", () => answered(request));
    request.addEventListener("error", failed);
    request.send(new FormData(form));
  });
}

// True where it leads on.
async function sendForm(form, button, progressed) {
  button.disabled = true;
  problem().hidden = true;
  try {
    const answer = await post(form, progressed);
    const result = JSON.parse(answer.responseText);
    if (result.next) {
      window.location.assign(result.next);
      return true;
    }
    complain(result.problem ?? [{ text: result.detail ?? answer.statusText, lang: "en" }]);
  } catch {
    form.submit(); // the server's own page says what is wrong
  }
  button.disabled = false;
  return false;
}

const MB = 1_000_000;

function sending(form) {
  const file = form.querySelector("#file");
  const drop = form.querySelector("#drop");
  const uploading = form.querySelector("#uploading");
  const next = form.querySelector("#next");

  // A file beyond the limit is named before anything is sent; the page and what was typed stay.
  function tooLarge() {
    const size = file.files[0]?.size ?? 0;
    if (size <= Number(file.dataset.most)) return false;
    const megabytes = Math.ceil(size / MB).toLocaleString(document.documentElement.lang);
    complain([{ text: file.dataset.tooLarge.replace("{size}", megabytes), lang: "" }]);
    return true;
  }

  function sent(event) {
    const share = event.total ? event.loaded / event.total : 0;
    uploading.hidden = false;
    uploading.querySelector("progress").value = share;
    const words = uploading.querySelector("span");
    words.textContent = share < 1 ? words.dataset.sent.replace("{share}", `${Math.floor(100 * share)}%`) : words.dataset.checking;
  }

  async function go() {
    if (tooLarge()) return;
    if (!(await sendForm(form, next, file.files.length ? sent : null))) uploading.hidden = true;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go();
  });
  // Pasted rows and a file: the reader says which.
  file.addEventListener("change", () => {
    problem().hidden = true;
    if (file.files.length && !form.querySelector("#rows").value.trim()) go();
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
    });
  }
  drop.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    file.dispatchEvent(new Event("change"));
  });
}

const PARTS = ["said", "part-data", "part-judge", "part-columns", "part-start"];

function starting(form) {
  let asked = 0;

  // The page for what is chosen now, part by part; the address stays that of what is shown.
  async function again() {
    const mine = (asked += 1);
    const fields = [...new FormData(form)].filter(([name, value]) => name !== "csrf" && value !== "");
    const address = `/runs/new?${new URLSearchParams(fields)}`;
    form.querySelector("#part-start").setAttribute("aria-busy", "true");
    const answer = await fetch(address).catch(() => null);
    if (!answer || mine !== asked) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!fresh.querySelector("#new-run")) return window.location.assign(address); // the file is gone
    const open = form.querySelector("details").open;
    const focused = document.activeElement?.id;
    const typed = document.activeElement?.value;
    for (const id of PARTS) form.querySelector(`#${id}`).replaceWith(document.adoptNode(fresh.getElementById(id)));
    form.querySelector("details").open ||= open;
    const there = focused && document.getElementById(focused);
    if (there) {
      if (there.matches("input:not([type=checkbox]), textarea")) there.value = typed;
      there.focus();
    }
    window.history.replaceState(null, "", address);
  }

  form.addEventListener("change", (event) => {
    if (event.target.matches("[data-again]")) again();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sendForm(form, form.querySelector("#start"), null);
  });
}

const first = document.querySelector("#sending");
if (first) sending(first);
else starting(document.querySelector("#new-run"));
