// SPDX-License-Identifier: BSD-3-Clause
// Draws the received pictures, requests the size that fits, and shows the colour scale.
import { number, words } from "./units.js";

const most_pixels = 4096, least_pixels = 16;
export const colours = {
  viridis: ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"],
  diverging: ["#3b4cc0", "#8db0fe", "#dddddd", "#f4987a", "#b40426"],
};

const element = (id) => document.getElementById(id);

export class Picture {
  constructor(scene) {
    this.scene = scene;
    this.canvas = element("picture");
    this.range = null;
    this.quantity = null;  // shown by the picture
    this.units = new Map();
    this.arrived = 0;
    this.shown = 0;
    this.sized = false;
    new ResizeObserver(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.fit(), 150);
    }).observe(element("view"));
    element("detail").addEventListener("change", () => this.fit());
  }

  async show(step, blob) {
    const order = ++this.arrived;
    let bitmap = null;
    try {
      bitmap = await createImageBitmap(blob);
    } catch {
      return;
    }
    if (order > this.shown) {
      this.shown = order;
      this.canvas.width = bitmap.width;
      this.canvas.height = bitmap.height;
      this.canvas.getContext("2d").drawImage(bitmap, 0, 0);
      element("waiting").hidden = true;
      element("drawn").hidden = false;
      element("drawn").textContent = `step ${step.toLocaleString("en-GB")}`;
      this.canvas.dataset.step = String(step);
      this.canvas.dataset.count = String(order);
    }
    bitmap.close();
  }

  // Requests as many pixels as the element has.
  fit() {
    if (!this.scene.now) return;
    const box = element("view").getBoundingClientRect();
    const scale = Math.min(2, devicePixelRatio) * Number(element("detail").value);
    const pixels = (length) => Math.min(most_pixels, Math.max(least_pixels, Math.round(length * scale / 2) * 2));
    const width = pixels(box.width), height = pixels(box.height);
    if (box.width < 1 || (width === this.scene.now.width && height === this.scene.now.height)) return;
    this.scene.edit({ width, height });
  }

  // The range of the colours: the user's, else the automatic one of the run. Until a picture of another field is there,
  // that of the picture.
  legend(scene) {
    const quantity = this.quantity ?? scene.quantity, is_old = quantity !== scene.quantity;
    const found = this.range ?? [null, null];
    const low = is_old ? found[0] : scene.low ?? found[0], high = is_old ? found[1] : scene.high ?? found[1];
    const unit = this.units.get(quantity);
    element("legend").hidden = false;
    element("legend-name").textContent = words(quantity) + (unit ? ` (${unit})` : "");
    const known = low !== null && high !== null;
    element("legend-low").textContent = low === null ? "lowest" : number(low);
    element("legend-middle").textContent = known ? `middle ${number((low + high) / 2)}` : "";
    element("legend-high").textContent = high === null ? "highest" : number(high);
    const bar = element("legend-bar"), context = bar.getContext("2d");
    const gradient = context.createLinearGradient(0, 0, bar.width, 0);
    const stops = colours[scene.map] ?? colours.viridis;
    stops.forEach((colour, i) => gradient.addColorStop(i / (stops.length - 1), colour));
    context.fillStyle = gradient;
    context.fillRect(0, 0, bar.width, 1);
  }
}
