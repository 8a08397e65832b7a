// SPDX-License-Identifier: BSD-3-Clause
// Messages of the run: briefly on the picture, and in a list.
const shown_ms = { notice: 5000, refused: 10000 }, most = 50;

export function say(text, kind = "notice") {
  const log = document.getElementById("log"), toasts = document.getElementById("toasts");
  const when = document.createElement("time");
  when.textContent = new Date().toLocaleTimeString("en-GB");
  const entry = document.createElement("li"), words = document.createElement("span");
  entry.className = kind;
  words.textContent = kind === "refused" ? `refused: ${text}` : text;
  entry.append(when, words);
  log.prepend(entry);
  while (log.children.length > most) log.lastChild.remove();
  const toast = document.createElement("li");
  toast.className = kind;
  toast.textContent = words.textContent;
  toasts.prepend(toast);
  while (toasts.children.length > 3) toasts.lastChild.remove();
  setTimeout(() => toast.remove(), shown_ms[kind]);
}
