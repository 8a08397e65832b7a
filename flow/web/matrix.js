// SPDX-License-Identifier: BSD-3-Clause
// Where a point of a vessel is seen: a parallel projection from the same side as that of the pictures (flow/insitu/scene.cpp), a
// little smaller, so that there is room for badges.
const radians = Math.PI / 180;
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const minus = (a, b) => a.map((x, i) => x - b[i]);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => a.map((x) => x / Math.hypot(...a));

// box: {low, high}; size: [width, height] of the view, any unit.
export function projection({ azimuth, elevation, zoom, pan }, { low, high }, [width, height]) {
  const a = azimuth * radians, e = elevation * radians;
  const towards = [Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), -Math.sin(e)];
  const right = [-Math.cos(a), -Math.sin(a), 0];
  const up = [Math.sin(a) * Math.sin(e), -Math.cos(a) * Math.sin(e), Math.cos(e)];
  const centre = low.map((x, i) => (x + high[i]) / 2), radius = Math.hypot(...minus(high, low)) / 2 || 1;
  const scale = zoom * Math.min(width, height) / (2 * radius * 1.04);  // of the view's unit a unit of the surface
  return {
    towards, right, up, centre, radius, scale, width, height,
    // Place in the view from its upper left corner, and how deep.
    see(point) {
      const d = minus(point, centre);
      return [width / 2 + pan[0] * height + scale * dot(d, right), height / 2 - pan[1] * height - scale * dot(d, up), dot(d, towards)];
    },
    // Column by column: from a point to the cube of WebGL.
    matrix() {
      const x = right.map((c) => 2 * scale / width * c), y = up.map((c) => 2 * scale / height * c);
      const z = towards.map((c) => c / (1.2 * radius));
      return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
        2 * pan[0] * height / width - dot(x, centre), 2 * pan[1] - dot(y, centre), -dot(z, centre), 1];
    },
  };
}
