# SPDX-License-Identifier: BSD-3-Clause
"""weft.pipeline, weft.Pipeline, weft.Fft, weft.Tuning and weft.tune."""
import unittest

from binding import Case, needs_module


@needs_module
class Pipelines(Case):
    def test_with_exchanges_and_requests_of_mpi4py(self):
        self.ok("""
            from mpi4py import MPI
            def exchanges(slots, **options):
                made = []
                for slot in range(slots):
                    source, target = np.zeros(4), np.zeros(4)
                    exchange = weft.Exchange(**options)
                    list_ = exchange.client("tile")
                    out = list_.send(right, 1, source); list_.receive(left, 1, target)
                    exchange.commit()
                    made.append((exchange, out, source, target))
                return made
            def with_weft(tile, buffer):
                messages = buffer[0].start()
                messages.ready(buffer[1])
                return messages
            def with_mpi4py(tile, buffer):
                return [MPI.COMM_WORLD.Isend(buffer[2], right, tile.index), MPI.COMM_WORLD.Irecv(buffer[3], left, tile.index)]
            for communicate in (with_weft, with_mpi4py):
                for window in (0, 1, 3):
                    for options in ({}, {"progress": "thread"}):
                        log, results = [], []
                        def compute(tile, buffer):
                            log.append(("compute", tile.index, tile.first, tile.count))
                            buffer[2][:] = 100 * rank + tile.index
                            tile.progress()
                        def consume(tile, buffer):
                            results.append(buffer[3][0])
                            assert tile.slot == tile.index % (window + 1)
                        buffers = exchanges(window + 1, **options)
                        pipeline = weft.Pipeline(buffers, tile=3)
                        for run in range(2):
                            pipeline.run(10, compute, communicate, consume)
                        assert results == [100 * left + k for k in range(4)] * 2, results
                        assert log[:4] == [("compute", 0, 0, 3), ("compute", 1, 3, 3), ("compute", 2, 6, 3), ("compute", 3, 9, 1)]
            """)

    def test_different_lengths_and_unknown_length(self):
        self.ok("""
            seen = []
            weft.pipeline(3 + 2 * rank, lambda t, b: None, lambda t, b: None, lambda t, b: seen.append((t.count, t.empty)))
            assert len(seen) == 3 + 2 * (size - 1) and sum(c for c, _ in seen) == 3 + 2 * rank
            seen.clear()
            weft.pipeline(None, lambda t, b: t.index < 5, lambda t, b: None, lambda t, b: seen.append(t.index), window=2)
            assert seen == [0, 1, 2, 3, 4]
            """)

    def test_of_unknown_length_ends_with_a_false_of_numpy_only(self):
        self.ok("""
            answers = {"go": (None, True, 1, 0, "", np.True_, np.float64(0), np.int64(0), np.zeros(3, bool), [], np.False_),
                       "array": (np.array(True), np.array(0), np.array(False)), "python": (0, False)}
            for given in answers.values():
                seen = []
                def compute(tile, buffer):
                    assert tile.index < len(given), "not ended"
                    return given[tile.index]
                weft.pipeline(None, compute, lambda t, b: None, lambda t, b: seen.append(t.index))
                assert seen == list(range(len(given) - 1)), (given, seen)
            """)

    def test_requests_of_mpi4py_get_time_after_an_exception(self):
        self.ok("""
            import time
            from mpi4py import MPI
            world, got = MPI.COMM_WORLD, np.zeros(1 << 16)
            def fails(t, b): raise KeyError("in flight")
            if rank == 0:
                try:
                    weft.pipeline(1, lambda t, b: None, lambda t, b: [world.Irecv(got, 1, 5)], fails, tiles=1, comm=MPI.COMM_SELF)
                except KeyError: pass
                try:
                    weft.pipeline(2, lambda t, b: 1 // (1 - t.index), lambda t, b: [world.Irecv(got, 1, 6)], fails, tiles=2,
                                  comm=MPI.COMM_SELF)
                except ZeroDivisionError: pass
                assert (got == 2).all(), got
            else:
                world.Send(got + 1, 0, 5)
                time.sleep(0.4)
                world.Send(got + 2, 0, 6)
            """)

    def test_a_test_that_raises(self):
        self.ok("""
            import time
            class Handle:
                def test(self): raise KeyError("test")
            began = time.time()
            try: weft.pipeline(1, lambda t, b: None, lambda t, b: [Handle(), None], lambda t, b: None)
            except KeyError: assert time.time() - began < 0.9
            else: raise AssertionError
            """)

    def test_requests_of_mpi4py_that_do_not_end_end_the_job(self):
        for communicate in "starts", "lambda t, b: [starts(t, b), 5]":      # 5 is no handle
            with self.subTest(communicate):
                self.fails(f"""
                    from mpi4py import MPI
                    def starts(t, b): return MPI.COMM_WORLD.Irecv(np.zeros(1 << 16), left, 5), MPI.REQUEST_NULL
                    def compute(t, b):
                        if t.index == 1: raise KeyError("in flight")
                    weft.pipeline(2, compute, {communicate}, lambda t, b: None, tiles=2)
                    """, "MPI may still use memory of the program", WEFT_GIVE_UP_SECONDS="3")

    def test_errors(self):
        self.ok("""
            kept = []
            def refused(kind, text, **options):
                calls = dict(compute=lambda t, b: kept.append(t), communicate=lambda t, b: None, consume=lambda t, b: None) | options
                try:
                    weft.pipeline(3, tiles=3, **calls)
                except kind as error:
                    assert text in str(error), error
                else:
                    raise AssertionError(text)
            refused(weft.Error, "buffers", buffers=[1], window=1)
            refused(weft.Error, "tile", tile=0)
            refused(TypeError, "tested", communicate=lambda t, b: 5)
            refused(ZeroDivisionError, "", consume=lambda t, b: 1 // 0)
            weft.pipeline(1, lambda t, b: kept.append(t), lambda t, b: None, lambda t, b: None)
            try:
                kept[-1].progress()
            except weft.Error as error: assert "ended" in str(error)
            else: raise AssertionError
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            out = list_.send(right, 1, np.zeros(1)); list_.receive(left, 1, np.zeros(1))
            exchange.commit()
            refused(weft.Error, "ready", communicate=lambda t, b: exchange.start(), window=0)
            assert exchange.has_failed
            """)


