// SPDX-License-Identifier: BSD-3-Clause
// How the curves of a chart are told apart: by seven colours that people with any colour vision tell apart (after Okabe and
// Ito, in style.css), and by dashes, so that there are 21 ways before one comes again.
const colours = 7, curves_of_a_dash = 4;
export const dashes = [[], [7, 3], [2, 2.5], [8, 3, 2, 3], [13, 4]];

export function line_style(i) {
  return { colour: `--s${i % colours + 1}`, dash: dashes[Math.floor(i / curves_of_a_dash) % dashes.length] };
}
