// SPDX-License-Identifier: BSD-3-Clause
import { Camera } from "./camera.js";
import { Connection } from "./connection.js";
import { Controls } from "./controls.js";
import { Curves } from "./curves.js";
import { say } from "./notices.js";
import { Picture } from "./picture.js";
import { Run } from "./run.js";
import { Scene } from "./scene.js";
import { Steering } from "./steering.js";

const element = (id) => document.getElementById(id);
const send = (message) => connection.send(message);

const scene = new Scene((now) => send({ do: "scene", scene: now }));
const picture = new Picture(scene);
const controls = new Controls(scene, picture);
const camera = new Camera(element("view"), scene);
const curves = new Curves(element("curves"));
const steering = new Steering(element("steering"), send);
const run = new Run(send);
let ended = false, fitted = false;

function banner(kind, title = "", text = "") {
  const box = element("banner");
  const said = [title, text].join("\n");
  box.hidden = kind === "";
  element("retry").hidden = kind !== "lost";
  if (box.dataset.said === said) return;  // printed once only
  Object.assign(box.dataset, { said, kind });
  box.querySelector("strong").textContent = title;
  box.querySelector("span").textContent = text;
}

function condition(state, text) {
  const node = element("connection");
  if (node.dataset.state !== state) Object.assign(node, { textContent: text }).dataset.state = state;
  document.body.dataset.state = state;
}

function enable(on, connected = true) {
  run.enable(on);
  steering.enable(on);
  element("look").querySelector("fieldset").disabled = !connected;
}

const handlers = {
  vessel: () => location.reload(),  // it could not be run: the same address shows the set-up again
  hello(message) {
    run.hello(message);
    controls.quantities(message.quantities ?? []);
    steering.hello(message);
    steering.enable(run.enabled);
    curves.hello(message);
  },
  state(message) {
    ended = message.ended === true;
    picture.range = message.range ?? null;
    picture.quantity = message.shown ?? null;
    if (message.scene) scene.adopt(message.scene);
    if (scene.now) picture.legend(scene.now);
    if (!fitted && scene.now) picture.fit();
    fitted = fitted || scene.now !== null;
    run.state(message);
    if (run.enabled === ended || document.body.dataset.state === "connecting") enable(!ended);
    if (ended) condition("ended", "ended");
    else if (message.paused) condition("paused", "paused");
    else condition("running", "running");
    if (ended) banner("ended", "The run has ended.", "");
    else banner("");
  },
  row: ({ values }) => curves.add([values]),
  rows: ({ values }) => curves.add(values),
  notice: ({ text }) => say(text),
  refused: ({ text }) => say(text, "refused"),
};

const connection = new Connection({
  open() {
    curves.forget();
    fitted = false;
    condition("connecting", "connecting");
  },
  text(message) {
    if (Object.hasOwn(handlers, message?.type)) handlers[message.type](message);
  },
  picture: (step, blob) => picture.show(step, blob),
  lost(why) {
    enable(false, false);
    condition("lost", ended ? "ended" : "not connected");
    if (ended) banner("ended", "The run has ended.", "Its program has ended, too.");
    else banner("lost", "Not connected.", why || "Trying again.");
  },
});

element("retry").addEventListener("click", () => connection.retry());
element("zoom-in").addEventListener("click", () => camera.zoom(1.25));
element("zoom-out").addEventListener("click", () => camera.zoom(0.8));
element("reset-view").addEventListener("click", () => camera.reset());
const toggle_keys = () => {
  element("keys").hidden = !element("keys").hidden;
  element("show-keys").setAttribute("aria-expanded", String(!element("keys").hidden));
};
element("show-keys").addEventListener("click", toggle_keys);

// Keys are handled unless a control uses them.
document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.altKey || event.metaKey || element("confirm").open) return;
  if (target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
  const on_button = target.closest("button, input") !== null;
  let known = true;
  if (event.key === " " && !on_button) run.toggle();
  else if (event.key === "s" || event.key === "S") run.step();
  else if (event.key === "?") toggle_keys();
  else if (event.key === "Escape" && !element("keys").hidden) toggle_keys();
  else known = camera.key(event);
  if (known) event.preventDefault();
});
