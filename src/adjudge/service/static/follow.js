// Parts of a page that change while it is open (`data-follow`, with an id): fetched with the whole
// page and put in their place. One that the reader is in, by key or mark, stays as it is.
"use strict";
import { localise } from "./app.js";

const AGAIN = 1000; // milliseconds

function busy(part) {
  const marked = document.getSelection();
  return part.contains(document.activeElement) || (!marked.isCollapsed && marked.containsNode(part, true));
}

export async function renew() {
  const answer = await fetch(window.location.href).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-follow]")) {
    const next = fresh.getElementById(part.id);
    if (!next || busy(part)) continue;
    document.adoptNode(next);
    localise(next);
    if (next.outerHTML !== part.outerHTML) part.replaceWith(next);
  }
}

// What is still being worked out is asked for until it is there.
while (document.querySelector("[data-follow][data-pending]")) {
  await new Promise((next) => setTimeout(next, AGAIN));
  await renew();
}
