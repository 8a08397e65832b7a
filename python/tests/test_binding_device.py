# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in memory of a device, on weft.TestDevice: exchanges, halos, graphs, steps, streams; and what is refused."""
import os
import subprocess
import sys
import unittest

from binding import BUILD, PREFACE, ROOT, Case, environment, needs_module, run

DEVICE = PREFACE + """
device = weft.TestDevice(seed=rank + 1)
queue, other = device.queue(), device.queue()

def write(array, values, queue=queue):
    device.launch(queue, lambda a, v: a.__setitem__(..., v), array, values)

def check(array, values, what=None, queue=queue):
    '''In the queue: an error is the device's problem.'''
    device.launch(queue, lambda a, v: np.testing.assert_array_equal(a, v, str(what)), array, values)

def done():
    for q in (queue, other): device.synchronize(q)
    assert not device.problem and device.whole_device_waits == 0, device.problem

def refuses(call, kind, text, end="."):
    try:
        call()
    except kind as error:
        assert text in str(error) and str(error).endswith(end) and "\\n" not in str(error), error
    else:
        raise AssertionError(text)

class Interface:
    '''As an array of CuPy: it names a stream.'''
    def __init__(self, array, stream=None, version=3):
        self.array, self.stream, self.version = array, stream, version
    @property
    def __cuda_array_interface__(self):
        return {**self.array.__cuda_array_interface__, "version": self.version, "stream": self.stream}

class Dlpack:
    '''As an array of a library without the interface.'''
    def __init__(self, array, kind=2):
        self.array, self.kind, self.asked = array, kind, []
    def __dlpack_device__(self): return self.kind, 0
    def __dlpack__(self, *, stream=None, max_version=None):
        import ctypes
        self.asked.append(stream)
        class Tensor(ctypes.Structure):
            _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                        ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                        ("deleter", ctypes.c_void_p)]
        interface, n = self.array.__cuda_array_interface__, self.array.ndim
        item = self.array.dtype.itemsize
        strides = [s // item for s in self.array._inside.strides]
        self.tensor = Tensor(interface["data"][0], (self.kind, 0), n, 2, 8 * item, 1, (ctypes.c_int64 * n)(*interface["shape"]),
                             (ctypes.c_int64 * n)(*strides), 0, None, None)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        self.name = b"dltensor"
        return new(ctypes.addressof(self.tensor), self.name, None)
"""


# The tests of the core have libraries in the place of CUDA's driver and compiler.
DRIVER, COMPILER = (str(BUILD and BUILD / "core/tests/weft/fake" / name) for name in ("libcuda.so.1", "libnvrtc.so.12"))


class OnDevice(Case):
    def on_1_2_3(self, code):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                self.ok(code, ranks, preface=DEVICE)