@needs_module
class Transforms(Case):
    def setUp(self):
        if self.ok('print("fft" if hasattr(weft, "Fft") else "none")\n', 0).startswith("none"):
            self.skipTest("weft was built without a serial transform (FFTW or pocketfft)")

    def test_against_numpy(self):
        self.ok("""
            shape = (8, 6, 10)
            for dtype in ("f4", "f8", "c8", "c16"):
                whole = np.random.default_rng(1).random(shape)
                if dtype[0] == "c": whole = whole + 1j * np.random.default_rng(2).random(shape)
                wanted = np.fft.fftn(whole) if dtype[0] == "c" else np.fft.rfftn(whole)
                for options in ({}, {"decomposition": "pencils"}, {"transposed": True}, {"progress": "thread", "window": 1},
                                {"carrier": "collective"}, {"norm": "ortho"}, {"tile": 2, "window": 0}, {"batch": 2}):
                    fft = weft.Fft(shape, dtype, effort="estimate", **options)
                    field = whole[fft.field_block].astype(dtype)
                    if "batch" in options: field = np.array([field, 2 * field])
                    assert field.shape == fft.field_shape, (field.shape, fft.field_shape)
                    spectrum = fft.forward(field)
                    assert spectrum.shape == fft.spectrum_shape
                    block = wanted[fft.spectrum_block].transpose(fft.spectrum_axes)
                    if options.get("norm"): block = block / np.sqrt(np.prod(shape))
                    if "batch" in options: block = np.array([block, 2 * block])
                    assert np.allclose(spectrum, block, rtol=1e-4, atol=1e-4), (dtype, options)
                    back = np.empty_like(field)
                    assert fft.inverse(spectrum, back) is back
                    assert np.allclose(back, field, rtol=1e-4, atol=1e-4), (dtype, options)
                    fft.close()
            assert fft.shape == shape
            """, 3)

    def test_wrong_arrays(self):
        self.ok("""
            fft = weft.Fft((8, 8, 8))
            field = np.zeros(fft.field_shape)
            constant = np.zeros(fft.spectrum_shape, complex); constant.flags.writeable = False
            flat, turned = field.reshape(-1), field.reshape(field.shape[::-1])
            other = np.zeros((field.shape[1], field.shape[0], field.shape[2]))
            for call, kind, text in ((lambda: fft.forward(field[:, :, :4]), ValueError, "shape"),
                                     (lambda: fft.forward(flat), ValueError, f"({flat.size},)"),
                                     (lambda: fft.forward(other), ValueError, f"{other.shape}"),
                                     (lambda: fft.forward(turned), ValueError, f"{field.shape}"),
                                     (lambda: fft.inverse(np.zeros(fft.spectrum_shape[::-1], complex)), ValueError, "spectrum_shape"),
                                     (lambda: fft.inverse(np.zeros(fft.spectrum_shape, complex), other), ValueError, "field_shape"),
                                     (lambda: fft.forward(field.astype("f4")), ValueError, "float64"),
                                     (lambda: fft.forward(np.asfortranarray(field)), ValueError, "contiguous"),
                                     (lambda: fft.forward(field, constant), TypeError, "read-only"),
                                     (lambda: fft.forward([1, 2]), TypeError, "memory"),
                                     (lambda: weft.Fft((8, 8, 8), "i4"), ValueError, "int32"),
                                     (lambda: weft.Fft((8, 0, 8)), weft.Error, "empty"),
                                     (lambda: weft.Fft((8, 8, 8), effort="much"), ValueError, "patient")):
                try: call()
                except kind as error: assert text in str(error), error
                else: raise AssertionError(text)
            assert fft.has_failed == (size > 1)
            fft = weft.Fft((8, 8, 8))
            fft.plan(True)
            fft.forward(field)
            assert fft.seconds["transform"] >= 0 and fft.tile >= 1
            fft.close()
            try: fft.forward(field)
            except weft.Error as error: assert "closed" in str(error)
            """)


