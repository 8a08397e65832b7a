"""A Poisson equation on a solver's own blocks: of the field in Fortran's order, and of the spectrum.

    mpirun -n 2 python examples/python/own_blocks.py 128
"""
import sys
import numpy as np
import weft

n = int(sys.argv[1]) if len(sys.argv) > 1 else 32
grid = weft.CartesianGrid((n, n, n), periodic=True)            # the solver's blocks
waves = weft.CartesianGrid((n, n, n // 2 + 1))                 # those that it wants of the spectrum
fft = weft.Fft((n, n, n), field_block=grid.block, field_axes=(2, 1, 0), spectrum_block=waves.block)
z, y, x = np.meshgrid(*(np.arange(n)[s] * 2 * np.pi / n for s in reversed(grid.block)), indexing="ij")
wanted = np.sin(3 * x) * np.cos(2 * y + z)
spectrum = fft.forward(-14 * wanted)                           # the Laplacian of `wanted`
k = sum(k * k for k in fft.wavenumbers(spacing=2 * np.pi / n))
spectrum /= -np.where(k == 0, 1, k)
field = fft.inverse(spectrum)
assert np.allclose(field, wanted)

fft.reset_seconds()
for _ in range(10):
    fft.forward(field, spectrum)
own = weft.Fft((n, n, n))                                      # the same in the layout of the transform itself
values, result = np.zeros(own.field_shape), np.zeros(own.spectrum_shape, complex)
own.forward(values, result)
own.reset_seconds()
for _ in range(10):
    own.forward(values, result)
if weft.rank() == 0:
    for name, f in ("own blocks", fft), ("layout of the transform", own):
        print(f"{name}: {sum(f.seconds.values()) * 100:.3g} ms a transform,",
              ", ".join(f"{what} {s * 100:.3g}" for what, s in f.seconds.items()))
