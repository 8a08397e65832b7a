# SPDX-License-Identifier: BSD-3-Clause
"""A distributed Fourier transform: the derivative of a wave."""
import numpy as np
import weft

n = 32
fft = weft.Fft((n, n, n), effort="estimate")
x = np.arange(n)[fft.field_block[0]] * 2 * np.pi / n
field = np.broadcast_to(np.sin(3 * x)[:, None, None], fft.field_shape).copy()  # this rank's block

spectrum = fft.forward(field)
kx, ky, kz = fft.wavenumbers(spacing=2 * np.pi / n)
spectrum *= 1j * kx
derivative = fft.inverse(spectrum)
assert np.allclose(derivative[:, 0, 0], 3 * np.cos(3 * x))
print(f"rank {weft.rank()}: {fft.field_shape}, the derivative is right")
