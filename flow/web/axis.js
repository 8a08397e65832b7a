// SPDX-License-Identifier: BSD-3-Clause
// The ticks of an axis. An axis maps a value to 0..1 and names its ticks.
import { number, power } from "./units.js";

export function linear(low, high, wanted) {
  if (!(high > low)) {
    const room = Math.abs(low) * 0.1 || 1;
    [low, high] = [low - room, high + room];
  }
  const rough = (high - low) / wanted, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * size >= rough) * size;
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  const ticks = [];
  for (let i = first; i <= last; ++i) ticks.push({ value: i * step, text: number(Number((i * step).toPrecision(12)), 6) });
  return { ticks, at: (value) => (value - first * step) / ((last - first) * step) };
}

// The same, for an axis that ends at its extreme values.
export function tight(low, high, wanted) {
  if (!(high > low)) return linear(low, high, wanted);
  const { ticks } = linear(low, high, wanted);
  const inside = ticks.filter(({ value }) => value >= low && value <= high * (1 + 1e-9));
  return { ticks: inside, at: (value) => (value - low) / (high - low) };
}

export function logarithmic(low, high, wanted) {
  let first = Math.floor(Math.log10(low) + 1e-9), last = Math.ceil(Math.log10(high) - 1e-9);
  if (last === first) ++last;
  const step = Math.max(1, Math.ceil((last - first) / wanted));
  first = Math.floor(first / step) * step;
  last = Math.ceil(last / step) * step;
  const ticks = [];
  for (let i = first; i <= last; i += step) ticks.push({ value: 10 ** i, text: power(i) });
  return { ticks, at: (value) => (Math.log10(value) - first) / (last - first) };
}
