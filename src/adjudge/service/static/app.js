// What every page has: keys that lead to links, tables that follow their filters, the CSRF header.
"use strict";

// The mark that unsafe requests from our own pages carry.
export function csrf() {
  return document.querySelector('meta[name="csrf"]').content;
}

// The sign that a key has by its place, for input modes (Korean, say) that have no Latin sign for it;
// "" for a key that is no letter or digit, or whose sign is known.
function placed({ key, code, shiftKey }) {
  if (/^[ -~]$/.test(key) || (key?.length > 1 && !["Process", "Unidentified"].includes(key))) return "";
  const [, sign = ""] = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(code) ?? [];
  if (code === "Slash" && shiftKey) return "?";
  return shiftKey ? sign : sign.toLowerCase();
}

// What the page binds to a key, null where that is nothing.
export function keyTarget(event) {
  const bound = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  return bound(event.key) ?? bound(placed(event));
}

// `data-key="j"` on a link or button: the key does what a click would. Not while somebody types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (typing) {
    if (event.key === "Escape") typing.blur();
    return;
  }
  const target = keyTarget(event);
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
  const local = (at) => new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const time of part.querySelectorAll("time[datetime]")) {
    time.title = time.textContent;
    time.textContent = local(time.dateTime);
  }
}
localise(document);
