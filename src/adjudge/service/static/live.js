// Runs under way: the service tells how far they are, about once a second.
"use strict";
import { renew } from "./follow.js";

// Browsers keep six connections to one place, for all their tabs together: streams take few of
// them, and all runs beyond are asked about together, from time to time.
const STREAMS = 3;
const EVERY = 2000; // milliseconds between two rounds
const REST = 9; // times as long as the last figures took

function lasting(seconds, field) {
  const whole = Math.round(seconds);
  if (whole < 60) return field.dataset.seconds.replace("{n}", whole);
  const two = (part) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

// As the page's language writes it.
function written(n, digits = 0) {
  const form = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return n.toLocaleString(document.documentElement.lang, form);
}

const WORDS = {
  done: (n) => written(n),
  total: (n) => written(n),
  unscored: (n) => written(n),
  rate: (n) => `${written(n, n < 10 ? 1 : 0)}/s`,
  eta_seconds: lasting,
  usd: (n) => `$${written(n, 4)}`,
};

function show(part, progress) {
  const bar = part.querySelector("progress");
  bar.max = progress.total || 1;
  bar.value = progress.done;
  for (const field of part.querySelectorAll("[data-live-field]")) {
    const figure = progress[field.dataset.liveField];
    if (typeof figure !== "number" || (field.dataset.liveField === "usd" && figure === 0)) continue;
    field.textContent = WORDS[field.dataset.liveField](figure, field);
    field.parentElement.hidden = false;
  }
}

// The figures beside the progress are those of the server: it makes them anew, one time after the
// other, and with more rest where that takes long.
let renewed = 0;
async function figures() {
  const since = performance.now();
  if (since < renewed) return;
  renewed = Infinity;
  await renew();
  const now = performance.now();
  renewed = now + Math.max(EVERY, REST * (now - since));
}

// `ended` is called once the run has ended.
export function follow(part, ended) {
  const stream = new EventSource(`/api/v1/runs/${part.dataset.live}/events`);
  stream.addEventListener("progress", (event) => {
    show(part, JSON.parse(event.data));
    figures();
  });
  stream.addEventListener("end", () => {
    stream.close();
    ended();
  });
  window.addEventListener("pagehide", () => stream.close());
}

// Verdicts per second since the first reading, and the seconds that are left at that.
function pace(progress, first, now) {
  const rate = (progress.done - first.done) / ((now - first.at) / 1000);
  return rate > 0 ? { ...progress, rate, eta_seconds: (progress.total - progress.done) / rate } : progress;
}

// The same without streams, all in one request. One that fails is left to the next round.
async function ask(parts, ended) {
  const runs = new URLSearchParams(parts.map((part) => ["run", part.dataset.live]));
  const first = new Map();
  let leaving = false;
  window.addEventListener("pagehide", () => { leaving = true; });
  for (;;) {
    const answer = await fetch(`/runs/progress?${runs}`).catch(() => null);
    const [byRun, now] = [answer?.ok ? await answer.json() : null, performance.now()];
    if (leaving) return;
    for (const part of byRun ? parts : []) {
      const progress = byRun[part.dataset.live];
      if (!progress) return ended();
      if (!first.has(part)) first.set(part, { done: progress.done, at: now });
      show(part, pace(progress, first.get(part), now));
    }
    figures();
    await new Promise((next) => setTimeout(next, EVERY));
  }
}

const parts = [...document.querySelectorAll("[data-live]")];
const again = () => window.location.reload();
for (const part of parts.slice(0, STREAMS)) follow(part, again);
if (parts.length > STREAMS) ask(parts.slice(STREAMS), again);
