# SPDX-License-Identifier: BSD-3-Clause
"""Arrays in memory of a weft.TestDevice."""
from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from weft.errors import InputError


def make(device: Any, shape: Any, dtype: Any, order: Any) -> DeviceArray:
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    if any(length < 0 for length in shape):
        raise InputError(f"An array has the shape {shape}. Give lengths of 0 or more.")
    memory, address = device._allocate(math.prod(shape) * np.dtype(dtype).itemsize)
    return DeviceArray(memory.view(dtype).reshape(shape, order=order), address - memory.ctypes.data)


class DeviceArray:
    """An array in memory of a `weft.TestDevice`, which only its kernels can read. Slices share its memory."""

    def __init__(self, inside: np.ndarray[Any, Any], distance: int):
        self._inside, self._distance = inside, distance

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        of_numpy = self._inside.__array_interface__
        address, is_constant = of_numpy["data"]
        return {**of_numpy, "data": (address + self._distance, is_constant), "version": 2}

    @property
    def shape(self) -> tuple[int, ...]:
        return self._inside.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._inside.dtype

    @property
    def ndim(self) -> int:
        return self._inside.ndim

    @property
    def T(self) -> DeviceArray:
        return DeviceArray(self._inside.T, self._distance)

    def __len__(self) -> int:
        return len(self._inside)

    def __getitem__(self, key: Any) -> DeviceArray:
        part = self._inside[key]
        if not isinstance(part, np.ndarray) or part.size > 0 and not np.may_share_memory(part, self._inside):
            raise InputError("An array of a device has only slices, which share its memory. Give slices, such as u[1:2].")
        return DeviceArray(part, self._distance)

    def __array__(self, *arguments: Any, **options: Any) -> NoReturn:
        raise TypeError("The array is in memory of a device, which numpy can't read. Use device.inside(array) in a kernel.")

    def __repr__(self) -> str:
        return f"<DeviceArray: {self.shape}, {self.dtype}>"
