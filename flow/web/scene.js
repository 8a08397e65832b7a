// SPDX-License-Identifier: BSD-3-Clause
// The scene that all watchers share: changes are sent at most 20 times per second; changes by others are taken
// over, unless the user is editing or the run has not answered yet.
const pause_ms = 50, patience_ms = 2000;

// The run keeps numbers in single precision.
export function same(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= 1e-6 * Math.max(1e-6, Math.abs(a), Math.abs(b));
  }
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  return Object.keys(a).every((key) => same(a[key], b[key] ?? null));
}

export class Scene {
  // send(scene): false if it could not be sent. Listeners are called with the scene whenever it changes.
  constructor(send) {
    this.send = send;
    this.now = null;
    this.held = false;
    this.listeners = [];
    this.sent_at = -Infinity;
    this.waiting = false;
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  edit(changes) {
    if (!this.now) return;
    this.now = { ...this.now, ...changes, camera: { ...this.now.camera, ...changes.camera } };
    this.tell();
    this.timer ??= setTimeout(() => this.flush(), Math.max(0, this.sent_at + pause_ms - performance.now()));
  }

  flush() {
    this.timer = undefined;
    this.sent_at = performance.now();
    this.waiting = this.send(this.now);
  }

  // The scene received from the run.
  adopt(remote) {
    const agrees = this.now !== null && same(this.now, remote);
    if (agrees) this.waiting = false;
    const busy = this.held || this.timer !== undefined || (this.waiting && performance.now() - this.sent_at < patience_ms);
    if (agrees || (busy && this.now)) return;
    this.waiting = false;
    this.now = remote;
    this.tell();
  }

  tell() {
    for (const listener of this.listeners) listener(this.now);
  }
}
