// SPDX-License-Identifier: BSD-3-Clause
// The WebSocket: reconnects automatically, and determines why it can't.
const longest_wait = 5000, stale_after = 400;

export class Connection {
  // on: {open(), text(message), picture(step, blob), lost(why, seconds)}
  constructor(on) {
    this.on = on;
    this.wait = 500;
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/watch${location.search}`);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 500;
      this.on.open();
    };
    socket.onmessage = ({ data }) => this.take(data);
    socket.onclose = () => {
      if (socket === this.socket) this.lost();
    };
  }

  retry() {
    if (this.socket.readyState === WebSocket.OPEN) return;
    const old = this.socket;
    this.open();
    old.close();
  }

  take(data) {
    if (typeof data !== "string") {
      const step = Number(new DataView(data).getBigInt64(0, true));
      this.on.picture(step, new Blob([new Uint8Array(data, 8)], { type: "image/jpeg" }));
      return;
    }
    let message = null;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    this.on.text(message);
  }

  async lost() {
    const wait = this.wait;
    this.wait = Math.min(longest_wait, 2 * wait);
    this.timer = setTimeout(() => this.open(), wait + stale_after * Math.random());
    this.on.lost(await this.reason(), wait / 1000);
  }

  async reason() {
    try {
      const answer = await fetch("status" + location.search, { cache: "no-store", signal: AbortSignal.timeout(3000) });
      if (answer.status === 403) return (await answer.text()).trim();
      const { watchers, most_watchers } = await answer.json();
      if (watchers >= most_watchers) return `The run has its maximum number of watchers (${most_watchers}).`;
    } catch {
      return "The run does not answer.";
    }
    return "";
  }

  // False if there is no connection.
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}
