# SPDX-License-Identifier: BSD-3-Clause
"""Whole arrays of a grid: gathered, scattered, and in HDF5 files. The functions are methods of `CartesianGrid`."""
from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path
from typing import Any, Callable

import numpy as np

from weft.errors import InputError, PeerError, check_plots
from weft.files import check_place, mode_for

ALL = slice(None)


def placed(grid: Any, u: Any, who: str) -> tuple[int, tuple[slice, ...]]:
    """The first of the grid's axes in an array of this rank, and the slices of its block without ghost points."""
    if not isinstance(u, np.ndarray):
        raise TypeError(f"{who} is {type(u).__name__}. Give an array of numpy, for example of grid.zeros().")
    if isinstance(u, np.ma.MaskedArray):
        raise TypeError(f"{who} is masked, and its mask would be lost. Give array.filled(value), or array.data.")
    if u.dtype.hasobject:
        raise TypeError(f"{who} has objects of Python as elements (dtype object). Give an array of numbers.")
    counts, axes = grid.shape, grid.dimensions
    for even in (True, False):  # components may fit as thicker layers
        for first in (0, u.ndim - axes):
            extra = [u.shape[first + a] - counts[a] for a in range(axes)] if 0 <= first <= u.ndim - axes else [-1]
            if min(extra) < 0 or any(n % 2 for n in extra) or (even and len(set(extra)) > 1):
                continue
            inner = tuple(slice(n // 2, n // 2 + count) for n, count in zip(extra, counts))
            return first, (ALL,) * first + inner
    raise InputError(f"{who} has the shape {u.shape}, which is not this rank's block {counts} with ghost points on both sides. Give an array "
                     "of the grid, with components behind or before its axes.")


def on_all(grid: Any, work: Callable[[], Any]) -> list[Any]:
    """The results of all ranks, which are small. If `work` raises on one rank, or the grid differs, all ranks raise."""
    error: Exception | None = None
    same_grid = (grid.extent, grid.processes)
    try:
        mine = pickle.dumps((same_grid, True, work()))
    except Exception as raised:
        error = raised
        mine = pickle.dumps((same_grid, False, f"rank {grid.rank}: {raised}"))
    ranks = int(np.prod(grid.processes))
    sizes = np.zeros(ranks, "i8")
    with grid._exchange() as exchange:
        part = exchange.client("sizes").all_gather(np.array([len(mine)], "i8"), sizes)
        exchange.commit()
        with exchange.start() as messages:
            messages.ready(part)
    every = np.zeros(int(sizes.sum()), "u1")
    with grid._exchange() as exchange:
        part = exchange.client("results").all_gather(np.frombuffer(mine, "u1"), every, list(map(int, sizes)))
        exchange.commit()
        with exchange.start() as messages:
            messages.ready(part)
    ends = np.cumsum(sizes)
    results = [pickle.loads(every[end - size:end].tobytes()) for end, size in zip(ends, sizes)]
    same([found for found, _, _ in results], "The grid (extent, processes)")
    if error is not None:
        raise error
    for _, ok, result in results:
        if not ok:
            raise PeerError(f"Another rank has failed ({result}).")
    return [result for _, _, result in results]


def same(results: list[Any], what: str) -> Any:
    """The result, which must be the same on all ranks."""
    for rank, result in enumerate(results):
        if result != results[0]:
            raise InputError(f"{what} differs between ranks: {results[0]} on rank 0, {result} on rank {rank}. Give the same on all ranks.")
    return results[0]


def kind_of(u: Any, first: int, axes: int) -> tuple[Any, ...]:
    """What is the same on all ranks: the type, and the components before and behind."""
    return np.lib.format.dtype_to_descr(u.dtype), u.shape[:first], u.shape[first + axes:]


def whole_shape(grid: Any, before: tuple[int, ...], behind: tuple[int, ...]) -> tuple[int, ...]:
    return (*before, *grid.extent, *behind)


def check_name(name: str) -> None:
    if not name or "\0" in name or name.strip("/") == "":
        raise InputError(f"The name of a dataset is {name!r}. Give a name such as 'u'.")


def check_root(grid: Any, root: int) -> int:
    ranks = int(np.prod(grid.processes))
    if not 0 <= root < ranks:
        raise InputError(f"The root is rank {root}, but there are {ranks} ranks. Give 0 to {ranks - 1}.")
    return root


def move(grid: Any, root: int, whole: Any, own: Any, first: int, gathers: bool) -> None:
    """Sends the blocks from all ranks to the root, or the other way round."""
    with grid._exchange() as exchange:
        parts = exchange.client("blocks")
        sends = []
        if gathers:
            sends.append(parts.send(root, 0, own))
        else:
            parts.receive(root, 0, own)
        for rank in range(int(np.prod(grid.processes))) if grid.rank == root else ():
            block = whole[(ALL,) * first + grid._block_of(rank)]
            if gathers:
                parts.receive(rank, 0, block)
            else:
                sends.append(parts.send(rank, 0, block))
        exchange.commit()
        with exchange.start() as messages:
            for part in sends:
                messages.ready(part)


def gather(grid: Any, u: Any, root: int = 0) -> Any:
    def look() -> tuple[Any, ...]:
        first, _ = placed(grid, u, "gather: The array")
        return check_root(grid, root), first, kind_of(u, first, grid.dimensions)
    _, first, (descr, before, behind) = same(on_all(grid, look), "gather: The array (root, first axis, type, components)")
    whole = np.empty(whole_shape(grid, before, behind), np.lib.format.descr_to_dtype(descr)) if grid.rank == root else None
    move(grid, root, whole, u[placed(grid, u, "")[1]], first, True)
    return whole


def scatter(grid: Any, whole: Any, root: int = 0, width: int = 1) -> Any:
    def look() -> tuple[Any, ...]:
        check_root(grid, root)
        if grid.rank != root:
            return root, width, None
        shape, axes = np.shape(whole), grid.dimensions
        for first in (0, len(shape) - axes):
            if first >= 0 and shape[first:first + axes] == grid.extent:
                return root, width, (first, kind_of(whole, first, axes))
        raise InputError(f"scatter: The array has the shape {shape}, but the grid {grid.extent}. Give an array of the grid, with components behind "
                         "or before its axes.")
    results = on_all(grid, look)
    same([result[:2] for result in results], "scatter: The root or the width")
    first, (descr, before, behind) = results[root][2]
    own = np.zeros((*before, *(n + 2 * width for n in grid.shape), *behind), np.lib.format.descr_to_dtype(descr))
    inner = (ALL,) * first + tuple(slice(width, width + n) for n in grid.shape)
    move(grid, root, whole, own[inner], first, False)
    return own


def in_turn(grid: Any, work: Callable[[], None]) -> None:
    """Each rank's `work`, one after the other."""
    for rank in range(int(np.prod(grid.processes))):
        on_all(grid, lambda: work() if grid.rank == rank else None)


def write(grid: Any, path: Any, u: Any, name: str = "u") -> None:
    def begin() -> tuple[Any, ...]:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"The path of write() is {type(path).__name__}. Give the path of a file.")
        check_plots("h5py")
        check_place(Path(path))
        check_name(name)
        first, _ = placed(grid, u, "write: The array")
        return str(path), name, first, kind_of(u, first, grid.dimensions)
    *_, first, (descr, before, behind) = same(on_all(grid, begin), "write: The file or the array (name, first axis, type, components)")
    import h5py

    target = Path(path).resolve()  # a symbolic link stays

    def create() -> str:
        if grid.rank != 0:
            return ""
        number, beside = tempfile.mkstemp(prefix=f"{target.name[:200]}.weft-", dir=target.parent)
        os.close(number)
        try:
            with h5py.File(beside, "w") as file:
                file.create_dataset(name, whole_shape(grid, before, behind), np.lib.format.descr_to_dtype(descr))
        except BaseException:
            os.unlink(beside)
            raise
        return beside

    def put() -> None:
        with h5py.File(beside, "r+") as file:
            file[name][(ALL,) * first + grid.block] = u[placed(grid, u, "")[1]]

    def end() -> None:
        if grid.rank == 0:
            with open(beside, "rb+") as file:
                os.fchmod(file.fileno(), mode_for(target))
                os.fsync(file.fileno())
            os.replace(beside, target)
    beside = on_all(grid, create)[0]
    try:
        in_turn(grid, put)
        on_all(grid, end)
    except BaseException:
        if grid.rank == 0:
            Path(beside).unlink(missing_ok=True)
        raise


def read(grid: Any, path: Any, u: Any, name: str = "u") -> None:
    def get() -> None:
        check_plots("h5py")
        import h5py
        first, inner = placed(grid, u, "read: The array")
        try:
            with h5py.File(path, "r") as file:
                if name not in file:
                    raise InputError(f"{path}: There is no dataset '{name}'. The file has {', '.join(file)}.")
                whole = file[name]
                wanted = whole_shape(grid, u.shape[:first], u.shape[first + grid.dimensions:])
                if whole.shape != wanted or whole.dtype != u.dtype:
                    raise InputError(f"{path}: The dataset '{name}' has the shape {whole.shape} and the type {whole.dtype}, but {wanted} and {u.dtype} "
                                     "are wanted. Give an array of the same grid and type.")
                u[inner] = whole[(ALL,) * first + grid.block]
        except OSError as error:
            raise InputError(f"{path}: This file can't be read ({' '.join(str(error).split())}). Check its name, or write it again.") from error
    on_all(grid, get)