@needs_module
class Exchanges(OnDevice):
    def test_two_devices(self):
        self.on_1_2_3("""
second = weft.TestDevice(seed=9)
of_second = second.queue()
a, a_in, b, b_in = device.array(5, float), device.array(5, float), second.array(5, float), second.array(5, float)
exchange = weft.Exchange()
client = exchange.client("c")
right, left = (rank + 1) % size, (rank - 1) % size
of_a, of_b = client.send(right, 1, a), client.send(right, 2, b)
client.receive(left, 1, a_in)
client.receive(left, 2, b_in)
exchange.commit()
with exchange.start(stream=queue) as messages:
    write(a, 10 + rank)
    second.launch(of_second, lambda b: b.fill(20 + rank), b)
    messages.ready(of_a)
    messages.ready(of_b, stream=of_second)
check(a_in, 10 + left)
second.synchronize(of_second)
assert (second.inside(b_in) == 20 + left).all()
done()
refuses(lambda: second.inside(a), weft.InputError, "none of this test device")
refuses(lambda: second.inside(np.zeros(1)), weft.InputError, "none of this test device")
refuses(lambda: second.array(-1), weft.InputError, "shape (-1,)")
refuses(lambda: weft.TestDevice(threads=-1), weft.InputError, "-1 threads")
""")

    def test_strides_types_and_options(self):
        self.on_1_2_3("""
            for options in ({}, {"progress": "thread"}, {"progress": "passive", "grouping": "per_part"}, {"shared_memory": True},
                            {"carrier": "datatypes"}, {"defer_unpacking": True, "piece_bytes": 64}):
                u, v = device.array((6, 8)), device.array((16, 16), order="F")[::2, ::2]
                a, b, host = device.array(5, "i4"), device.array(5, "i4"), np.zeros(5, "i4")
                exchange = weft.Exchange(**options)
                list_ = exchange.client("a")
                sent = [list_.send(right, 1, u[:, 3]), list_.send(right, 2, a), list_.send(right, 3, a)]
                received = [list_.receive(left, 1, v[1, :6]), list_.receive(left, 2, b), list_.receive(left, 3, host)]
                exchange.commit()
                for start in range(3):
                    messages = exchange.start(stream=queue)
                    write(u, np.arange(48.).reshape(6, 8) + rank + start)
                    write(a, np.arange(5) + rank + start, other)
                    messages.ready(sent[0])
                    for part in sent[1:]: messages.ready(part, stream=other)
                    if "defer_unpacking" in options:
                        messages.accept(received[0])
                        messages.accept(received[1], stream=queue)
                        messages.accept(received[2])
                    messages.wait(stream=queue)
                    assert (host == np.arange(5) + left + start).all()
                    check(v[1, :6], np.arange(48.).reshape(6, 8)[:, 3] + left + start, options)
                    check(b, np.arange(5) + left + start)
                    write(u, -1)
                exchange.close()
            done()
            """)

    def test_the_host_can_wait(self):
        self.on_1_2_3("""
            u, v = device.array(4), device.array(4)
            with weft.Exchange() as exchange:
                list_ = exchange.client("a")
                out, back = list_.send(right, 1, u), list_.receive(left, 1, v, combine="sum")
                exchange.commit()
                for start in range(1, 4):
                    messages = exchange.start()
                    write(u, rank)
                    messages.ready(out, stream=queue.ptr)  # an integer
                    messages.wait()
                    assert (device.inside(v) == start * left).all()
            done()
            """)

    def test_memory_given_later(self):
        self.on_1_2_3("""
            import gc
            model = device.array(1)
            with weft.Exchange() as exchange:
                list_ = exchange.client("a")
                out, back = list_.send(right, 1, 32, like=model), list_.receive(left, 1, 32, like=model)
                exchange.commit()
                for start in range(4):
                    v = device.array(4)
                    exchange.rebind(back, v)
                    with exchange.start(stream=queue) as messages:
                        u = device.array((4, 2))[:, 1]
                        write(u, rank + start, other)
                        messages.ready(out, u, stream=other)
                    check(v, left + start)
                    del u, v
                    gc.collect()
                refuses(lambda: exchange.rebind(back, np.zeros(4)), weft.Error, "another device")
                device.synchronize(queue)  # A start without a queue waits for no check of the last array
                u = device.array(4)
                messages = exchange.start()
                refuses(lambda: messages.ready(out, u), weft.Error, "without a queue")
                messages.ready(out, u, stream=queue)
                messages.wait()
                with exchange.start(stream=queue) as messages:
                    refuses(lambda: messages.ready(out), weft.Error, "no memory")
                    messages.ready(out, u)
                refuses(lambda: list_.send(0, 7, model, like=model), weft.InputError, "like=")
            done()
            """)

    def test_arrays_live_as_long_as_they_are_used(self):
        self.on_1_2_3("""
            import gc, weakref
            def listed(exchange):
                u, v = device.array(1000), device.array(1000)
                list_ = exchange.client("a")
                list_.receive(left, 1, v)
                write(u, rank)
                return list_.send(right, 1, u), weakref.ref(u), weakref.ref(v)
            exchange = weft.Exchange()
            part, *arrays = listed(exchange)
            gc.collect()
            exchange.commit()
            messages = exchange.start(stream=queue)
            messages.ready(part)
            messages.wait(stream=queue)
            check(arrays[1](), left)
            del messages, part
            exchange.close()  # waits for the device
            done()
            gc.collect()
            assert arrays[0]() is None and arrays[1]() is None
            """)


