// What every page has: keys that lead to links, tables that follow their filters, the CSRF header.
"use strict";

// The mark that unsafe requests from our own pages carry.
export function csrf() {
  return document.querySelector('meta[name="csrf"]').content;
}

// `data-key="j"` on a link or button: the key does what a click would. Not while somebody types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (typing) {
    if (event.key === "Escape") typing.blur();
    return;
  }
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (target && !target.disabled) {
    event.preventDefault();
    if (target.matches("input, textarea, select")) target.focus();
    else target.click();
  }
});

// `data-submit` on a field: its form is sent as soon as the field changes.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

// Fields of a filter that were left empty need not stand in the address.
document.addEventListener("formdata", (event) => {
  if (event.target.method !== "get") return;
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
});

// Times come in UTC: shown as the reader's clock and language have them.
export function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    time.textContent = at.toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  }
}
localise(document);
