// SPDX-License-Identifier: BSD-3-Clause
// Converts pointer and key events on the picture to changes of the scene's camera.
const degrees_per_height = 220, key_degrees = 5, key_pan = 0.05, key_zoom = 1.15, most_zoom = 50, least_zoom = 0.1;
const start = { azimuth: 30, elevation: 20, zoom: 1, pan: [0, 0] };

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const wrap = (degrees) => ((degrees + 180) % 360 + 360) % 360 - 180;

export class Camera {
  constructor(view, scene) {
    this.view = view;
    this.scene = scene;
    this.pointers = new Map();
    view.addEventListener("pointerdown", (event) => this.down(event));
    view.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      view.addEventListener(end, (event) => this.up(event));
    }
    view.addEventListener("contextmenu", (event) => event.preventDefault());
    view.addEventListener("dblclick", () => this.reset());
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  get camera() {
    return this.scene.now?.camera ?? start;
  }

  change(camera) {
    this.scene.edit({ camera });
  }

  turn(right, up) {
    const { azimuth, elevation } = this.camera;
    this.change({ azimuth: wrap(azimuth - right), elevation: clamp(elevation + up, -90, 90) });
  }

  shift(right, up) {
    const [x, y] = this.camera.pan;
    this.change({ pan: [clamp(x + right, -20, 20), clamp(y + up, -20, 20)] });
  }

  // About a point of the picture, in picture heights from its middle, which stays fixed.
  zoom(factor, at = [0, 0]) {
    const { zoom, pan } = this.camera;
    const next = clamp(zoom * factor, least_zoom, most_zoom);
    this.change({ zoom: next, pan: pan.map((p, i) => at[i] - (at[i] - p) * next / zoom) });
  }

  reset() {
    this.change({ ...start });
  }

  place({ clientX, clientY }) {
    const box = this.view.getBoundingClientRect();
    return [(clientX - box.left - box.width / 2) / box.height, (box.top + box.height / 2 - clientY) / box.height];
  }

  down(event) {
    this.view.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { at: this.place(event), pans: event.button !== 0 || event.shiftKey });
    this.scene.held = true;
    this.view.classList.add("dragging");
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const at = this.place(event), [right, up] = [at[0] - pointer.at[0], at[1] - pointer.at[1]];
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p.at);
      const distance = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
      this.zoom(distance(at) / Math.max(0.01, distance(pointer.at)), other);
      this.shift(right / 2, up / 2);
    } else if (pointer.pans) {
      this.shift(right, up);
    } else {
      this.turn(right * degrees_per_height, -up * degrees_per_height);
    }
    pointer.at = at;
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    if (this.pointers.size > 0) return;
    this.scene.held = false;
    this.view.classList.remove("dragging");
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : event.deltaMode === 2 ? 400 : 1;
    this.zoom(Math.exp(-0.0015 * clamp(event.deltaY * lines, -300, 300)), this.place(event));
  }

  // True if the key was one of the camera's.
  key(event) {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (arrow && event.shiftKey) this.shift(arrow[0] * key_pan, arrow[1] * key_pan);
    else if (arrow) this.turn(arrow[0] * key_degrees, -arrow[1] * key_degrees);
    else if (event.key === "+" || event.key === "=") this.zoom(key_zoom);
    else if (event.key === "-" || event.key === "_") this.zoom(1 / key_zoom);
    else if (event.key === "0" || event.key === "Home") this.reset();
    else return false;
    return true;
  }
}
