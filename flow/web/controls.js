// SPDX-License-Identifier: BSD-3-Clause
// The form of the view: shows the scene, and changes it.
import { number, words } from "./units.js";

const element = (id) => document.getElementById(id);
const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`)?.value;
const choose = (name, value) => {
  const radio = document.querySelector(`input[name="${name}"][value="${value}"]`);
  if (radio) radio.checked = true;
};
const axis_of = (normal) => Object.keys(axes).reduce((best, axis) => {
  const size = (name) => Math.abs(normal[axes[name].indexOf(1)]);
  return size(axis) > size(best) ? axis : best;
}, "x");
const tidy = (value) => Number(value.toPrecision(6));

export class Controls {
  constructor(scene, picture) {
    this.scene = scene;
    this.picture = picture;
    element("look").addEventListener("submit", (event) => event.preventDefault());
    const on = (id, kind, action) => element(id).addEventListener(kind, action);
    on("quantity", "change", () => this.edit({ quantity: element("quantity").value, low: null, high: null }));
    on("opacity", "input", () => this.edit({ opacity: Number(element("opacity").value) }));
    on("plane-at", "input", () => this.edit({ plane_at: Number(element("plane-at").value) }));
    on("streamlines", "change", () => this.edit({ streamlines: element("streamlines").checked }));
    for (const id of ["low", "high"]) on(id, "change", () => this.limits());
    const radios = {
      range: (value) => this.range(value),
      map: (map) => this.edit({ map }),
      wall: (wall) => this.edit({ wall }),
      plane: (axis) => this.edit(axis === "off" ? { plane: false } : { plane: true, plane_normal: axes[axis] }),
    };
    for (const [name, action] of Object.entries(radios)) {
      for (const radio of document.querySelectorAll(`input[name="${name}"]`)) {
        radio.addEventListener("change", () => action(radio.value));
      }
    }
    scene.listen((now) => this.show(now));
  }

  edit(changes) {
    this.scene.edit(changes);
  }

  quantities(list) {
    const select = element("quantity");
    this.picture.units = new Map(list.map(({ name, unit }) => [name, unit]));
    const names = list.map(({ name }) => name).join();
    if (select.dataset.names === names) return;
    select.dataset.names = names;
    select.replaceChildren(...list.map(({ name }) => new Option(words(name), name)));
    if (this.scene.now) this.show(this.scene.now);
  }

  range(kind) {
    if (kind === "automatic") return this.edit({ low: null, high: null });
    const [low, high] = this.picture.range ?? [0, 1];
    this.edit({ low: tidy(low), high: tidy(high > low ? high : low + 1) });
  }

  limits() {
    const low = element("low"), high = element("high");
    const wrong = !low.checkValidity() || !high.checkValidity() || low.value === "" || high.value === "";
    high.setCustomValidity(wrong || Number(low.value) < Number(high.value) ? "" : "The highest value must be above the lowest.");
    if (wrong || !high.reportValidity()) return;
    this.edit({ low: Number(low.value), high: Number(high.value) });
  }

  show(scene) {
    element("quantity").value = scene.quantity;
    const automatic = scene.low === null && scene.high === null;
    choose("range", automatic ? "automatic" : "fixed");
    element("limits").hidden = automatic;
    element("limits-unit").textContent = this.picture.units.get(scene.quantity) ?? "Limits";
    for (const id of ["low", "high"]) {
      const input = element(id);
      if (document.activeElement !== input && scene[id] !== null) input.value = tidy(scene[id]);
    }
    choose("map", scene.map);
    choose("wall", scene.wall);
    choose("plane", scene.plane ? axis_of(scene.plane_normal) : "off");
    element("plane-row").hidden = !scene.plane;
    this.slide("opacity", scene.opacity);
    this.slide("plane-at", scene.plane_at);
    element("streamlines").checked = scene.streamlines;
    this.picture.legend(scene);
  }

  slide(id, value) {
    element(id).value = value;
    document.querySelector(`output[for="${id}"]`).textContent = `${number(Math.round(100 * value))} %`;
  }

  fixed() {
    return chosen("range") === "fixed";
  }
}
