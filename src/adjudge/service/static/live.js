// Runs under way: the service tells how far they are, about once a second.
"use strict";

const MOST = 4; // streams: a browser keeps few connections to one place

function lasting(seconds, field) {
  const whole = Math.round(seconds);
  if (whole < 60) return field.dataset.seconds.replace("{n}", whole);
  const two = (part) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

const WORDS = {
  done: (n) => n.toLocaleString("en"),
  total: (n) => n.toLocaleString("en"),
  unscored: (n) => n.toLocaleString("en"),
  rate: (n) => `${n.toFixed(n < 10 ? 1 : 0)}/s`,
  eta_seconds: lasting,
  usd: (n) => `$${n.toFixed(4)}`,
};

function show(part, told) {
  const bar = part.querySelector("progress");
  bar.max = told.total || 1;
  bar.value = told.done;
  for (const field of part.querySelectorAll("[data-live-field]")) {
    const given = told[field.dataset.liveField];
    if (typeof given !== "number" || (field.dataset.liveField === "usd" && given === 0)) continue;
    field.textContent = WORDS[field.dataset.liveField](given, field);
    field.parentElement.hidden = false;
  }
}

// `ended` is called once the run has ended.
export function follow(part, ended) {
  const stream = new EventSource(`/api/v1/runs/${part.dataset.live}/events`);
  stream.addEventListener("progress", (event) => show(part, JSON.parse(event.data)));
  stream.addEventListener("end", () => {
    stream.close();
    ended();
  });
  window.addEventListener("pagehide", () => stream.close());
}

for (const part of [...document.querySelectorAll("[data-live]")].slice(0, MOST)) {
  // All other figures of the page are those of the server: it makes them anew.
  follow(part, () => window.location.reload());
}
