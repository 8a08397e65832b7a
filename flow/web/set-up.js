// SPDX-License-Identifier: BSD-3-Clause
// The page that creates a case from a vessel's surface, and starts it.
import { Camera } from "./camera.js";
import { Connection } from "./connection.js";
import { phase, show_findings, show_unfinished } from "./findings.js";
import { say } from "./notices.js";
import { OpeningCard } from "./opening-card.js";
import { Stage } from "./stage.js";
import { number } from "./units.js";
import { murray, usual_values } from "./usual.js";

const element = (id) => document.getElementById(id);
const me = Math.random().toString(36).slice(2), pause_ms = 250;
const unit_in_use = () => vessel.units.find(({ name }) => name === choices.unit);
let vessel = null, choices = null, cards = [], timer, refused = true, starting = false;

const stage = new Stage((i) => select(i));
const scene = {
  now: { camera: { azimuth: 30, elevation: 20, zoom: 1, pan: [0, 0] } },
  edit({ camera }) {
    Object.assign(this.now.camera, camera);
    stage.draw(this.now.camera);
  },
};
const camera = new Camera(element("view"), scene);
new ResizeObserver(() => stage.draw(scene.now.camera)).observe(element("view"));

function select(i) {
  stage.select(i);
  cards.forEach(({ node }, k) => {
    if (node.open !== (k === i)) node.open = k === i;
  });
  cards[i].node.scrollIntoView({ block: "nearest" });
}

function condition(state, text) {
  Object.assign(element("connection"), { textContent: text }).dataset.state = state;
}

const set = (id, value) => {
  if (document.activeElement !== element(id)) element(id).value = value;
};

function show() {
  for (const id of ["title", "file", "cells"]) set(id, choices[id]);
  set("viscosity", choices.viscosity_mpas);
  set("period", choices.period_s);
  set("duration", choices.duration_s);
  document.querySelector(`input[name=unit][value=${choices.unit}]`).checked = true;
  document.querySelector("output[for=cells]").textContent = choices.cells;
  const unit = choices.unit === "um" ? "µm" : choices.unit;
  const { low, high } = stage.surface, sizes = low.map((x, i) => high[i] - x);
  const size = `${sizes.map((x) => number(x)).join(" × ")} ${unit}`, length = Math.hypot(...sizes) * unit_in_use().metres;
  element("extent").textContent = size;
  const odd = !unit_in_use().is_likely;
  element("size").textContent = odd ? `${size}: that is ${number(length)} m from corner to corner. Is the unit right?` : size;
  element("size").classList.toggle("bad", odd);
  const pulsing = choices.openings.some(({ use, pulse }) => use !== "wall" && pulse !== "");
  element("period").closest(".row").hidden = !pulsing;
  element("beats").textContent = pulsing ? `${number(choices.duration_s / choices.period_s)} beats` : "";
  cards.forEach((card, i) => card.show(choices.openings[i], unit));
  stage.paint(choices.openings);
  stage.draw(scene.now.camera);
}

function complete() {
  const general = [...element("choices").elements].filter((input) => !input.closest(".card"));
  return general.every((input) => input.checkValidity()) && cards.every(({ valid }) => valid);
}

function ready() {
  element("start").disabled = refused || starting || !complete();
  element("save").disabled = starting || !complete();
  element("start").textContent = starting ? "Starting …" : "Start the run";
}

function changed() {
  show();
  refused = true;  // until the result of the check arrives
  ready();
  clearTimeout(timer);
  if (!complete()) return show_unfinished("A marked number or name is missing or not allowed.");
  phase("waiting");
  timer = setTimeout(() => connection.send({ do: "check", by: me, set_up: choices }), pause_ms);
}

function lay_out(message) {
  vessel = message;
  choices = structuredClone(message.proposal);
  element("subtitle").textContent = `${message.surface}, ${message.triangles.toLocaleString("en-GB")} triangles, ${message.ranks} ${message.ranks === 1 ? "rank" : "ranks"}`;
  element("folder").textContent = `in ${message.folder}`;
  cards = message.openings.map((found, i) => new OpeningCard(i, found, message.pulses, {
    change: changed,
    select,
    usual: (k, kind) => usual_values(kind, k, choices.openings, vessel.openings, unit_in_use().metres, choices.viscosity_mpas),
  }));
  element("cards").replaceChildren(...cards.map(({ node }) => node));
  element("openings-hint").textContent = cards.length === 0
    ? "No opening was found: no open end, no flat cap, no rounded end." : "Click an opening on the vessel, or choose it here.";
  for (const problem of message.problems) say(problem);
  if (message.unreadable) return show_unfinished(message.unreadable);
  element("choices").hidden = false;
}

