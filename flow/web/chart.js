// SPDX-License-Identifier: BSD-3-Clause
// One chart: lines over time, on a canvas, with axes, units, a legend with the newest values, and a reading at the pointer.
import { linear, logarithmic, tight } from "./axis.js";
import { dashes, line_style } from "./line_style.js";
import { number, time, time_unit } from "./units.js";

const margin = { left: 44, right: 10, top: 7, bottom: 19 };
const svg = "http://www.w3.org/2000/svg";
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A piece of the curve, for the legend.
function swatch(i) {
  const { colour, dash } = line_style(i);
  const drawing = document.createElementNS(svg, "svg"), line = document.createElementNS(svg, "line");
  const set = (node, values) => Object.entries(values).forEach(([name, value]) => node.setAttribute(name, value));
  set(drawing, { viewBox: "0 0 22 4", "aria-hidden": "true" });
  set(line, { x1: 0, x2: 22, y1: 2, y2: 2, "stroke-width": 2.5, "stroke-dasharray": dash.join(" ") });
  line.style.stroke = `var(${colour})`;
  drawing.append(line);
  return drawing;
}

export class Chart {
  // series: [{name, column, scale}]
  constructor(parent, { title, unit, log, series }) {
    Object.assign(this, { title, unit, log, series, rows: [], pointer: null });
    this.figure = document.createElement("figure");
    const caption = document.createElement("figcaption"), units = document.createElement("span");
    caption.textContent = title;
    units.textContent = unit;
    caption.append(units);
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.list = document.createElement("ul");
    this.values = series.map((line, i) => {
      const item = document.createElement("li"), value = document.createElement("b");
      item.append(swatch(i), line.name, " ", value);
      this.list.append(item);
      return value;
    });
    this.figure.append(caption, this.canvas, this.list);
    parent.append(this.figure);
    this.canvas.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.canvas.addEventListener("pointerleave", () => this.point(null));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  point(x) {
    this.pointer = x;
    this.draw();
  }

  value(row, line) {
    const value = row[line.column];
    return value === null || value === undefined || (this.log && value <= 0) ? null : value * line.scale;
  }

  // rows: arrays of columns; `times` is the number of the time's column.
  show(rows, times) {
    this.rows = rows;
    this.times = times;
    this.draw();
  }

  draw() {
    const { canvas, rows } = this, ratio = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width < 60 || height < 40) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    let low = Infinity, high = -Infinity;
    for (const row of rows) {
      for (const line of this.series) {
        const value = this.value(row, line);
        if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    }
    const some = rows.length > 0 && low <= high;
    const row = this.nearest(width);
    this.tell(some ? row : null);
    context.font = `10.5px ${getComputedStyle(canvas).fontFamily}`;
    context.fillStyle = style("--dim");
    if (!some) {
      context.textAlign = "center";
      context.fillText("no values yet", width / 2, height / 2);
      return;
    }
    const lines = Math.max(2, Math.floor((height - 30) / 24));
    if (!this.log && low > 0 && low < 0.5 * high) low = 0;
    const up = this.log ? logarithmic(low, high, lines) : linear(low, high, lines);
    const newest = rows.at(-1)[this.times], [size, unit] = time_unit(newest);
    const across = tight(rows[0][this.times] / size, newest / size, Math.max(2, Math.floor(width / 55)));
    const x = (seconds) => margin.left + across.at(seconds / size) * (width - margin.left - margin.right);
    const y = (value) => height - margin.bottom - up.at(value) * (height - margin.top - margin.bottom);
    this.axes(context, { up, across, x: (value) => x(value * size), y, unit, width, height });
    this.series.forEach((line, i) => this.line(context, line, i, x, y));
    if (this.pointer !== null && row) this.reading(context, row, x, y, height);
  }

  axes(context, { up, across, x, y, unit, width, height }) {
    context.lineWidth = 1;
    context.strokeStyle = style("--grid");
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.beginPath();
    for (const { value, text } of up.ticks) {
      context.moveTo(margin.left, Math.round(y(value)) + 0.5);
      context.lineTo(width - margin.right, Math.round(y(value)) + 0.5);
      context.fillText(text, margin.left - 6, y(value));
    }
    context.stroke();
    context.textBaseline = "alphabetic";
    context.textAlign = "center";
    const title = `time (${unit})`, end = width - 4 - context.measureText(title).width;
    for (const { value, text } of across.ticks) {
      if (x(value) + context.measureText(text).width / 2 < end - 5) context.fillText(text, x(value), height - 4);
    }
    context.textAlign = "right";
    context.fillText(title, width - 4, height - 4);
  }

  line(context, line, i, x, y) {
    const { colour, dash } = line_style(i);
    context.strokeStyle = style(colour);
    context.setLineDash(dash);
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    let drawing = false;
    for (const row of this.rows) {
      const value = this.value(row, line);
      if (value === null) {
        drawing = drawing && this.log === undefined;
        continue;
      }
      if (drawing) context.lineTo(x(row[this.times]), y(value));
      else context.moveTo(x(row[this.times]), y(value));
      drawing = true;
    }
    context.stroke();
    context.setLineDash(dashes[0]);
  }

  reading(context, row, x, y, height) {
    context.strokeStyle = style("--dim");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(Math.round(x(row[this.times])) + 0.5, margin.top);
    context.lineTo(Math.round(x(row[this.times])) + 0.5, height - margin.bottom);
    context.stroke();
    this.series.forEach((line, i) => {
      const value = this.value(row, line);
      if (value === null) return;
      context.fillStyle = style(line_style(i).colour);
      context.beginPath();
      context.arc(x(row[this.times]), y(value), 3, 0, 7);
      context.fill();
    });
  }

  // The row under the pointer; without one the newest.
  nearest(width) {
    const { rows, times, pointer } = this;
    if (pointer === null || rows.length < 2) return rows.at(-1);
    const share = (pointer - margin.left) / (width - margin.left - margin.right);
    const wanted = rows[0][times] + share * (rows.at(-1)[times] - rows[0][times]);
    return rows.reduce((best, row) => Math.abs(row[times] - wanted) < Math.abs(best[times] - wanted) ? row : best);
  }

  tell(row) {
    const texts = this.series.map((line) => row ? number(this.value(row, line)) : "–");
    this.values.forEach((node, i) => {
      node.textContent = texts[i];
    });
    const said = this.series.map(({ name }, i) => `${name} ${texts[i]}`).join(", ");
    const when = row ? ` at ${time(row[this.times])}` : "";
    this.canvas.setAttribute("aria-label", `${this.title}${this.unit ? `, ${this.unit}` : ""}: ${said}${when}`);
  }
}
