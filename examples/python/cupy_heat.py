"""Heat in a ring of cells, in the memory of GPUs: CuPy computes in a stream, in which weft's exchange waits, too.

`--test-device` runs it on any machine, on weft's test device, which finds a forgotten stream."""
import sys

import numpy as np
import weft


class Gpu:
    def __init__(self):
        try:
            import cupy  # type: ignore
            cupy.cuda.Device(weft.rank() % cupy.cuda.runtime.getDeviceCount()).use()
        except Exception as error:
            sys.exit(f"cupy_heat: CuPy with a GPU is missing ({str(error).splitlines()[0]}). Install it, or give --test-device.")
        self.zeros, self.numpy, self.stream = cupy.zeros, cupy.asnumpy, cupy.cuda.Stream(non_blocking=True)

    def launch(self, function, *arguments):
        with self.stream:
            function(*arguments)

    def get(self, array):
        self.stream.synchronize()
        return self.numpy(array)


class TestDevice:
    def __init__(self):
        self.device = weft.TestDevice(seed=weft.rank())
        self.zeros, self.stream = self.device.array, self.device.queue()

    def launch(self, function, *arguments):
        self.device.launch(self.stream, function, *arguments)

    def get(self, array):
        self.device.synchronize(self.stream)
        return self.device.inside(array)


def average(new, old, box):
    (cells,) = box
    new[cells] = (old[cells.start - 1:cells.stop - 1] + 2 * old[cells] + old[cells.start + 1:cells.stop + 1]) / 4


gpu = TestDevice() if "--test-device" in sys.argv else Gpu()
grid = weft.CartesianGrid((100 * weft.size(),), periodic=True)
old, new = gpu.zeros(grid.shape[0] + 2), gpu.zeros(grid.shape[0] + 2)  # with a ghost cell on each side
halo = weft.Halo(grid, (old, new))
gpu.launch(lambda u: u.fill(weft.rank() == 0), old)  # rank 0 is hot
# [loop]
for _ in range(300):
    with halo.start(old, stream=gpu.stream):  # sends what the stream writes
        gpu.launch(average, new, old, halo.interior())  # meanwhile
    for box in halo.boundary():  # the stream waits for the ghost cells, not the host
        gpu.launch(average, new, old, box)
    old, new = new, old
# [loop end]

mine, total = np.array([gpu.get(old)[1:-1].sum()]), np.zeros(1)
exchange = weft.Exchange()
part = exchange.client("sum").all_reduce(mine, total)
exchange.commit()
with exchange.start() as messages:
    messages.ready(part)
if weft.rank() == 0:
    print(f"heat {total[0]:.6f}")
