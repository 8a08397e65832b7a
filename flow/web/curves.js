// SPDX-License-Identifier: BSD-3-Clause
// The list of charts, from the names of the monitors' columns, and the points they share.
import { Chart } from "./chart.js";

const most_rows = 4000, redraw_ms = 200;

function charts_of(columns) {
  const of = (pattern, scale) => columns.flatMap((name, column) => {
    const found = name.match(pattern);
    return found ? [{ name: found[1], column, scale }] : [];
  });
  const one = (wanted, name) => of(new RegExp(`^${wanted}$`), 1).map((line) => ({ ...line, name }));
  return [
    { title: "Residual", unit: "per step", log: true, series: one("relative_change", "relative change") },
    { title: "Mach number", unit: "largest", series: one("mach_max", "Mach") },
    { title: "Flow rates", unit: "ml/s, into the vessel", series: of(/^(.+)_flow_m3_per_s$/, 1e6) },
    { title: "Pressures", unit: "Pa, at the openings", series: of(/^(.+)_pressure_pa$/, 1) },
  ].filter(({ series }) => series.length > 0);
}

export class Curves {
  constructor(parent) {
    this.parent = parent;
    this.rows = [];
    this.charts = [];
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plan());
  }

  hello({ columns = [] }) {
    const key = columns.join();
    if (key === this.key) return;
    this.key = key;
    this.rows = [];
    this.times = columns.indexOf("time_s");
    this.parent.replaceChildren();
    this.charts = this.times < 0 ? [] : charts_of(columns).map((plan) => new Chart(this.parent, plan));
    this.plan();
  }

  // A new connection begins with all rows.
  forget() {
    this.rows = [];
  }

  add(rows) {
    for (const row of rows) {
      const time = row[this.times], last = this.rows.at(-1);
      if (last && time < last[this.times]) this.rows = this.rows.filter((old) => old[this.times] < time);
      this.rows.push(row);
    }
    if (this.rows.length > most_rows) this.rows = this.rows.filter((row, i) => i % 2 === 0 || i === this.rows.length - 1);
    this.plan();
  }

  plan() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const chart of this.charts) chart.show(this.rows, this.times);
    }, redraw_ms);
  }
}
