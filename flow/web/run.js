// SPDX-License-Identifier: BSD-3-Clause
// The progress of the run, and the buttons that control it.
import { count, duration, number, time } from "./units.js";

const element = (id) => document.getElementById(id);

export class Run {
  constructor(send) {
    this.send = send;
    this.paused = false;
    this.enabled = false;
    this.title = "weft";
    element("pause").addEventListener("click", () => this.toggle());
    element("one-step").addEventListener("click", () => this.step());
    element("output").addEventListener("click", () => send({ do: "output" }));
    element("checkpoint").addEventListener("click", () => send({ do: "checkpoint" }));
    const dialog = element("confirm");
    element("stop").addEventListener("click", () => {
      dialog.returnValue = "no";
      dialog.showModal();
    });
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "yes") send({ do: "stop" });
    });
    this.enable(false);
  }

  hello({ title, sites, ranks }) {
    this.title = title ?? "weft";
    element("title").textContent = this.title;
    element("subtitle").textContent = `${count(sites)} sites on ${ranks} rank${ranks === 1 ? "" : "s"}`;
  }

  state({ step, steps, time_s, mlups, seconds_left, waited, paused }) {
    this.paused = paused;
    element("pause").textContent = paused ? "Resume" : "Pause";
    element("done").max = Math.max(1, steps);
    element("done").value = step;
    element("step").textContent = count(step);
    element("of").textContent = `of ${count(steps)}`;
    element("time").textContent = time(time_s);
    element("mlups").textContent = Number.isFinite(mlups) ? `${number(mlups)} MLUPS` : "–";
    element("left").textContent = paused ? "paused" : duration(seconds_left ?? null);
    element("waited-share").textContent = Number.isFinite(waited) ? `${Math.round(100 * waited)} %` : "–";
    document.title = `${steps > 0 ? Math.floor(100 * step / steps) : 0} % ${this.title}`;
  }

  toggle() {
    if (this.enabled) this.send({ do: this.paused ? "resume" : "pause" });
  }

  step() {
    if (this.enabled) this.send({ do: "step" });
  }

  enable(on) {
    this.enabled = on;
    element("run").querySelector("fieldset").disabled = !on;
    if (!on && element("confirm").open) element("confirm").close("no");
  }
}
