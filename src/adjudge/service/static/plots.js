// Plots that answer: each picture becomes the drawing itself, whose parts tell their figures to who
// points at them or reaches them by key, and lead to the items that they stand for.
"use strict";

const STYLE = /<style>.*?<\/style>/s; // the page has the colours, and forbids them inline

const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("aria-hidden", "true");
tip.hidden = true;
document.body.append(tip);

function show(part) {
  const box = part.getBoundingClientRect();
  tip.textContent = part.dataset.tip;
  tip.hidden = false;
  const left = box.left + box.width / 2 - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4)) + scrollX}px`;
  tip.style.top = `${box.top + scrollY - tip.offsetHeight - 6}px`;
}

// The title of a part becomes its tip; where it asks for items, the part becomes a link to them.
function answer(part, items) {
  const title = part.querySelector(":scope > title");
  const ask = part.dataset.ask;
  let target = part;
  if (ask && items) {
    target = document.createElementNS(part.namespaceURI, "a");
    target.setAttribute("href", `${items}?${ask}#items`);
    target.setAttribute("aria-label", title.textContent);
    part.replaceWith(target);
    target.append(part);
  }
  target.dataset.tip = title.textContent;
  title.remove();
  for (const event of ["pointerenter", "focus"]) target.addEventListener(event, () => show(target));
  for (const event of ["pointerleave", "blur"]) target.addEventListener(event, () => { tip.hidden = true; });
}

// On a narrow screen there is a drawing of its own.
function address(image) {
  const narrow = image.parentElement.querySelector("source");
  return narrow && matchMedia(narrow.media).matches ? narrow.srcset : image.src;
}

async function open(image) {
  const reply = await fetch(address(image)).catch(() => null);
  if (!reply?.ok) return;
  const drawing = new DOMParser().parseFromString((await reply.text()).replace(STYLE, ""), "image/svg+xml").documentElement;
  if (drawing.localName !== "svg" || !image.isConnected) return;
  const parts = [...drawing.querySelectorAll(".mark")];
  for (const part of parts) answer(part, image.dataset.items);
  drawing.setAttribute("class", "plot");
  drawing.setAttribute("role", parts.some((part) => part.parentNode.localName === "a") ? "group" : "img");
  drawing.setAttribute("aria-label", image.alt);
  (image.closest("picture") ?? image).replaceWith(document.adoptNode(drawing));
}

const near = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    open(target);
  }
}, { rootMargin: "400px" });
const watch = () => { for (const image of document.querySelectorAll("img.plot")) near.observe(image); };
watch();
// Parts that are fetched anew bring pictures again.
new MutationObserver(watch).observe(document.querySelector("main"), { childList: true, subtree: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
