// The list of runs: progress of those under way, and figures that were not at hand.
"use strict";
import "./live.js";

function fill(row, figures) {
  const cell = (name) => row.querySelector(`[data-figure="${name}"]`);
  const list = cell("means").querySelector("ul");
  list.replaceChildren();
  for (const [name, mean] of figures.means) {
    const entry = document.createElement("li");
    const shown = document.createElement("bdi");
    const value = document.createElement("strong");
    shown.textContent = name;
    value.textContent = mean;
    entry.append(shown, " ", value);
    list.append(entry);
  }
  if (figures.more) {
    const entry = document.createElement("li");
    entry.className = "small";
    entry.textContent = document.querySelector("#more").content.textContent.replace("{n}", figures.more);
    list.append(entry);
  }
  cell("unscored").textContent = figures.unscored;
  if (figures.cost !== null) cell("cost").textContent = figures.cost;
}

for (const row of document.querySelectorAll("[data-figures]")) {
  const answer = await fetch(`/runs/${row.dataset.figures}/figures`);
  if (answer.ok) fill(row, await answer.json());
}

// Runs that are ticked: the button says how many, and is there once there are two.
const picked = document.querySelector("#picked");
if (picked) {
  const button = picked.querySelector("#compare-picked");
  const hint = picked.querySelector("#picked-hint");
  const words = hint.textContent;
  const count = () => {
    const ticked = picked.querySelectorAll("input[name=run]:checked").length;
    button.disabled = ticked < 2;
    hint.textContent = ticked < 2 ? words : ticked;
  };
  picked.addEventListener("change", count);
  count();
}
