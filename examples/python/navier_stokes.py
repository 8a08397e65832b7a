# SPDX-License-Identifier: BSD-3-Clause
"""Navier-Stokes in a periodic cube, pseudo-spectral, with weft's Fourier transform: planes are in flight while the next
ones are transformed. The flow is Taylor and Green's vortex.

    mpirun -n 2 python examples/python/navier_stokes.py --points 64 --steps 10

navier_stokes_mpi4py.py is the same program without weft.
"""
import argparse
import time

import numpy as np
import weft

VISCOSITY, TIME_STEP = 0.02, 0.01


def vortex(points, block, waves=0):
    """Taylor and Green's vortex in this rank's block. With waves = 0 along z decay() is the exact solution."""
    x, y, z = np.meshgrid(*(2 * np.pi * np.arange(points)[s] / points for s in block), indexing="ij")
    return np.array([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0 * x]) * np.cos(waves * z)


def decay(steps):
    """The amplitude of the vortex (waves = 0) after so many steps."""
    return np.exp(-2 * VISCOSITY * TIME_STEP * steps)


def cross(a, b):
    """The cross product of two vector fields, contiguous (numpy.cross returns a view of another order)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


class Flow:
    """The equations in rotational form, in the spectrum: ds/dt = P(transform of u x curl u) - viscosity k^2 s."""

    def __init__(self, points, timeline, **how):
        self.timeline = timeline
        self.fft = weft.Fft((points, points, points), batch=3, decomposition="slabs", transposed=True, timeline=timeline, **how)
        axes, k = self.fft.spectrum_axes, np.fft.fftfreq(points, 1 / points)
        of_axes = k, k, np.arange(points // 2 + 1.0)  # half of z, as the field is real
        numbers = [of_axes[a][self.fft.spectrum_block[a]] for a in range(3)]
        mesh = np.meshgrid(*(numbers[a] for a in axes), indexing="ij")  # in the order of the array, here (y, x, z)
        self.k = np.array([mesh[axes.index(a)] for a in range(3)])
        self.square = (self.k ** 2).sum(axis=0)
        self.kept = (abs(self.k) < points / 3).all(axis=0)  # against aliasing, the rule of two thirds
        self.viscous = np.exp(-VISCOSITY * TIME_STEP * self.square)
        self.of_pressure = self.k / np.maximum(self.square, 1)

    def change(self, spectrum):
        with self.timeline.computing("flow"):
            curl = 1j * cross(self.k, spectrum)
        velocity, curl = self.fft.inverse(spectrum), self.fft.inverse(curl)  # three components at once
        with self.timeline.computing("flow"):
            force = cross(velocity, curl)
        force = self.fft.forward(force)
        with self.timeline.computing("flow"):
            force *= self.kept
            return force - self.of_pressure * (self.k * force).sum(axis=0)

    def step(self, spectrum):
        """Heun's method; the viscous term is exact."""
        begin = self.change(spectrum)
        end = self.change(self.viscous * (spectrum + TIME_STEP * begin))
        with self.timeline.computing("flow"):
            return self.viscous * (spectrum + TIME_STEP / 2 * begin) + TIME_STEP / 2 * end


def solve(points, steps, waves=0, **how):
    """Returns this rank's block (slices of the cube), the velocity in it, seconds per step and the overlap report."""
    timeline = weft.Timeline()
    flow = Flow(points, timeline, **how)
    spectrum = flow.fft.forward(vortex(points, flow.fft.field_block, waves))
    flow.step(spectrum)  # plans are made in the first transforms
    timeline.reset()
    weft.barrier()

    begin = time.perf_counter()
    for _ in range(steps):
        spectrum = flow.step(spectrum)
    seconds = (time.perf_counter() - begin) / steps
    report = weft.overlap_report(timeline, steps, ["flow", "transform"])
    return flow.fft.field_block, flow.fft.inverse(spectrum), seconds, report


def overlap_fraction(communication, computation, both):
    """How much of the shorter one costs nothing: 0 to 1 (docs/concepts.md)."""
    return min(max((communication + computation - both) / min(communication, computation), 0), 1)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=64, help="along each axis")
    options.add_argument("--steps", type=int, default=10)
    given = options.parse_args()

    # With one tile, which is waited for at once, a step is its computation and then its communication: the wait.
    _, _, alone, report = solve(given.points, max(given.steps // 4, 2), tile=given.points, window=0)
    wait = report.as_dict()["mean"]["mpi_seconds"]
    block, velocity, seconds, report = solve(given.points, given.steps)
    times = wait, alone - wait, seconds
    error = abs(velocity - decay(given.steps) * vortex(given.points, block)).max()
    if weft.rank() == 0:
        print(report)
        comm, comp, both = times
        print(f"alone: communication {comm * 1e3:.3f} ms, computation {comp * 1e3:.3f} ms; "
              f"overlap fraction {overlap_fraction(*times):.2f}")
        print(f"{both * 1e3:.3f} ms per step, largest error {error:.1e}")