@needs_module
class Streams(OnDevice):
    def test_a_forgotten_one_is_an_error_of_this_rank(self):
        self.on_1_2_3("""
            u, v = device.array(4), device.array(4)
            exchange = weft.Exchange()
            list_ = exchange.client("heat")
            out = list_.send(right, 1, u)
            list_.receive(left, 1, v)
            exchange.commit()
            messages = exchange.start()
            refuses(lambda: messages.ready(out), weft.Error, "is in memory of test device and marked ready without a queue")
            refuses(lambda: messages.ready_all(), weft.Error, "Give ready(), or start(), the queue that writes its data")
            messages.ready(out, stream=queue)
            messages.wait()
            weft.barrier()  # A rank that still waits would hear of the failure below
            for stream in ("x", 1.5, True, object()):
                refuses(lambda: exchange.start(stream=stream), TypeError, "The stream is none that weft knows")
            refuses(lambda: exchange.start(stream=1 << 40), weft.Error, "the queue is unknown")
            """)

    def test_the_wrong_one_gives_wrong_values(self):
        self.on_1_2_3("""
            wrong = 0
            for is_right in (True, False):
                for seed in range(10):
                    device = weft.TestDevice(seed=seed)
                    queue, other = device.queue(), device.queue()
                    u, v, seen = device.array(4), device.array(4), []
                    with weft.Exchange() as exchange:
                        list_ = exchange.client("a")
                        out = list_.send(right, 1, u)
                        list_.receive(left, 1, v)
                        exchange.commit()
                        messages = exchange.start(stream=queue)
                        for _ in range(10): device.launch(queue, lambda: None)
                        write(u, 7, queue)
                        messages.ready(out, stream=queue if is_right else other)
                        messages.wait(stream=queue)
                        device.launch(queue, lambda v: seen.append((v == 7).all()), v)
                        device.synchronize(queue)
                    assert not is_right or seen == [True]
                    wrong += seen != [True]
                    weft.barrier()
            assert wrong > 5, wrong
            """)

    def test_that_of_an_array_is_used(self):
        self.on_1_2_3("""
            u, v = (Interface(device.array(4), queue.ptr) for _ in range(2))
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            out = list_.send(right, 1, u)
            list_.receive(left, 1, v)
            exchange.commit()
            for start in range(8):
                for stream in (None, other):  # the part waits for both
                    messages = exchange.start(stream=stream)
                    write(u.array, rank + start, other if start % 2 and stream else queue)
                    messages.ready(out)
                    messages.wait(stream=other)
                    check(v.array, left + start, queue=other)
                    for q in (queue, other): device.synchronize(q)
            u.stream = other.ptr  # asked at each start
            messages = exchange.start()
            write(u.array, 99, other)
            messages.ready(out)
            messages.wait()
            assert (device.inside(v.array) == 99).all()
            done()
            """)

    def test_those_of_other_libraries(self):
        self.on_1_2_3("""
            import ctypes
            class Stream:
                def __init__(self, **names): self.__dict__.update(names)
            class Protocol:
                def __cuda_stream__(self): return 0, queue.ptr
            u, v = device.array(4), device.array(4)
            exchange = weft.Exchange()
            list_ = exchange.client("a")
            out = list_.send(right, 1, u)
            list_.receive(left, 1, v)
            exchange.commit()
            for k, stream in enumerate((Stream(ptr=queue.ptr), Stream(cuda_stream=queue.ptr), Stream(handle=ctypes.c_void_p(queue.ptr)),
                                        Protocol(), queue.ptr, queue)):
                with exchange.start(stream=stream) as messages:
                    write(u, rank + k)
                    messages.ready(out)
                check(v, left + k)
            done()
            """)


