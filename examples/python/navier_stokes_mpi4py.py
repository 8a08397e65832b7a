# SPDX-License-Identifier: BSD-3-Clause
"""Navier-Stokes in a periodic cube, pseudo-spectral, with numpy.fft and mpi4py alone: navier_stokes.py without weft."""
import argparse
import time

import numpy as np
from mpi4py import MPI

VISCOSITY, TIME_STEP = 0.02, 0.01


def vortex(points, block, waves=0):
    """Taylor and Green's vortex in this rank's block. With waves = 0 along z decay() is the exact solution."""
    x, y, z = np.meshgrid(*(2 * np.pi * np.arange(points)[s] / points for s in block), indexing="ij")
    return np.array([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y), 0 * x]) * np.cos(waves * z)


def decay(steps):
    """The amplitude of the vortex (waves = 0) after so many steps."""
    return np.exp(-2 * VISCOSITY * TIME_STEP * steps)


class Slabs:
    """The transform of three fields: slabs along x in space, along y in the spectrum, whose order is (y, x, z)."""

    def __init__(self, points):
        self.comm, self.points = MPI.COMM_WORLD, points
        if points % self.comm.size:
            raise SystemExit(f"{points} points can't be divided evenly among {self.comm.size} ranks. Choose another number.")
        self.mine = points // self.comm.size
        self.part = slice(self.comm.rank * self.mine, (self.comm.rank + 1) * self.mine)

    def forward(self, field):
        half = np.fft.fft(np.fft.rfft(field, axis=3), axis=2)  # (3, mine, points, nz)
        send = np.ascontiguousarray(half.reshape(3, self.mine, self.comm.size, self.mine, -1).transpose(2, 0, 3, 1, 4))
        receive = np.empty_like(send)
        self.comm.Alltoall(send, receive)  # (size, 3, y, x, nz)
        return np.fft.fft(receive.transpose(1, 2, 0, 3, 4).reshape(3, self.mine, self.points, -1), axis=2)

    def inverse(self, spectrum):
        half = np.fft.ifft(spectrum, axis=2)
        send = np.ascontiguousarray(half.reshape(3, self.mine, self.comm.size, self.mine, -1).transpose(2, 0, 3, 1, 4))
        receive = np.empty_like(send)
        self.comm.Alltoall(send, receive)  # (size, 3, x, y, nz)
        half = receive.transpose(1, 2, 0, 3, 4).reshape(3, self.mine, self.points, -1)
        return np.fft.irfft(np.fft.ifft(half, axis=2), self.points, axis=3)


def cross(a, b):
    """The cross product of two vector fields, contiguous (numpy.cross returns a view of another order)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


class Flow:
    """The equations in rotational form, in the spectrum: ds/dt = P(transform of u x curl u) - viscosity k^2 s."""

    def __init__(self, points):
        self.fft = Slabs(points)
        k = np.fft.fftfreq(points, 1 / points)
        ky, kx, kz = np.meshgrid(k[self.fft.part], k, np.arange(points // 2 + 1.0), indexing="ij")
        self.k = np.array([kx, ky, kz])
        self.square = (self.k ** 2).sum(axis=0)
        self.kept = (abs(self.k) < points / 3).all(axis=0)  # against aliasing, the rule of two thirds
        self.viscous = np.exp(-VISCOSITY * TIME_STEP * self.square)
        self.of_pressure = self.k / np.maximum(self.square, 1)

    def change(self, spectrum):
        curl = 1j * cross(self.k, spectrum)
        velocity, curl = self.fft.inverse(spectrum), self.fft.inverse(curl)
        force = self.fft.forward(cross(velocity, curl))
        force *= self.kept
        return force - self.of_pressure * (self.k * force).sum(axis=0)

    def step(self, spectrum):
        """Heun's method; the viscous term is exact."""
        begin = self.change(spectrum)
        end = self.change(self.viscous * (spectrum + TIME_STEP * begin))
        return self.viscous * (spectrum + TIME_STEP / 2 * begin) + TIME_STEP / 2 * end


def solve(points, steps, waves=0):
    """Returns this rank's block (slices of the cube), the velocity in it and seconds per step."""
    flow = Flow(points)
    block = flow.fft.part, slice(0, points), slice(0, points)
    spectrum = flow.fft.forward(vortex(points, block, waves))
    flow.step(spectrum)
    flow.fft.comm.Barrier()

    begin = time.perf_counter()
    for _ in range(steps):
        spectrum = flow.step(spectrum)
    seconds = (time.perf_counter() - begin) / steps
    return block, flow.fft.inverse(spectrum), seconds


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--points", type=int, default=64, help="along each axis")
    options.add_argument("--steps", type=int, default=10)
    given = options.parse_args()

    block, velocity, seconds = solve(given.points, given.steps)
    error = abs(velocity - decay(given.steps) * vortex(given.points, block)).max()
    if MPI.COMM_WORLD.rank == 0:
        print(f"{seconds * 1e3:.3f} ms per step, largest error {error:.1e}")