async function load() {
  element("again").hidden = vessel.unreadable === "";
  if (vessel.unreadable) {
    element("waiting").textContent = "The surface can’t be read. Repair the file, then read it again.";
    element("choices").hidden = true;
    return;
  }
  const answer = await fetch(`surface${location.search}`);
  if (!answer.ok) return show_unfinished((await answer.text()).trim());
  stage.load(await answer.arrayBuffer(), vessel.openings);
  element("waiting").hidden = stage.works;
  element("waiting").textContent = "This browser has no WebGL, so the vessel is not drawn.";
  show();
  ready();
}

const handlers = {
  hello: () => location.reload(),  // the run has begun: the same address shows it
  async vessel(message) {
    const same = vessel !== null && JSON.stringify(vessel) === JSON.stringify(message);
    condition("running", "connected");
    element("banner").hidden = true;
    if (same) return;
    lay_out(message);
    await load();
  },
  check(message) {
    if (choices === null || vessel.unreadable) return;
    if (message.by !== me && timer === undefined && message.set_up.openings.length === cards.length) {
      choices = message.set_up;
      if (stage.surface) show();
    } else if (JSON.stringify(message.set_up) !== JSON.stringify(choices)) {
      return;  // of earlier choices
    }
    refused = message.refused.length > 0;
    if (message.told || refused) starting = false;
    element("replace-row").hidden = !message.exists;
    element("replace-what").textContent = `${message.set_up.file} is there already`;
    show_findings(message);
    ready();
  },
  notice({ text }) {
    if (text.includes("exists already")) starting = false;
    say(text);
    ready();
  },
  refused({ text }) {
    starting = false;
    say(text, "refused");
    ready();
  },
};

const connection = new Connection({
  open: () => condition("connecting", "connecting"),
  text(message) {
    if (Object.hasOwn(handlers, message?.type)) handlers[message.type](message);
  },
  picture() {},
  lost(why) {
    condition("lost", "not connected");
    element("banner").hidden = false;
    element("banner").dataset.kind = "lost";
    document.querySelector("#banner strong").textContent = "Not connected.";
    document.querySelector("#banner span").textContent = why || "Trying again.";
  },
});

const listen = (id, kind, action) => element(id).addEventListener(kind, action);
const keep = (id, key, value = (input) => Number(input.value)) => listen(id, "input", () => {
  choices[key] = value(element(id));
  changed();
});
keep("title", "title", (input) => input.value);
keep("file", "file", (input) => {
  input.setCustomValidity(/^[A-Za-z0-9_][A-Za-z0-9_.-]*\.toml$/.test(input.value) ? "" : "A name that ends in .toml.");
  return input.value;
});
keep("cells", "cells");
keep("viscosity", "viscosity_mpas");
keep("period", "period_s");
keep("duration", "duration_s");
for (const radio of document.querySelectorAll("input[name=unit]")) {
  radio.addEventListener("change", () => {
    choices.unit = radio.value;
    changed();
  });
}
listen("murray", "click", () => {
  murray(choices.openings, vessel.openings);
  changed();
});
listen("equal", "click", () => {
  for (const opening of choices.openings) {
    if (opening.use === "outlet") Object.assign(opening, { condition: "pressure", value: 0, pulse: "" });
  }
  changed();
});
const order = (what) => connection.send({ do: what, by: me, replace: !element("replace-row").hidden && element("replace").checked, set_up: choices });
listen("save", "click", () => order("save"));
listen("choices", "submit", (event) => {
  event.preventDefault();
  if (element("start").disabled) return;
  starting = order("start");
  ready();
});
listen("again", "click", () => {
  element("waiting").textContent = "Reading the surface and searching for its openings";
  connection.send({ do: "read", by: me });
});
listen("retry", "click", () => connection.retry());
listen("zoom-in", "click", () => camera.zoom(1.25));
listen("zoom-out", "click", () => camera.zoom(0.8));
listen("reset-view", "click", () => camera.reset());
element("view").addEventListener("keydown", (event) => {
  if (!event.ctrlKey && !event.altKey && !event.metaKey && camera.key(event)) event.preventDefault();
});
