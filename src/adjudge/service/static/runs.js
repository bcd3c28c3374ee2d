// The list of runs: progress of those under way, and figures that were not at hand.
"use strict";
import "./live.js";

function fill(row, told) {
  const cell = (name) => row.querySelector(`[data-figure="${name}"]`);
  const list = cell("means").querySelector("ul");
  list.replaceChildren();
  for (const [name, mean] of told.means) {
    const entry = document.createElement("li");
    const shown = document.createElement("bdi");
    const value = document.createElement("strong");
    shown.textContent = name;
    value.textContent = mean;
    entry.append(shown, " ", value);
    list.append(entry);
  }
  if (told.more) {
    const entry = document.createElement("li");
    entry.className = "small";
    entry.textContent = document.querySelector("#more").content.textContent.replace("{n}", told.more);
    list.append(entry);
  }
  cell("unscored").textContent = told.unscored;
  if (told.cost !== null) cell("cost").textContent = told.cost;
}

for (const row of document.querySelectorAll("[data-figures]")) {
  const answer = await fetch(`/runs/${row.dataset.figures}/figures`);
  if (answer.ok) fill(row, await answer.json());
}
