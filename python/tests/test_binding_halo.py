# SPDX-License-Identifier: BSD-3-Clause
"""weft.Halo and weft.CartesianGrid: every ghost point has its owner's value."""
import unittest

from binding import PREFACE, Case, needs_module

CHECK = PREFACE + """
def points(grid, width):
    "The number of each point of the block and its ghost points in the whole grid, and whether there is a neighbour there."
    axes, inside = [], []
    for a, (block, n) in enumerate(zip(grid.block, grid.extent)):
        k = np.arange(block.start - width, block.stop + width)
        axes.append(k % n)
        inside.append((k >= 0) & (k < n) | periodic[a])
    number = np.zeros([len(k) for k in axes], int)
    there = np.ones(number.shape, bool)
    for a, (k, i, n) in enumerate(zip(axes, inside, grid.extent)):
        shape = [-1 if b == a else 1 for b in range(len(axes))]
        number = number * n + k.reshape(shape)
        there &= i.reshape(shape)
    return number, there
"""


@needs_module
class Halos(Case):
    def test_fill_all_ghost_points(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.ok("""
                    for extent, periodic in (((13,), (True,)), ((9, 8), (True, False)), ((6, 8, 9), (True, True, True)),
                                             ((8, 8, 8), (False, False, True))):
                        grid = weft.CartesianGrid(extent, periodic=periodic)
                        for width in (1, 2):
                            for scheme in ("direct", "by_dimension"):
                                for order in ("C", "F"):
                                    number, there = points(grid, width)
                                    u = np.full(number.shape, -1., order=order)
                                    halo = weft.Halo(grid, u, width=width, scheme=scheme)
                                    u[halo.block()] = number[halo.block()]
                                    with halo.start():
                                        halo.progress()
                                    assert (u == np.where(there, number, -1)).all(), (extent, width, scheme, order)
                                    halo.close()
                    """, ranks, preface=CHECK)

    def test_components_layers_and_parts_of_arrays(self):
        self.ok("""
            periodic = (True, True)
            grid = weft.CartesianGrid((8, 6), periodic=True)
            number, there = points(grid, 1)
            wanted = number[..., None] * 10 + np.arange(3)
            def make(kind):
                n = number.shape
                if kind == "last": return np.full((*n, 3), -1, "i4"), lambda a: a
                if kind == "first": return np.full((3, *n), -1, "i2"), lambda a: np.moveaxis(a, 0, -1)
                if kind == "fortran": return np.full((*n, 3), -1, "f4", order="F"), lambda a: a
                if kind == "part": return np.full((2 * n[0], n[1] + 5, 4), -1, "c16")[::2, 2:-3, :3], lambda a: a
                if kind == "thick": return np.full((n[0] + 4, n[1] + 2, 3), -1), lambda a: a[2:-2, 1:-1]
                if kind == "structure":
                    a = np.zeros(n, [("a", "i4"), ("b", "f8", 2)])
                    return a, None
            for kind in ("last", "first", "fortran", "part", "thick"):
                for scheme in ("direct", "by_dimension"):
                    u, view = make(kind)
                    halo = weft.Halo(grid, u, scheme=scheme)
                    view(u)[1:-1, 1:-1] = wanted[1:-1, 1:-1]
                    halo.start()
                    halo.finish()
                    assert (view(u) == wanted).all(), (kind, scheme)
                    assert u[halo.interior()].size <= u[halo.block()].size
                    count = u[halo.interior()].size + sum(u[box].size for box in halo.boundary())
                    assert count == u[halo.block()].size
            u, _ = make("structure")
            u["a"][1:-1, 1:-1] = number[1:-1, 1:-1]
            u["b"][1:-1, 1:-1] = number[1:-1, 1:-1, None]
            with weft.Halo(grid, u).start(): pass
            assert (u["a"] == number).all() and (u["b"][..., 1] == number).all()
            """, 4, preface=CHECK)

    def test_swapped_arrays_and_several_fields(self):
        self.ok("""
            periodic = (True, True, True)
            grid = weft.CartesianGrid((8, 8, 8), periodic=True)
            number, _ = points(grid, 1)
            old, new, other = grid.zeros(), grid.zeros(), grid.zeros("i8", components=[2])
            for options in ({}, {"progress": "thread"}, {"shared_memory": True}, {"carrier": "datatypes"}, {"defer_unpacking": True}):
                halo = weft.Halo(grid, (old, new), other, **options)
                for step in range(4):
                    u = (old, new)[step % 2]
                    u[...] = 0
                    u[halo.block(0)] = number[halo.block(0)] + step
                    other[halo.block(1)] = number[halo.block(1)][..., None] - step
                    assert not halo.is_active
                    with halo.start(step): assert halo.is_active
                    assert (u == number + step).all() and (other == number[..., None] - step).all()
                halo.close()
            """, preface=CHECK)

    def test_reduced_and_reverse(self):
        self.ok("""
            d2q5 = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
            grid = weft.CartesianGrid((8, 8), periodic=True)
            f = grid.zeros(components=[5])
            whole = weft.Halo(grid, f)
            reduced = weft.Halo(grid, f, payload="reduced", velocities=d2q5)
            whole.commit(); reduced.commit()
            size_of = lambda halo: halo.describe()
            assert "whole" in size_of(whole) and "components that are read" in size_of(reduced)
            f[1:-1, 1:-1] = 1 + np.arange(5)
            reduced.start(); reduced.finish()
            assert (f[0, 1:-1, 1] == 2).all() and (f[-1, 1:-1, 2] == 3).all() and (f[0, 1:-1, 2] == 0).all()
            back = weft.Halo(grid, f, flow="reverse", velocities=d2q5)
            f[...] = 0
            f[-1, 1:-1, 2] = 7 + rank          # the value moves back across the face
            back.start(); back.finish()
            assert (f[1, 1:-1, 2] == 7 + grid.neighbour((-1, 0))).all()
            """)

    def test_owners_add_what_ghosts_hold(self):
        self.ok("""
            grid = weft.CartesianGrid((8, 8), periodic=True)
            for scheme in "direct", "by_dimension":
                f = grid.zeros(width=1)
                f[...] = 1
                add = weft.Halo(grid, f, flow="reverse", combine="sum", scheme=scheme, most_requests=1)
                add.start(); add.finish()
                inside = f[1:-1, 1:-1]
                assert inside[1:-1, 1:-1].max() == 1 and inside[0, 1] == 2 and inside[0, 0] == 4, f
            for options, text in (({"combine": "sum"}, "fills ghost points"), ({"flow": "reverse"}, "neither"),
                                  ({"flow": "reverse", "combine": "product"}, "maximum")):
                try:
                    weft.Halo(grid, f, **options)
                except (weft.Error, ValueError) as error:
                    assert text in str(error), error
                else:
                    raise AssertionError(options)
            """)

    def test_grid(self):
        self.ok("""
            grid = weft.CartesianGrid((10, 4), processes=(3, 1), periodic=(True, False))
            assert grid.dimensions == 2 and grid.extent == (10, 4) and grid.processes == (3, 1) and grid.coordinates == (rank, 0)
            assert grid.shape == ((3, 3, 4)[rank], 4) and grid.block[0] == slice((0, 3, 6)[rank], (3, 6, 10)[rank])
            assert grid.neighbour((-1, 0)) == (rank - 1) % 3 and grid.neighbour((0, 1)) is None
            assert grid.zeros("f4", width=2, components=[3]).shape == (grid.shape[0] + 4, 8, 3)
            """, 3)

    def test_a_halo_that_is_entered_without_a_start(self):
        self.ok("""
            grid = weft.CartesianGrid((8, 8), periodic=True)
            halo = weft.Halo(grid, grid.zeros())
            for turn in range(2):
                try:
                    with halo: raise AssertionError
                except weft.Error as error:
                    assert "with halo.start()" in str(error), error
                with halo.start(): pass
            """)

    def test_which_axes_are_those_of_the_grid(self):
        self.ok("""
            grid = weft.CartesianGrid((5, 5), periodic=True)
            s = slice(1, 6)
            a = slice(None)
            for shape, block in (((7, 7, 9), (s, s)), ((9, 7, 7), (a, s, s)), ((9, 7, 7, 1), None), ((7, 7, 7), (s, s)),
                                 ((1, 7, 7, 7), (a, a, s, s)), ((9, 9, 3), (slice(2, 7),) * 2), ((3, 9, 9), (a, slice(2, 7), slice(2, 7))),
                                 ((9, 9, 11), (slice(2, 7),) * 2), ((9, 7), (slice(2, 7), s)), ((19, 7, 7), (a, s, s))):
                u = np.zeros(shape)
                if block is None:
                    halo = weft.Halo(grid, u)           # thicker layers: no axes fit exactly
                    assert halo.block() == (slice(2, 7), s)
                    continue
                halo = weft.Halo(grid, u)
                assert halo.block() == block, (shape, halo.block())
                u[block] = 1
                with halo.start(): pass
                inner = tuple(slice(b.start - 1, b.stop + 1) if b != a else a for b in block)
                assert (u[inner] == 1).all() and u.sum() == u[inner].size, shape
            """, 1)
        self.ok("""
            grid = weft.CartesianGrid((9, 5), processes=(2, 1), periodic=True)     # blocks of 4 and 5 points
            n = grid.shape[0] + 2
            u = np.zeros((7, n, 7))                     # 7 components before; on the rank with n == 7 also behind
            try: weft.Halo(grid, u)
            except weft.Error as error: assert "axes of components" in str(error), error
            else: raise AssertionError
            halo = weft.Halo(grid, u[None])
            """)

    def test_wrong_arrays_are_refused(self):
        self.ok("""
            grid = weft.CartesianGrid((8, 8), periodic=True)
            constant = grid.zeros(); constant.flags.writeable = False
            for fields, options, kind, text in (
                    ((np.zeros((3, 3)),), {}, ValueError, "shape"), ((grid.zeros()[::-1],), {}, ValueError, "reversed"),
                    ((constant,), {}, TypeError, "read-only"), ((), {}, ValueError, "no field"),
                    ((grid.zeros(width=9),), {"width": 9}, weft.Error, "wider"), ((grid.zeros(),), {"scheme": "x"}, ValueError, "direct"),
                    ((grid.zeros(components=2),), {"payload": "reduced", "velocities": [(0, 0), (2, 0)]}, weft.Error, "(2, 0, 0)"),
                    ((grid.zeros(),), {"colour": 1}, TypeError, "colour"), (((grid.zeros(), grid.zeros("f4")),), {}, ValueError, "types"),
                    ((grid.zeros(), ) * (1 + rank), {}, weft.Error, "ranks"),
                    ((np.asfortranarray(grid.zeros()) if rank else grid.zeros(),), {}, weft.Error, "ranks"),
                    ((grid.zeros(object),), {}, TypeError, "dtype object"),
                    ((grid.zeros() if rank else np.zeros((3, 3)),), {}, weft.Error, "another rank" if rank else "shape")):
                try:
                    weft.Halo(grid, *fields, **options)
                except kind as error:
                    assert text in str(error), error
                else:
                    raise AssertionError(text)
            """)


if __name__ == "__main__":
    unittest.main()
