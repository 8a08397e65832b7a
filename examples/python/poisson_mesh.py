# SPDX-License-Identifier: BSD-3-Clause
"""The mesh of poisson.py and poisson_mpi4py.py: triangles of the unit square, cut along wavy lines, and Poisson's equation on them."""
import numpy as np


def solution(x, y):
    """The exact solution of -(u_xx + u_yy) = 2 pi^2 u that is 0 on the boundary."""
    return np.sin(np.pi * x) * np.sin(np.pi * y)


class Mesh:
    """This rank's triangles, with linear elements.

    Nodes have global numbers; a node belongs to the lowest rank that has a triangle of it. Arrays over the nodes have the owned nodes
    first, then those that other ranks own, both by number."""

    def __init__(self, cells, rank, size):
        self.cells, self.size = cells, size
        i, j = np.divmod(np.arange(cells ** 2), cells)
        i, j = (a[self.rank_of_cell(i, j) == rank] for a in (i, j))
        corner = i * (cells + 1) + j
        triangles = np.concatenate([corner[:, None] + [0, cells + 1, 1], corner[:, None] + [cells + 1, cells + 2, 1]])
        nodes = np.unique(triangles)
        is_owned = self.owner_of(nodes) == rank
        self.owned, self.wanted = nodes[is_owned], nodes[~is_owned]
        local = np.empty(len(nodes), int)
        local[is_owned], local[~is_owned] = np.arange(len(self.owned)), len(self.owned) + np.arange(len(self.wanted))
        self.elements = local[np.searchsorted(nodes, triangles)]
        self.x, self.y = self.coordinates(np.concatenate([self.owned, self.wanted]))
        x, y = self.x[self.elements], self.y[self.elements]
        b, c = np.roll(y, -1, 1) - np.roll(y, -2, 1), np.roll(x, -2, 1) - np.roll(x, -1, 1)
        area = 0.5 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
        self.stiffness = (b[:, :, None] * b[:, None] + c[:, :, None] * c[:, None]) / (4 * area[:, None, None])
        right_side = 2 * np.pi ** 2 * solution(x, y)
        self.load = np.bincount(self.elements.ravel(), (right_side * area[:, None] / 3).ravel(), len(nodes))
        row, column = np.divmod(self.owned, cells + 1)
        self.free = (row > 0) & (row < cells) & (column > 0) & (column < cells)  # not on the boundary
        is_interior = (self.elements < len(self.owned)).all(axis=1)
        self.interior, self.edge = np.flatnonzero(is_interior), np.flatnonzero(~is_interior)

    def rank_of_cell(self, i, j):
        return np.clip(np.floor((i + 2 * np.sin(j)) * self.size / self.cells), 0, self.size - 1).astype(int)

    def owner_of(self, numbers):
        row, column = np.divmod(numbers, self.cells + 1)
        around = [self.rank_of_cell(np.clip(row + a, 0, self.cells - 1), np.clip(column + b, 0, self.cells - 1))
                  for a in (-1, 0) for b in (-1, 0)]
        return np.min(around, axis=0)

    def coordinates(self, numbers):
        """Nodes inside are shifted, so that no two triangles are alike."""
        row, column = np.divmod(numbers, self.cells + 1)
        inside = (row > 0) & (row < self.cells) & (column > 0) & (column < self.cells)
        shift = 0.2 * inside * np.sin(np.outer([13, 78], row) + np.outer([37, 5], column))
        return (np.array([row, column]) + shift) / self.cells

    def product(self, u, some, progress=lambda: None, at_once=4096):
        """Stiffness times u, of some triangles. Calls progress() now and then."""
        result = np.zeros(len(u))
        for first in range(0, len(some), at_once):
            now = some[first:first + at_once]
            elements = self.elements[now]
            forces = np.einsum("eij,ej->ei", self.stiffness[now], u[elements])
            result += np.bincount(elements.ravel(), forces.ravel(), len(u))
            progress()
        return result