@needs_module
class Halos(OnDevice):
    def test_components_orders_and_options(self):
        self.on_1_2_3("""
            for options in ({}, {"scheme": "by_dimension"}, {"progress": "thread"}, {"shared_memory": True}):
                for shape, order in (((), "C"), ((), "F"), ((3,), "C")):
                    for first in (True, False):
                        grid = weft.CartesianGrid((12, 9), periodic=True)
                        inner = tuple(n + 2 for n in grid.shape)
                        u = device.array(shape + inner if first else inner + shape, order=order)
                        halo = weft.Halo(grid, u, **options)
                        x, y = (np.arange(s.start - 1, s.stop + 1) % n for s, n in zip(grid.block, grid.extent))
                        whole = 1. + 100 * x[:, None] + y
                        if shape: whole = np.stack([whole, whole + .25, whole + .5], 0 if first else -1)
                        block = halo.block()
                        device.launch(queue, lambda u: (u.fill(-1), u.__setitem__(block, whole[block])), u)
                        with halo.start(u, stream=queue):
                            check(u[halo.interior()], whole[halo.interior()])
                        check(u, whole, options)
                        halo.start(stream=queue)
                        halo.finish()
                        assert (device.inside(u) == whole).all()
                        halo.close()
            done()
            """)

    def test_reverse_with_combine(self):
        self.on_1_2_3("""
            grid = weft.CartesianGrid((4 * size,), periodic=True)
            u = device.array(6)
            halo = weft.Halo(grid, u, flow="reverse", combine="sum")
            write(u, 1)
            with halo.start(stream=queue): pass
            check(u[1:-1], [2, 1, 1, 2])
            done()
            refuses(lambda: halo.start(device.array(6), stream=queue), weft.InputError, "none of the halo's arrays")
            """)

    def test_graph(self):
        self.on_1_2_3("""
            owned = np.arange(3) + 3 * rank
            wanted = np.array([(3 * rank + 4) % (3 * size), (3 * rank + 3) % (3 * size)])
            graph = weft.Graph(owned, wanted)
            u, copies = device.array((3, 2)), device.array((2, 2))
            write(u, np.stack([owned, owned + .5], 1))
            with weft.GraphExchange(graph, (u, copies)).start(stream=queue): pass
            check(copies, np.stack([wanted, wanted + .5], 1))
            with weft.GraphExchange(graph, (u, copies), flow="to_owners").start(stream=queue): pass
            check(u, np.stack([owned, owned + .5], 1) * [[2], [2], [1]])
            done()
            """)


@needs_module
class Steps(OnDevice):
    def test_clients_get_the_stream(self):
        self.on_1_2_3("""
            class Ring(weft.Client):
                def __init__(self): self.u, self.v, self.w, self.x = (device.array(4) for _ in range(4))
                def request(self, requests):
                    requests.send(right, 1, self.u)
                    requests.receive(left, 1, self.v)
                    self.out = requests.send(right, 2, self.w)
                    self.back = requests.receive(left, 2, 32, like=self.x)
                def before(self, step):
                    assert step.stream is queue
                    write(self.u, rank + step.number, step.stream)
                    write(self.w, rank - step.number, other)
                    step.ready(self.out, stream=other)
                def after(self, step):
                    check(self.v, left + step.number, queue=step.stream)
                    check(self.x, left - step.number, queue=step.stream)
            for options in ({}, {"progress": "thread"}, {"coalesce": False, "defer_unpacking": True}):
                ring = Ring()
                manager = weft.StepManager(**options)
                manager.add("ring", ring)
                for _ in range(4):
                    ring.x = device.array(4)
                    manager.rebind(ring, ring.back, ring.x)
                    manager.run_step(stream=queue)
                manager.measure_alone(2)
                manager.close()
                done()
            """)

    def test_without_a_stream_the_step_fails_on_all_ranks(self):
        self.on_1_2_3("""
            class Ring(weft.Client):
                u, v = device.array(4), device.array(4)
                def request(self, requests):
                    requests.send(right, 1, self.u)
                    requests.receive(left, 1, self.v)
            manager = weft.StepManager()
            manager.add("ring", Ring())
            try:
                manager.run_step()
            except weft.Error as error:
                assert "marked ready without a queue" in str(error), error
            else:
                raise AssertionError
            """)


