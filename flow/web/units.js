// SPDX-License-Identifier: BSD-3-Clause
// Numbers in readable form.
const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const minus = (text) => text.replace(/-/g, "−");

export const power = (exponent) => "10" + String(exponent).replace(/./g, (digit) => raised[digit]);

export function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return minus(String(Number(value.toPrecision(digits))));
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${minus(String(Number(mantissa)))}×${power(Number(exponent))}`;
}

export const count = (value) => Number.isFinite(value) ? Math.round(value).toLocaleString("en-GB") : "–";

const prefixes = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
// The unit for times up to this one: its length in seconds, and its name.
export const time_unit = (seconds) => prefixes.find(([size]) => Math.abs(seconds) >= size) ?? prefixes[seconds ? 2 : 0];

export function time(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const [size, unit] = time_unit(seconds);
  return `${number(seconds / size, 4)} ${unit}`;
}

export function duration(seconds) {
  if (seconds === null || !Number.isFinite(seconds)) return "–";
  const whole = Math.max(0, Math.round(seconds));
  const two = (n) => String(n).padStart(2, "0");
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole / 60) % 60)} min`;
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

export const words = (name) => name.replaceAll("_", " ");
