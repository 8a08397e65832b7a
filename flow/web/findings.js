// SPDX-License-Identifier: BSD-3-Clause
// The findings of the check of the choices.
import { make } from "./opening-card.js";

const element = (id) => document.getElementById(id);
const phases = { quick: "counting sites …", done: "", failed: "", waiting: "looking …", unfinished: "" };

export function phase(name) {
  element("phase").textContent = phases[name] ?? "";
  element("check").dataset.phase = name;
}

export function show_findings({ phase: name, rows, refused, warnings, told, ...rest }) {
  phase(name);
  element("rows").replaceChildren(...rows.map(([word, value]) => make("div", {}, make("dt", {}, word), make("dd", {}, value))));
  const list = [...(told ? [["the run ended", told, "refused"]] : []), ...refused.map((text) => ["refused", text, "refused"]),
    ...warnings.map((text) => ["warning", text, "warning"])];
  if (list.length === 0 && name === "done") list.push(["", "No problems found.", "good"]);
  element("findings").replaceChildren(...list.map(([word, text, kind]) => make("p", { class: kind }, ...(word ? [make("b", {}, `${word}:`)] : []), text)));
  document.querySelector("#text pre").textContent = rest.case;
}

export function show_unfinished(text) {
  phase("unfinished");
  element("rows").replaceChildren();
  element("findings").replaceChildren(make("p", { class: "refused" }, text));
}