@needs_module
class Arrays(OnDevice):
    def test_of_other_libraries(self):
        self.on_1_2_3("""
            arrays = [device.array((3, 5), "f8")[:, 1:3] for _ in range(6)]
            u = [Interface(arrays[0]), Dlpack(arrays[1]), Dlpack(arrays[2], 13)]
            v = [Dlpack(arrays[3]), Interface(arrays[4], version=2), Dlpack(arrays[5], 10)]
            with weft.Exchange() as exchange:
                list_ = exchange.client("a")
                for k in range(3):
                    list_.send(right, k, u[k])
                    list_.receive(left, k, v[k])
                assert u[1].asked == [-1]  # weft orders its work itself
                exchange.commit()
                for k in range(3): write(arrays[k], rank + k)
                with exchange.start(stream=queue) as messages:
                    messages.ready_all()
                for k in range(3): check(arrays[3 + k], left + k)
                done()
            """)

    def test_memory_that_the_host_uses_too_is_the_hosts(self):
        self.on_1_2_3("""
            class Shared:  # pinned, managed
                def __init__(self, array, kind): self.__cuda_array_interface__, self.kind, self.array = array.__array_interface__, kind, array
                def __dlpack_device__(self): return self.kind, 0
            u, v = Shared(np.full(3, rank), 13), Shared(np.zeros(3, int), 3)
            with weft.Exchange() as exchange:
                list_ = exchange.client("a")
                out = list_.send(right, 1, u)
                list_.receive(left, 1, v)
                exchange.commit()
                with exchange.start() as messages:
                    refuses(lambda: messages.ready(out, stream=queue), weft.Error, "is in memory of the host")
                    messages.ready(out)
            assert (v.array == left).all()
            """)

    def test_wrong_ones_are_refused_in_a_sentence(self):
        self.ok("""
            u, v = device.array(4), device.array(4)
            list_ = weft.Exchange().client("a")
            class Jax(Interface): pass
            Jax.__module__ = "jaxlib._jax"
            refuses(lambda: list_.send(0, 1, Jax(u)), TypeError, "immutable, and their memory may move")
            refuses(lambda: list_.send(0, 1, Dlpack(u, 14)), TypeError, "another device than the CPU, CUDA and HIP")
            constant = Interface(u)
            constant.array = type("Constant", (), {"__cuda_array_interface__": {**u.__cuda_array_interface__,
                "data": (u.__cuda_array_interface__["data"][0], True)}})
            list_.send(0, 1, constant)
            refuses(lambda: list_.receive(0, 1, constant), TypeError, "read-only")
            refuses(lambda: list_.send(0, 2, u[::-1]), ValueError, "negative stride")
            for call in (lambda: list_.all_reduce(u, v), lambda: list_.broadcast(0, u), lambda: list_.send_up_to(0, 1, u),
                         lambda: list_.receive_up_to(0, 1, u), lambda: list_.receive_up_to(0, 1, Dlpack(u))):
                refuses(call, TypeError, "The array is in memory of a device, where memory of the host is needed")
            refuses(lambda: np.asarray(u), TypeError, "in memory of a device")
            refuses(lambda: u[[0, 2]], weft.InputError, "only slices")
            """, 1, preface=DEVICE)

    def test_a_machine_without_a_device_says_so_in_a_line(self):
        self.ok("""
            class Foreign:
                __cuda_array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (1 << 30, False), "version": 2}
            class Numbered(Foreign):
                def __dlpack_device__(self): return kind, 0
            list_ = weft.Exchange().client("a")
            for kind in (2, 10):
                for array in (Foreign(), Numbered()):
                    try:
                        list_.send(0, 1, array)
                    except (weft.Error, TypeError) as error:
                        assert "\\n" not in str(error) and str(error).endswith("."), error
            empty = Foreign()
            empty.__cuda_array_interface__ = {**Foreign.__cuda_array_interface__, "shape": (0,), "data": (0, False)}
            list_.send(0, 2, empty)
            """, 1)


