// SPDX-License-Identifier: BSD-3-Clause
// Usual values for an opening, as defaults.
const mean_mmhg = 90, time_constant_s = 1.5, proximal_share = 0.08, density = 1060;
const fastest = 0.2, highest_reynolds = 500;
const sum = (values) => values.reduce((a, b) => a + b, 0);

const cubes = (choices, found) => found.map(({ radius }, i) => choices[i].use === "outlet" ? radius ** 3 : 0);

// ml/s; of a velocity by the area of its opening.
function flow_of({ condition, value }, { area }, metre) {
  if (condition === "flow") return value;
  return condition === "velocity" ? value * area * metre ** 2 * 1e6 : 0;
}

// Flow as fast as in an artery, but no faster than at a moderate Reynolds number.
function usual_velocity(radius, viscosity_mpas) {
  return Math.min(fastest, highest_reynolds * viscosity_mpas * 1e-3 / density / (2 * radius));
}

const tidy = (value) => Number(value.toPrecision(3));

export function usual_values(condition, i, choices, found, metre, viscosity_mpas) {
  const { area, radius } = found[i], now = choices[i], sign = now.use === "outlet" ? -1 : 1;
  const before = flow_of(now, found[i], metre);
  const velocity = usual_velocity(radius * metre, viscosity_mpas), flow = before || sign * velocity * area * metre ** 2 * 1e6;
  const part = now.use === "outlet" ? radius ** 3 / sum(cubes(choices, found)) : 0;
  if (condition === "flow") return { value: tidy(flow) };
  if (condition === "velocity") return { value: tidy(flow / (area * metre ** 2 * 1e6)) };
  if (condition === "share") return { value: tidy(Math.min(0.99, part)) };
  if (condition === "pressure") return { value: 0 };
  const inflow = sum(choices.map((opening, k) => opening.use === "inlet" ? flow_of(opening, found[k], metre) : 0)) || flow;
  const resistance = mean_mmhg / Math.max(1e-9, Math.abs(inflow) * part);
  return {
    value: mean_mmhg, resistance: tidy((1 - proximal_share) * resistance), proximal: tidy(proximal_share * resistance),
    capacitance: tidy(time_constant_s / resistance),
  };
}

// The widest outlet has a pressure; each other outlet gets a share of the flow.
export function murray(choices, found) {
  const parts = cubes(choices, found), all = sum(parts), widest = parts.indexOf(Math.max(...parts));
  choices.forEach((opening, i) => {
    if (opening.use !== "outlet") return;
    opening.pulse = "";
    if (i === widest) Object.assign(opening, { condition: "pressure", value: 0 });
    else Object.assign(opening, { condition: "share", value: tidy(parts[i] / all) });
  });
}
