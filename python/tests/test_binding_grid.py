# SPDX-License-Identifier: BSD-3-Clause
"""Whole arrays of a grid, arrays that a program swaps, and transforms in two dimensions, compared with numpy."""
import os
import tempfile
import unittest

from binding import PREFACE, Case, needs_module

REFUSED = PREFACE + """
import sys
PATH = sys.argv[1] if len(sys.argv) > 1 else ""
def refused(call, text):
    try: call()
    except (weft.Error, TypeError) as error: assert text in str(error), error
    else: raise AssertionError("no error: " + text)
"""


@needs_module
class Grids(Case):
    def ok_on(self, code, *ranks, **more):
        with tempfile.TemporaryDirectory() as folder:
            for n in ranks:
                with self.subTest(ranks=n):
                    self.ok(code, n, preface=REFUSED, arguments=[os.path.join(folder, "d.h5")], **more)

    def test_whole_arrays(self):
        self.ok_on("""
            for extent in (13,), (8, 9), (5, 6, 7):
                grid = weft.CartesianGrid(extent, periodic=True)
                for dtype in "f8", "c8", "i4", "?", ">f4", [("a", "f4"), ("b", "i8")]:
                    for before, behind in ((), ()), ((), (3,)), ((2,), ()):
                        shape = (*before, *extent, *behind)
                        n = int(np.prod(shape))
                        whole = (np.arange(n) % 251).reshape(shape)
                        ref = np.zeros(shape, dtype)
                        if ref.dtype.names: ref["a"], ref["b"] = whole, -whole
                        else: ref[...] = whole.astype(bool) if dtype == "?" else whole
                        for root in {0, size - 1}:
                            own = grid.scatter(ref if rank == root else None, root, width=2)
                            inner = (slice(None),) * len(before) + tuple(slice(2, -2) for _ in extent)
                            assert (own[inner] == ref[(slice(None),) * len(before) + grid.block]).all(), (extent, dtype)
                            got = grid.gather(own, root)
                            assert (got is None) == (rank != root)
                            if rank == root: assert got.dtype == ref.dtype and (got == ref).all()
                        grid.write(PATH, own, "p")
                        if rank == 0:
                            import h5py
                            with h5py.File(PATH) as f: assert (f["p"][:] == ref).all()
                        again = np.zeros_like(own)
                        grid.read(PATH, again, "p")
                        assert (again[inner] == own[inner]).all()
            """, 1, 3)

    def test_errors_of_one_rank_reach_all(self):
        self.ok_on("""
            if rank == 0: open(PATH, "w").close()
            weft.CartesianGrid((8, 9)).write(PATH, weft.CartesianGrid((8, 9)).zeros(), "p")
            g = weft.CartesianGrid((8, 9))
            refused(lambda: g.gather(np.zeros((3, 3)) if rank == size - 1 else g.zeros()), "which is not this rank's block")
            refused(lambda: g.write("/nowhere/x.h5", g.zeros()), "no directory")
            refused(lambda: g.write("/dev/null", g.zeros()), "no plain file")
            refused(lambda: g.read(PATH, g.zeros(), "q"), "no dataset 'q'")
            refused(lambda: g.read(PATH + ".none", g.zeros(), "q"), "can't be read")
            if size > 1: refused(lambda: g.gather(g.zeros("f4" if rank else "f8")), "differs")
            if size > 1:
                other = weft.CartesianGrid((6, 9) if rank else (9, 6))
                refused(lambda: other.gather(other.zeros()), "The grid")
                refused(lambda: weft.Halo(weft.CartesianGrid((8, 9 + rank)), weft.CartesianGrid((8, 9 + rank)).zeros()).start(),
                        "'halo' is not the same on all ranks")
            for wrong, why in ((None, "is NoneType"), ([1.0], "is list"), (np.ma.masked_all((8, 9)), "is masked")):
                refused(lambda: g.gather(wrong), why)
            refused(lambda: g.write(PATH, g.zeros(), "a" + chr(0)), "name of a dataset")
            refused(lambda: g.write(5, g.zeros()), "is int")
            for wrong in ((2, 0), (0,), (1, 0, 0)): refused(lambda: g.neighbour(wrong), "for each of its 2 axes")
            refused(lambda: weft.CartesianGrid((8, 9), periodic=(True,)), "one for each")
            refused(lambda: weft.Halo(g, g.zeros(), stencil="star", velocities=[(1, 1)]), "Give one of them")
            refused(lambda: weft.Halo(g, np.ma.masked_all((10, 11))), "masked")
            refused(lambda: g.scatter(np.zeros((3, 3))), "the grid (8, 9)")
            refused(lambda: g.gather(g.zeros(), 9), "The root is rank 9")
            """, 1, 2)

    def test_arrays_that_are_swapped(self):
        self.ok_on("""
            g = weft.CartesianGrid((8, 9))
            u, v = g.zeros(), g.zeros(); w = g.zeros(); fixed = g.zeros()
            for how in {}, {"stencil": "star"}:
                h = weft.Halo(g, (u, v), fixed, **how)
                a, b = u, v
                for k in range(5):
                    a[1:-1, 1:-1] = rank * 100 + k; a[0] = a[-1] = -1; a[:, 0] = a[:, -1] = -1
                    with h.start(a): pass
                    for axis in 0, 1:
                        for side in -1, 1:
                            d = [0, 0]; d[axis] = side
                            peer = g.neighbour(d)
                            assert g.at_edge(axis, side) == (peer is None)
                            at = [slice(1, -1)] * 2; at[axis] = 0 if side < 0 else -1
                            assert (a[tuple(at)] == (-1 if peer is None else peer * 100 + k)).all()
                    a, b = b, a
                with h.start(v, fixed): pass
                weft.barrier()
                refused(lambda: h.start(u + 1), "none of the halo's arrays")
                refused(lambda: h.start(u), "has failed")
            h = weft.Halo(g, (u, v), (w, fixed)); 
            refused(lambda: h.start(u), "no array of field 1")
            h = weft.Halo(g, (u, v), (w, fixed)); refused(lambda: h.start(u, fixed), "one index")
            h = weft.Halo(g, (u, v))
            weft.barrier()
            if rank == 0: refused(lambda: h.start(u[1:]), "none of")
            else: refused(lambda: [h.start(u).finish() for _ in range(3)], "none of")
            """, 1, 2, 4)

    def test_transforms(self):
        if super().ok('print("fft" if hasattr(weft, "Fft") else "none")\n', 1).startswith("none"):
            self.skipTest("weft was built without a serial transform (FFTW or pocketfft)")
        self.ok_on("""
            rng = np.random.default_rng(1)
            for shape in (12, 10), (7, 9), (16, 5), (6, 8, 10):
              for dtype in "f8", "c16":
                for transposed in False, True:
                  for norm in "backward", "ortho", "forward":
                    fft = weft.Fft(shape, dtype, transposed=transposed, norm=norm, effort="estimate")
                    assert fft.shape == shape, fft.shape
                    whole = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype == "c16" else 0)
                    field = np.ascontiguousarray(whole[fft.field_block])
                    assert field.shape == fft.field_shape, (field.shape, fft.field_shape)
                    spectrum = fft.forward(field)
                    ref = (np.fft.rfftn if dtype == "f8" else np.fft.fftn)(whole, norm=norm)
                    mine = ref[fft.spectrum_block].transpose(fft.spectrum_axes)
                    assert np.allclose(spectrum, mine), (shape, dtype, transposed, norm, abs(spectrum-mine).max() if spectrum.size else 0)
                    assert np.allclose(fft.inverse(spectrum), field)
                    k = fft.wavenumbers(0.5)
                    full = [2*np.pi*(np.fft.rfftfreq if dtype == "f8" and a == len(shape)-1 else np.fft.fftfreq)(n, 0.5) for a, n in enumerate(shape)]
                    grid = [g[fft.spectrum_block].transpose(fft.spectrum_axes) for g in np.meshgrid(*full, indexing="ij")]
                    for a in range(len(shape)):
                        assert np.array_equal(np.broadcast_to(k[a], spectrum.shape), grid[a]), (a, k[a].shape)
            for wrong in (4,), (4, 4, 4, 4): refused(lambda: weft.Fft(wrong), "two or three")
            refused(lambda: weft.Fft((4, 4), norm="inverse"), "norm")
            refused(lambda: weft.Fft((4, 4), decomposition="x"), "decomposition")
            for wrong in (lambda: weft.Fft((8, 8 + rank)), lambda: weft.Fft((8, 8), batch=1 + rank),
                          lambda: weft.Fft((8, 8), norm="ortho" if rank else "forward"), lambda: weft.Fft((8, 8, 8), transposed=bool(rank))):
                if size > 1: refused(wrong, "not the same on all ranks")
            fft = weft.Fft((4, 4))
            try: fft.forward(None if rank == size - 1 else np.zeros(fft.field_shape))
            except (TypeError, weft.PeerError): pass
            else: raise AssertionError("no error")
            refused(lambda: weft.Fft((4, 4)).wavenumbers([1, 2, 3]), "2 numbers")
            """, 1, 3)

    def test_halos_of_several_steps(self):
        self.ok_on("""
            def heat(u, v, box, axes):
                def at(axis=None, by=0): return u[tuple(slice(s.start + by * (a == axis), s.stop + by * (a == axis)) for a, s in enumerate(box))]
                v[box] = at() + sum((at(a, -1) - 2 * at() + at(a, 1)) / 8 for a in range(axes))
            for extent, periodic in ((23,), False), ((16, 15), (True, False)), ((12, 12, 13), True):
                axes, results = len(extent), []
                whole = np.random.default_rng(1).random(extent)
                for steps, stencil in (1, "star"), (2, "box"), (3, "star"):
                    grid = weft.CartesianGrid(extent, periodic=periodic)
                    u = grid.scatter(whole if rank == 0 else None, width=steps)
                    v = u.copy()
                    halo = weft.Halo(grid, (u, v), steps=steps, stencil=stencil)
                    for step in range(7):
                        points, interior, boundary = halo.sub_step(step % steps)
                        if step % steps == 0: halo.start(u)
                        heat(u, v, interior, axes)
                        if step % steps == 0: halo.finish()
                        for box in boundary: heat(u, v, box, axes)
                        sizes = [np.prod([s.stop - s.start for s in box]) for box in (points, interior, *boundary)]
                        assert sizes[0] == sum(sizes[1:]), sizes
                        u, v = v, u
                    assert points == halo.block() or 7 % steps != 0
                    results.append(grid.gather(u))
                if rank == 0: assert all((r == results[0]).all() for r in results), extent
            g = weft.CartesianGrid((12 * size, 12))
            refused(lambda: weft.Halo(g, g.zeros(), steps=2), "2 ghost points on each side")
            refused(lambda: weft.Halo(g, g.zeros(width=2), steps=2, payload="reduced"), "Use whole")
            refused(lambda: weft.Halo(g, g.zeros(), steps=0), "Use 1 or more")
            refused(lambda: weft.Halo(g, g.zeros(width=2), steps=2).sub_step(2), "from 0 to 1")
            """, 1, 2, 3, 4)

    def test_process_grids_and_orders_of_ranks(self):
        self.ok_on("""
            extent = (12, 10)
            whole = np.arange(120.0).reshape(extent)
            candidates = weft.CartesianGrid.candidates(extent, periodic=True, width=2)
            assert candidates[0]["processes"] == "x".join(map(str, weft.CartesianGrid(extent, periodic=True).processes))
            assert len(candidates) == {1: 1, 2: 2, 3: 2, 4: 3}[size], candidates
            turned = dict(processes=(1, size), rank_order=list(range(size))[::-1])
            for setting in *candidates, turned:
                grid = weft.CartesianGrid(extent, periodic=True, **setting)
                if setting is turned: assert grid.coordinates == (0, size - 1 - rank)
                u = grid.scatter(whole if rank == 0 else None, width=2)
                with weft.Halo(grid, u, width=2).start(): pass
                rows, columns = (np.arange(s.start - 2, s.stop + 2) % n for s, n in zip(grid.block, extent))
                assert (u == whole[np.ix_(rows, columns)]).all(), setting
            used = []
            tuning = weft.tune("grids", lambda setting: used.append(weft.CartesianGrid(extent, **setting)), weft.barrier, candidates,
                               file=PATH + ".toml", limit_seconds=0.1)
            assert size == 1 or tuning.chosen in candidates and len(used) > 1
            for wrong, why in ((dict(processes="2 2"), "such as 4x2x1"), (dict(rank_order="columns"), "by_node"),
                               (dict(rank_order=[0] * (size + 1)), "Give each rank from 0 to"), (dict(processes=2.5), "whole numbers"),
                               (dict(rank_order=2), "sequence of ranks")):
                refused(lambda: weft.CartesianGrid(extent, **wrong), why)
            """, 1, 2, 3, 4)

    def test_process_grids_of_transforms(self):
        if super().ok('print("fft" if hasattr(weft, "Fft") else "none")\n', 1).startswith("none"):
            self.skipTest("weft was built without a serial transform (FFTW or pocketfft)")
        self.ok_on("""
            for shape, dtype in ((8, 6, 10), "f8"), ((8, 6, 10), "c8"), ((7, 9), "c16"):
                candidates = weft.Fft.candidates(shape, dtype)
                assert len(candidates) == (1 if len(shape) == 2 else {1: 1, 3: 2, 4: 3}[size]), candidates
                whole = np.random.default_rng(1).standard_normal(shape)
                ref = (np.fft.rfftn if dtype == "f8" else np.fft.fftn)(whole)
                for setting in *candidates, dict(rank_order="by_node"):
                    fft = weft.Fft(shape, dtype, effort="estimate", **setting)
                    spectrum = fft.forward(np.ascontiguousarray(whole[fft.field_block]).astype(dtype))
                    assert np.allclose(spectrum, ref[fft.spectrum_block], rtol=0, atol=1e-4)
            refused(lambda: weft.Fft((8, 8, 8), rows="two"), "whole number")
            refused(lambda: weft.Fft((8, 8, 8), rows=-1), "whole number")
            refused(lambda: weft.Fft((8, 8, 8), rank_order="columns"), "by_node")
            refused(lambda: weft.Fft.candidates((8, 8, 8), "i4"), "int32")
            refused(lambda: weft.Fft.candidates((8,)), "two or three")
            """, 1, 3, 4)

    def test_transforms_of_own_blocks(self):
        if super().ok('print("fft" if hasattr(weft, "Fft") else "none")\n', 1).startswith("none"):
            self.skipTest("weft was built without a serial transform (FFTW or pocketfft)")
        self.ok_on("""
            rng = np.random.default_rng(1)
            for shape in (12, 10), (7, 9), (6, 8, 10):
              axes = tuple(reversed(range(len(shape))))
              for dtype in "f8", "c16", "f4":
                waves = (*shape[:-1], shape[-1] // 2 + 1) if dtype[0] == "f" else shape
                for batch in 1, 2:
                  ranks = weft.CartesianGrid(waves, processes=(1,) * (len(shape) - 1) + (size,))
                  options = dict(field_block=weft.CartesianGrid(shape).block, spectrum_block=ranks.block)
                  for more in {}, dict(field_axes=axes), dict(field_axes=axes, spectrum_axes=axes, norm="ortho"):
                    fft = weft.Fft(shape, dtype, effort="estimate", batch=batch, **options, **more)
                    assert fft.field_block == options["field_block"] and fft.spectrum_block == ranks.block
                    assert fft.field_axes == more.get("field_axes", axes[::-1])
                    whole = rng.standard_normal((batch, *shape)) + (1j * rng.standard_normal((batch, *shape)) if dtype[0] == "c" else 0)
                    if batch == 1: whole = whole[0]
                    def own(array, block, axes):
                        before = array.ndim - len(shape)
                        order = [*range(before), *(a + before for a in axes)]
                        return np.ascontiguousarray(array[(slice(None),) * before + block].transpose(order))
                    field = own(whole, fft.field_block, fft.field_axes).astype(dtype)
                    assert field.shape == fft.field_shape, (field.shape, fft.field_shape)
                    spectrum = fft.forward(field)
                    last = tuple(range(-len(shape), 0))
                    ref = (np.fft.rfftn if dtype[0] == "f" else np.fft.fftn)(whole, axes=last, norm=more.get("norm"))
                    tolerance = 1e-4 if dtype == "f4" else 1e-10
                    assert np.allclose(spectrum, own(ref, fft.spectrum_block, fft.spectrum_axes), rtol=0, atol=tolerance), (shape, dtype)
                    assert np.allclose(fft.inverse(spectrum), field, rtol=0, atol=tolerance)
                    k = fft.wavenumbers()
                    assert np.broadcast_shapes(*(a.shape for a in k)) == fft.spectrum_shape[-len(shape):]
            # the last rank has all points
            mine = tuple(slice(0, n if rank == size - 1 else 0) for n in (4, 6))
            fft = weft.Fft((4, 6), field_block=mine)
            spectrum = fft.forward(np.ones(fft.field_shape))
            has_mean = all(s.start == 0 and s.stop > 0 for s in fft.spectrum_block)
            assert abs(np.abs(spectrum).sum() - 24 * has_mean) < 1e-12
            half, rest = (slice(0, 4), slice(0, 8)), (slice(4, 8), slice(0, 8))
            block = half if rank == 0 else rest if rank == size - 1 else (slice(0, 0),) * 2
            if size > 1: weft.Fft((8, 8), field_block=block)
            last = rank == size - 1
            for options, why in ((dict(field_block=(slice(0, 8),) * 2 if rank == 0 or last else block), "overlap"),
                                 (dict(field_block=(slice(0, 3), slice(0, 8)) if rank == 0 else block), "(8 have no rank)"),
                                 (dict(spectrum_block=block), "is not inside of the spectrum"),
                                 (dict(field_block=None if last else block), "and rank %d none" % (size - 1)),
                                 (dict(field_block=block[:1] if last else block), "not one slice for each axis. Give 2 slices"),
                                 (dict(field_block=3 if last else block), "not one slice for each axis"),
                                 (dict(field_block=(slice(0, 4), 3) if last else block), "field_block has 3. Give slices"),
                                 (dict(field_block=(slice(-4, 8), slice(0, 8)) if last else block), "slice(-4, 8, None)"),
                                 (dict(field_block=(slice(0, 8, 2), slice(0, 8)) if last else block), "without a step"),
                                 (dict(field_block=block, field_axes=(0, 0) if last else None), "field_axes is (0, 0)"),
                                 (dict(field_block=block, field_axes="xy" if last else None), "field_axes is 'xy'"),
                                 (dict(spectrum_axes=(1, 0)), "without spectrum_block"),
                                 (dict(field_block=block, padded=True), "also padded")):
                if size > 1: refused(lambda: weft.Fft((8, 8), **options), why)
            """, 1, 2, 3, 4)


if __name__ == "__main__":
    unittest.main()
