// SPDX-License-Identifier: BSD-3-Clause
// The settings that can be changed during the run: one form per opening, and one for the viscosity.
import { number, words } from "./units.js";

const usual_ramp = { value: 0.01, low: 0, high: null };  // seconds

const make = (tag, attributes = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

class Steer {
  constructor(title, detail, what, apply) {
    this.apply = apply;
    this.value = make("input", { type: "number", step: "any", required: true });
    this.ramp = make("input", { type: "number", step: "any", required: true });
    this.now = make("span", { className: "now" });
    this.limits = make("span", { className: "limits", id: `limits-${title}` });
    this.hint = make("p", { className: "hint", id: `hint-${title}` });
    this.hint.setAttribute("role", "alert");
    this.value.setAttribute("aria-describedby", `${this.limits.id} ${this.hint.id}`);
    this.unit = make("span");
    this.fieldset = make("fieldset", { className: "opening" },
      make("legend", {}, make("span", { className: "name" }, make("b", { textContent: title }),
        make("span", { textContent: detail }), this.limits, this.now)),
      make("div", { className: "fields" }, make("label", {}, `${what} (`, this.unit, ")", this.value),
        make("label", {}, "over (s)", this.ramp), make("button", { textContent: "Apply" })), this.hint);
    this.fieldset.querySelector("button").setAttribute("aria-label", `Apply to ${title}`);
    this.form = make("form", { noValidate: true }, this.fieldset);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.check()) this.apply(Number(this.value.value), Number(this.ramp.value));
    });
    for (const input of [this.value, this.ramp]) input.addEventListener("input", () => this.check());
    this.value.addEventListener("input", () => {
      this.edited = true;
    });
  }

  // `target` is where a command sends the value, which may still be on its way there. What the user has typed stays until
  // a command changes the target.
  show({ value, target = null, low, high, unit }, ramp) {
    this.unit.textContent = unit;
    const on_way = target !== null && number(target, 4) !== number(value, 4);
    this.now.textContent = on_way ? `${number(value)} → ${number(target)} ${unit}` : `${number(value, 4)} ${unit}`;
    if (this.target !== undefined && this.target !== target) this.edited = false;
    this.target = target;
    if (!this.edited && document.activeElement !== this.value) this.value.value = Number((target ?? value).toPrecision(4));
    if (this.ramp.value === "") this.ramp.value = ramp.value;
    Object.assign(this.value, { min: low, max: high });
    Object.assign(this.ramp, { min: ramp.low, max: ramp.high ?? "" });
    this.shortest = ramp.low;
    this.limits.textContent = `${number(low)} to ${number(high)}`;
    this.check();
  }

  check() {
    const good = this.value.checkValidity(), ramped = this.ramp.checkValidity();
    const allowed = `Allowed: ${this.limits.textContent} ${this.unit.textContent}`;
    const wrong = !good ? allowed : ramped ? "" : `Give the duration in seconds, at least ${number(this.shortest)}.`;
    if (this.hint.textContent !== wrong) this.hint.textContent = wrong;
    this.value.setAttribute("aria-invalid", String(!good));
    return good && ramped;
  }
}

export class Steering {
  constructor(panel, send) {
    this.panel = panel;
    this.send = send;
    this.forms = new Map();
  }

  hello({ openings = [], viscosity, ramp = usual_ramp }) {
    const has_room = ({ low, high }) => high > low;  // else there is nothing to choose
    const changeable = openings.filter(has_room), fluid = viscosity && has_room(viscosity) ? viscosity : null;
    this.panel.hidden = changeable.length === 0 && !fluid;
    for (const [key, { form }] of this.forms) {
      form.hidden = key === "viscosity" ? !fluid : !changeable.some(({ name }) => key === `opening ${name}`);
    }
    for (const opening of changeable) {
      const { name, kind, prescribes } = opening;
      const form = this.form(`opening ${name}`, name, kind, words(prescribes),
        (value, ramp) => this.send({ do: "opening", name, value, ramp }));
      form.show(opening, ramp);
    }
    if (!fluid) return;
    const apply = (value, ramp) => this.send({ do: "viscosity", value, ramp });
    this.form("viscosity", "viscosity", "", "dynamic", apply).show(fluid, ramp);
  }

  form(key, ...rest) {
    if (!this.forms.has(key)) {
      this.forms.set(key, new Steer(...rest));
      this.panel.append(this.forms.get(key).form);
    }
    return this.forms.get(key);
  }

  enable(on) {
    for (const { fieldset } of this.forms.values()) fieldset.disabled = !on;
  }
}