@needs_module
class Tuned(Case):
    def test_measures_stores_and_finds_again(self):
        self.ok("""
            import os, tempfile, time
            path = os.path.join(tempfile.gettempdir(), f"weft-tuned-{os.getppid()}.toml")
            candidates = [{"delay": "slow"}, {"delay": "fast"}]
            used = []
            def use(setting): used.append(setting["delay"])
            def iteration(): time.sleep(1e-2 if used[-1] == "slow" else 1e-4)
            tuning = weft.tune("sleep", use, iteration, candidates, file=path, limit_seconds=1)
            assert tuning.settled and tuning.state == "found" and tuning.chosen == {"delay": "fast"} and tuning.speedup > 1.5
            assert "sleep" in tuning.key and "fast" in tuning.text and used[-1] == "fast", tuning.text
            weft.barrier()
            tuning = weft.Tuning("sleep", candidates, file=path)
            assert tuning.state == "stored" and tuning.chosen == {"delay": "fast"}
            tuning.iterate(use, iteration)
            for state in "found", "stored":            # a line end would damage the file
                assert weft.tune("two\\nlines", use, iteration, candidates, file=path, limit_seconds=1).state == state
            for setting, kind in ({"a\\n": "b"}, weft.InputError), ({"a": 'b"'}, weft.InputError), (3, TypeError):
                try:
                    weft.Tuning("wrong", [setting], file=path)
                except kind: pass
                else: raise AssertionError(setting)
            weft.barrier()
            if rank == 0: os.remove(path)
            assert all(isinstance(c, dict) for c in weft.step_candidates() + weft.exchange_candidates())
            def fails(): raise KeyError("iteration")
            try: weft.tune("fails", use, fails, candidates, file=path)
            except KeyError: pass
            else: raise AssertionError
            """)

    def test_one_rank_chooses_nothing(self):
        self.ok("""
            tuning = weft.Tuning("alone")
            assert tuning.state == "left_alone" and tuning.chosen is None
            """, 1)


if __name__ == "__main__":
    unittest.main()
