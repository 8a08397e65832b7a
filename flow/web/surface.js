// SPDX-License-Identifier: BSD-3-Clause
// Draws a surface of triangles as glass, and discs in it, by WebGL.
import { cross, projection, unit } from "./matrix.js";

const vertex_program = `#version 300 es
uniform mat4 project; in vec3 place; out vec3 at;
void main() { at = place; gl_Position = project * vec4(place, 1.0); }`;
// The normal is that of the triangle itself, so none has to be sent.
const pixel_program = `#version 300 es
precision highp float;
uniform vec3 towards, light, colour; uniform float alpha, rim; uniform float scale; in vec3 at; out vec4 seen;
void main() {
  vec3 across = cross(dFdx(at * scale), dFdy(at * scale));
  vec3 normal = across / max(length(across), 1e-20);
  float facing = abs(dot(normal, towards)), lit = 0.35 + 0.65 * abs(dot(normal, light));
  float a = mix(alpha, rim, pow(1.0 - facing, 2.0));
  seen = vec4(colour * lit * a, a);
}`;
const corners_of_disc = 48;

// The file of /surface: places and triangles.
export function read_surface(buffer) {
  const view = new DataView(buffer), vertices = view.getUint32(0, true), triangles = view.getUint32(4, true);
  const places = new Float32Array(buffer, 8, 3 * vertices), corners = new Uint32Array(buffer, 8 + 12 * vertices, 3 * triangles);
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], places[i]);
    high[i % 3] = Math.max(high[i % 3], places[i]);
  }
  return { places, corners, low, high };
}

function disc_places({ centre, normal, radius }) {
  const side = unit(cross(normal, Math.abs(normal[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0])), other = cross(normal, side), places = [];
  const on = (k) => {
    const a = 2 * Math.PI * k / corners_of_disc;
    return centre.map((c, i) => c + radius * (Math.cos(a) * side[i] + Math.sin(a) * other[i]));
  };
  for (let k = 0; k < corners_of_disc; ++k) places.push(...centre, ...on(k), ...on(k + 1));
  return new Float32Array(places);
}

export class SurfaceView {
  constructor(canvas) {
    this.canvas = canvas;
    this.discs = [];
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.restore());
    this.restore();
  }

  // False where the browser has no WebGL: badges and cards do without a picture.
  get works() {
    return this.gl !== null;
  }

  restore() {
    const gl = this.gl = this.canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!gl) return;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex_program], [gl.FRAGMENT_SHADER, pixel_program]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "place");
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.enableVertexAttribArray(0);
    this.at = Object.fromEntries(["project", "towards", "light", "colour", "alpha", "rim", "scale"]
      .map((name) => [name, gl.getUniformLocation(program, name)]));
    this.buffers = { places: gl.createBuffer(), corners: gl.createBuffer(), disc: gl.createBuffer() };
    if (this.surface) this.load(this.surface);
  }

  load(surface) {
    this.surface = surface;
    const { gl, buffers } = this;
    if (!gl) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.places);
    gl.bufferData(gl.ARRAY_BUFFER, surface.places, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.corners);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, surface.corners, gl.STATIC_DRAW);
  }

  // discs: [{centre, normal, radius, colour: [r, g, b]}]. Returns how it projects.
  draw(camera, discs) {
    const { canvas, gl, surface } = this, ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
    const seen = projection(camera, surface, [width, height]);
    if (!gl) return seen;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const { at } = this;
    gl.uniformMatrix4fv(at.project, false, seen.matrix());
    gl.uniform3fv(at.towards, seen.towards);
    gl.uniform3fv(at.light, unit(seen.towards.map((t, i) => t - 0.5 * seen.up[i] + 0.35 * seen.right[i])));
    gl.uniform1f(at.scale, 1000 / seen.radius);  // so that no length is lost in rounding
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.disc);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    for (const disc of discs) {
      gl.uniform3fv(at.colour, disc.colour);
      gl.uniform1f(at.alpha, 1);
      gl.uniform1f(at.rim, 1);
      const places = disc_places(disc);
      gl.bufferData(gl.ARRAY_BUFFER, places, gl.DYNAMIC_DRAW);
      gl.drawArrays(gl.TRIANGLES, 0, places.length / 3);
    }
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.places);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.uniform3fv(at.colour, [0.86, 0.45, 0.42]);
    gl.uniform1f(at.alpha, 0.3);
    gl.uniform1f(at.rim, 0.75);
    gl.enable(gl.CULL_FACE);
    for (const side of [gl.FRONT, gl.BACK]) {  // back faces first, then front faces
      gl.cullFace(side);
      gl.drawElements(gl.TRIANGLES, surface.corners.length, gl.UNSIGNED_INT, 0);
    }
    return seen;
  }
}
