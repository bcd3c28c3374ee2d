// Trying a judge: a model may take a minute, so the page says that it is at work.
"use strict";

const form = document.querySelector("form[data-working]");
form.addEventListener("submit", () => {
  const status = form.querySelector("[data-status]");
  status.textContent = status.dataset.words;
  form.setAttribute("aria-busy", "true");
  // After the browser has taken the form's values: a disabled button would not be among them.
  setTimeout(() => form.querySelectorAll("button").forEach((button) => { button.disabled = true; }), 0);
});
// Back by the browser's button: the form is ready again.
addEventListener("pageshow", () => {
  form.removeAttribute("aria-busy");
  form.querySelector("[data-status]").textContent = "";
  form.querySelectorAll("button").forEach((button) => { button.disabled = false; });
});

const verdict = document.querySelector("[data-focus]");
if (verdict) verdict.focus();
