// SPDX-License-Identifier: BSD-3-Clause
// The vessel with its openings: discs in it, a numbered badge on each, both of which can be clicked.
import { dot, minus } from "./matrix.js";
import { make } from "./opening-card.js";
import { read_surface, SurfaceView } from "./surface.js";

const colours = { inlet: [0, 0.45, 0.7], outlet: [0.84, 0.37, 0], wall: [0.55, 0.59, 0.63] }, bright = [1, 0.89, 0.48];
const click_px = 4;

export class Stage {
  constructor(on_select) {
    this.on_select = on_select;
    this.canvas = document.getElementById("surface");
    this.layer = document.getElementById("badges");
    this.view = new SurfaceView(this.canvas);
    this.openings = [];
    this.chosen = -1;
    this.badges = [];
    this.canvas.parentElement.addEventListener("pointerdown", ({ clientX, clientY }) => {
      this.pressed = [clientX, clientY];
    });
    this.canvas.parentElement.addEventListener("pointerup", (event) => this.click(event));
  }

  get works() {
    return this.view.works;
  }

  get surface() {
    return this.view.surface;
  }

  load(buffer, openings) {
    this.openings = openings;
    this.view.load(read_surface(buffer));
    this.badges = openings.map((opening, i) => {
      const badge = make("button", { type: "button", class: "badge", "aria-label": `Opening ${i + 1} on the vessel` }, String(i + 1));
      for (const kind of ["pointerdown", "dblclick"]) badge.addEventListener(kind, (event) => event.stopPropagation());
      badge.addEventListener("click", () => this.on_select(i));
      return badge;
    });
    this.layer.replaceChildren(...this.badges);
  }

  paint(choices) {
    this.uses = choices.map(({ use }) => use);
    this.badges.forEach((badge, i) => {
      badge.className = `badge ${this.uses[i]}`;
    });
  }

  select(i) {
    this.chosen = i;
    this.badges.forEach((badge, k) => badge.setAttribute("aria-pressed", String(k === i)));
    if (this.camera) this.draw(this.camera);
  }

  // At most once per frame.
  draw(camera) {
    this.camera = camera;
    if (!this.surface || !this.uses) return;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.render();
    });
  }

  render() {
    const discs = this.openings.flatMap((opening, i) => {
      const disc = { ...opening, radius: 1.03 * opening.radius, colour: colours[this.uses[i]] };
      return i === this.chosen ? [disc, { ...opening, radius: 1.3 * opening.radius, colour: bright, centre: this.behind(opening) }] : [disc];
    });
    this.seen = this.view.draw(this.camera, discs);
    this.openings.forEach((opening, i) => {
      const out = opening.centre.map((c, k) => c - 0.9 * opening.radius * opening.normal[k]), [x, y] = this.seen.see(out);
      this.badges[i].style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      this.badges[i].classList.toggle("behind", dot(opening.normal, this.seen.towards) < -0.3);
    });
    this.canvas.dataset.drawn = String(Number(this.canvas.dataset.drawn ?? 0) + 1);
  }

  behind({ centre, normal, radius }) {
    return centre.map((c, k) => c + 0.02 * radius * normal[k]);
  }

  // The nearest disc that the ray of this pixel goes through.
  opening_at(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect(), { seen } = this;
    if (!seen) return -1;
    let best = -1, nearest = Infinity;
    this.openings.forEach(({ centre, normal, radius }, i) => {
      const [x, y, depth] = seen.see(centre), across = (clientX - box.left - x) / seen.scale, up = (box.top + y - clientY) / seen.scale;
      const offset = seen.right.map((r, k) => across * r + up * seen.up[k]), facing = dot(normal, seen.towards);
      const along = Math.abs(facing) < 0.05 ? 0 : -dot(offset, normal) / facing;
      const at = offset.map((o, k) => o + along * seen.towards[k]);
      if (dot(at, at) <= (1.1 * radius) ** 2 && depth + along < nearest) [best, nearest] = [i, depth + along];
    });
    return best;
  }

  click({ clientX, clientY, button }) {
    if (!this.pressed || button !== 0 || Math.hypot(...minus([clientX, clientY, 0], [...this.pressed, 0])) > click_px) return;
    const i = this.opening_at(clientX, clientY);
    if (i >= 0) this.on_select(i);
  }
}