@needs_module
@unittest.skipUnless(os.path.exists(DRIVER), "the library in the place of CUDA's driver is not built (target weft_test)")
class Cuda(OnDevice):
    def test_arrays_and_streams(self):
        self.on_1_2_3(f"""
            import ctypes
            cuda, compiler = ctypes.CDLL({DRIVER!r}), ctypes.CDLL({COMPILER!r})
            def made(function, *arguments):
                result = ctypes.c_void_p()
                assert function(ctypes.byref(result), *arguments) == 0
                return result.value
            assert cuda.cuCtxSetCurrent(ctypes.c_void_p(made(cuda.cuDevicePrimaryCtxRetain, 0))) == 0
            streams = [made(cuda.cuStreamCreate, 1) for _ in range(2)]
            class Array:
                def __init__(self, stream):
                    self.inside = np.ctypeslib.as_array((ctypes.c_double * 12).from_address(made(cuda.cuMemAlloc_v2, ctypes.c_size_t(96))))
                    self.inside = self.inside.reshape(4, 3)[:, 1]
                    self.__cuda_array_interface__ = {{**self.inside.__array_interface__, "stream": stream, "version": 3}}
            class Numbered(Array):
                def __dlpack_device__(self): return 2, 0
            class Stream:
                cuda_stream = streams[1]
            for kind in (Array, Numbered):
                for own, stream in ((streams[0], None), (None, Stream()), (streams[0], Stream()), (None, 0)):
                    u, v = kind(own), kind(own)
                    with weft.Exchange() as exchange:
                        list_ = exchange.client("a")
                        out = list_.send(right, 1, u)
                        list_.receive(left, 1, v, combine="sum")
                        exchange.commit()
                        u.inside[:], v.inside[:] = rank, 1
                        with exchange.start(stream=stream) as messages:
                            messages.ready(out)
                        assert (v.inside == left + 1).all()
            refuses(lambda: exchange.start(stream=Stream()), weft.Error, "closed")
            elsewhere = Array(None)
            elsewhere.__cuda_array_interface__ = np.zeros(4).__array_interface__
            refuses(lambda: weft.Exchange().client("a").send(0, 1, elsewhere), weft.InputError, "not in memory of any device")
            """)


@needs_module
class TestDevices(OnDevice):
    def test_a_host_access_ends_the_program_with_a_sentence(self):
        done = run("""
            import ctypes
            u = device.array(4)
            ctypes.c_char.from_address(u.__cuda_array_interface__["data"][0]).value
            """, 1, preface=DEVICE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("test device", done.stdout + done.stderr)

    def test_an_error_of_a_function_is_the_problem_of_the_device(self):
        self.ok("""
            device.launch(queue, lambda: 1 / 0)
            refuses(lambda: device.synchronize(queue), weft.Error, "ZeroDivisionError", "zero")
            assert "ZeroDivisionError" in device.problem and "ZeroDivisionError" in repr(device)
            refuses(lambda: weft.TestDevice().synchronize(queue), weft.Error, "another test device")
            """, 1, preface=DEVICE)

    def test_threads_of_the_device(self):
        self.on_1_2_3("""
            device = weft.TestDevice(seed=3, threads=2)
            queue, other = device.queue(), device.queue()
            for progress in ("polling", "thread"):
                u, v = device.array(100), device.array(100)
                exchange = weft.Exchange(progress=progress)
                list_ = exchange.client("a")
                out = list_.send(right, 1, u)
                list_.receive(left, 1, v)
                exchange.commit()
                for start in range(20):
                    with exchange.start(stream=queue) as messages:
                        write(u, rank + start, queue)
                        messages.ready(out)
                    check(v, left + start, queue=queue)
                device.synchronize(queue)
                assert not device.problem, device.problem
            device.launch(queue, lambda: None)  # may run when the interpreter ends
            """)

    def test_work_left_at_the_end(self):
        for threads in (0, 2):
            self.ok(f"""
                import time
                device = weft.TestDevice(threads={threads})
                queue = device.queue()
                for _ in range(50): device.launch(queue, time.sleep, 0.001)
                """, 0)


@needs_module
class Example(unittest.TestCase):
    program = str(ROOT / "examples/python/cupy_heat.py")

    def test_on_the_test_device(self):
        for ranks in (1, 3):
            done = run(self.program, ranks, arguments=("--test-device",))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("heat 100.000000", done.stdout)

    def test_says_what_is_missing(self):
        done = subprocess.run([sys.executable, self.program], env=environment(), text=True, capture_output=True, timeout=60, check=False)
        if done.returncode:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
