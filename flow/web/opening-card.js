// SPDX-License-Identifier: BSD-3-Clause
// The form of one opening: its role and its condition.
import { number } from "./units.js";

const uses = { inlet: "inlet", outlet: "outlet", wall: "not used" };
const conditions = {
  flow: { words: "flow", unit: "ml/s", of: ["inlet", "outlet"], label: "Mean", steady: "Flow" },
  velocity: { words: "mean velocity", unit: "m/s", of: ["inlet", "outlet"], label: "Mean", steady: "Velocity" },
  pressure: { words: "pressure", unit: "mmHg", of: ["inlet", "outlet"], steady: "Pressure" },
  windkessel: { words: "windkessel (RCR)", unit: "mmHg", of: ["outlet"], steady: "Begins at" },
  share: { words: "share of the inflow", unit: "%", of: ["outlet"], steady: "Share" },
};
const windkessel = { resistance: ["Resistance", "mmHg s/ml"], capacitance: ["Capacity", "ml/mmHg"], proximal: ["Proximal", "mmHg s/ml"] };
const is_pulsing = (condition) => condition === "flow" || condition === "velocity";
const svg = "http://www.w3.org/2000/svg";

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export class OpeningCard {
  // found: {what, area, radius, must_be_used}; on: {change(), select(), usual(i, condition): values}
  constructor(i, found, pulses, on) {
    Object.assign(this, { i, found, pulses, on });
    const number_of = String(i + 1);
    this.badge = make("span", { class: "badge", "aria-hidden": "true" }, number_of);
    this.title = make("b");
    this.what = make("span", { class: "what" });
    this.fields = make("div", { class: "fields" });
    this.node = make("details", { class: "card", name: "opening", "data-opening": number_of },
      make("summary", { "aria-label": `Opening ${number_of}` }, this.badge, this.title, this.what), this.fields);
    this.node.addEventListener("toggle", () => {
      if (this.node.open) on.select(i);
    });
    this.build();
  }

  build() {
    this.uses = Object.entries(uses).map(([use, words]) => {
      const radio = make("input", { type: "radio", name: `use-${this.i}`, value: use });
      radio.disabled = use === "wall" && this.found.must_be_used;
      radio.addEventListener("change", () => this.set_use(use));
      return [radio, make("label", {}, radio, make("span", {}, words))];
    });
    this.name = make("input", { maxlength: "40", required: true, spellcheck: "false" });
    this.condition = make("select");
    this.value = make("input", { type: "number", step: "any", required: true });
    this.value_label = make("span");
    this.unit = make("span");
    this.pulse = make("select", {}, make("option", { value: "" }, "steady"),
      ...this.pulses.map(({ name, words }) => make("option", { value: name }, words)));
    this.curve = document.createElementNS(svg, "svg");
    this.curve.setAttribute("viewBox", "0 0 200 44");
    this.curve.setAttribute("preserveAspectRatio", "none");
    this.curve.setAttribute("class", "pulse");
    this.curve.setAttribute("role", "img");
    this.line = document.createElementNS(svg, "path");
    this.curve.append(this.line);
    this.peak = make("p", { class: "hint-line" });
    this.behind = Object.entries(windkessel).map(([key, [words, unit]]) => {
      const input = make("input", { type: "number", step: "any", min: "0", required: true });
      input.addEventListener("input", () => this.read(key, input));
      return [key, input, make("label", { class: "row" }, make("span", {}, words),
        make("span", { class: "with-unit" }, input, make("span", {}, unit)))];
    });
    const row = (words, node) => make("label", { class: "row" }, make("span", {}, words), node);
    const use = make("div", { class: "row", role: "radiogroup", "aria-label": `What opening ${this.i + 1} is` }, make("span", {}, "Use"),
      make("div", { class: "segments" }, ...this.uses.map(([, label]) => label)));
    this.used = make("div", {}, row("Name", this.name), row("Prescribes", this.condition),
      make("label", { class: "row" }, this.value_label, make("span", { class: "with-unit" }, this.value, this.unit)),
      this.pulse_row = row("Over time", this.pulse), this.curve, this.peak, ...this.behind.map(([, , label]) => label));
    this.fields.append(use, this.used);
    this.name.addEventListener("input", () => {
      this.name.setCustomValidity(/^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(this.name.value) ? "" : "Letters, digits, _ and - are allowed.");
      this.choice.name = this.name.value;
      this.changed();
    });
    this.condition.addEventListener("change", () => this.set_condition(this.condition.value));
    this.value.addEventListener("input", () => this.read("value", this.value));
    this.pulse.addEventListener("change", () => {
      this.choice.pulse = this.pulse.value;
      this.changed();
    });
  }

  read(key, input) {
    const scale = key === "value" && this.choice.condition === "share" ? 0.01 : 1;
    this.choice[key] = input.value === "" ? NaN : scale * Number(input.value);
    this.changed();
  }

  set_use(use) {
    const { choice } = this;
    choice.use = use;
    if (use !== "wall" && !conditions[choice.condition].of.includes(use)) choice.condition = "pressure";
    const usual = use === "inlet" ? "flow" : "pressure";
    if (use !== "wall" && (choice.condition === "flow") !== (use === "inlet")) return this.set_condition(usual);
    this.changed();
  }

  set_condition(condition) {
    Object.assign(this.choice, { condition, pulse: is_pulsing(condition) ? this.choice.pulse : "" }, this.on.usual(this.i, condition));
    this.changed();
  }

  changed() {
    this.show(this.choice, this.length_unit);
    this.on.change();
  }

  get valid() {
    return this.choice.use === "wall" || [...this.used.querySelectorAll("input, select")].every((input) => input.closest("[hidden]") || input.checkValidity());
  }

  // The field being edited is not changed.
  show(choice, length_unit) {
    Object.assign(this, { choice, length_unit });
    const set = (input, value) => {
      if (document.activeElement !== input) input.value = typeof value === "number" ? Number(value.toPrecision(5)) : value;
    };
    this.node.classList.remove(...Object.keys(uses));
    this.node.classList.add(choice.use);
    this.title.textContent = choice.use === "wall" ? uses.wall : choice.name;
    this.what.textContent = `${this.found.what}, ${number(this.found.area)} ${length_unit}²`;
    for (const [radio] of this.uses) radio.checked = radio.value === choice.use;
    this.used.hidden = choice.use === "wall";
    if (this.used.hidden) return;
    const allowed = Object.entries(conditions).filter(([, { of }]) => of.includes(choice.use));
    if (this.listed !== choice.use) this.condition.replaceChildren(...allowed.map(([value, { words }]) => make("option", { value }, words)));
    this.listed = choice.use;
    this.condition.value = choice.condition;
    const { unit, label, steady } = conditions[choice.condition];
    set(this.name, choice.name);
    this.value_label.textContent = choice.pulse && label ? label : steady;
    this.unit.textContent = unit;
    set(this.value, choice.condition === "share" ? 100 * choice.value : choice.value);
    this.pulse_row.hidden = !is_pulsing(choice.condition);
    this.pulse.value = choice.pulse;
    for (const [key, input, row] of this.behind) {
      row.hidden = choice.condition !== "windkessel";
      set(input, choice[key]);
    }
    this.draw();
  }

  draw() {
    const { choice } = this, pulse = this.pulses.find(({ name }) => name === choice.pulse);
    this.curve.toggleAttribute("hidden", !pulse);
    this.peak.hidden = !pulse;
    if (!pulse) return;
    const values = pulse.points.map(([, value]) => value), low = Math.min(0, ...values), high = Math.max(...values);
    const places = pulse.points.map(([t, v]) => `${4 + 192 * t} ${40 - 36 * (v - low) / (high - low)}`);
    this.line.setAttribute("d", `M${places.join("L")}`);
    const text = `peak ${number(high * choice.value)} ${conditions[choice.condition].unit}`;
    this.curve.setAttribute("aria-label", `The pulse: ${text}`);
    this.peak.textContent = text;
  }
}
