# SPDX-License-Identifier: BSD-3-Clause
"""Speed of lbmpy's fastest generated dense D3Q19 TRT kernel on one core, in million lattice updates per second.

    taskset -c 1 python lbmpy_kernel.py [--size 128] [--seconds 10] [--incompressible]

The opponent of `weft bench kernel --sizes 128 --kernels dense`: in-place streaming, the whole box, no OpenMP, same
equilibrium (compressible, populations stored as f - w). All of lbmpy's in-place patterns are measured in turn, each in
two memory layouts. The last line of the standard output is a JSON object with the speed of the fastest for fp64 and for
fp32 and its pattern and layout; all speeds go to the standard error.

Needs lbmpy 2.0, pystencils 2.0 and g++. 32 kernels are generated and compiled, which takes a minute or two.
"""
import argparse
import importlib.metadata
import json
import math
import pathlib
import statistics
import sys
import time

import numpy as np
import pystencils as ps
from lbmpy import LBMConfig, LBMOptimisation, LBStencil, Method, Stencil, create_lb_ast
from lbmpy.advanced_streaming.utility import Timestep, get_accessor, numeric_index, numeric_offsets
from pystencils.alignedarray import aligned_zeros
from pystencils.jit.cpu import CompilerInfo, CpuJit

PATTERNS = ("aa", "esotwist", "esopull", "esopush")  # all in-place patterns of lbmpy
# The order of the axes, outermost first. fzyx is what lbmpy allocates; zfyx is only possible with the caller's own array.
LAYOUTS = ("fzyx", "zfyx")
STEPS = (Timestep.EVEN, Timestep.ODD)
STENCIL = LBStencil(Stencil.D3Q19)
RATE = 1.6  # of the even moments; lbmpy sets the odd one by the magic number 3/16


def instruction_set():
    # Not Target.CurrentCPU: without py-cpuinfo, which pystencils doesn't require, it means a kernel without vectors.
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return next(target for flag, target in (("avx512f", ps.Target.X86_AVX512), ("avx2", ps.Target.X86_AVX), ("sse4_2", ps.Target.X86_SSE))
                if flag in flags)


def allocate(size, dtype, layout):
    """Indices x, y, z, direction. One ghost layer; every row's first inner site is aligned to 64 bytes. NumPy asks for huge
    pages by itself."""
    extents = {"f": STENCIL.Q, "x": size + 2, "y": size + 2, "z": size + 2}
    populations = aligned_zeros([extents[axis] for axis in layout], dtype=dtype, byte_offset=np.dtype(dtype).itemsize, byte_alignment=64)
    return populations.transpose([layout.index(axis) for axis in "xyzf"])


def build(populations, pattern, compressible):
    """The kernels of the even and of the odd step, and where each step reads and writes: (offset, slot) of each direction.

    The extents, the strides and the rates are constants. The flags are pystencils' own (-Ofast -march=native) and prefetching,
    which pays in fp32. pystencils 2.0 ignores its options for aligned and for non-temporal access and refuses split loops; loop
    blocking gains less than zfyx and nothing on top of it.
    """
    compiler = CompilerInfo.get_default(openmp=False, extra_cxxflags=["-fprefetch-loop-arrays"])
    field = ps.Field.create_from_numpy_array("f", populations, index_dimensions=1)
    kernels, reads, writes = [], [], []
    for step in STEPS:
        config = ps.CreateKernelConfig(target=instruction_set(), default_dtype=populations.dtype.name,
                                       jit=CpuJit(compiler, objcache=None))
        config.cpu.vectorize.enable = True
        config.cpu.vectorize.assume_inner_stride_one = True
        lbm = LBMConfig(stencil=STENCIL, method=Method.TRT, relaxation_rate=RATE, compressible=compressible, zero_centered=True,
                        streaming_pattern=pattern, timestep=step)
        optimisation = LBMOptimisation(symbolic_field=field, cse_pdfs=True, cse_global=True)
        kernels.append(create_lb_ast(lbm_config=lbm, lbm_optimisation=optimisation, config=config).compile())
        accessor = get_accessor(pattern, step)
        for places, accesses in ((reads, accessor.read(field, STENCIL)), (writes, accessor.write(field, STENCIL))):
            places.append([(numeric_offsets(a), numeric_index(a)[0]) for a in accesses])
    return kernels, reads, writes


def inner(populations, place):
    """What all inner sites find at a place."""
    (x, y, z), slot = place
    n = populations.shape[0] - 2
    return populations[1 + x:1 + x + n, 1 + y:1 + y + n, 1 + z:1 + z + n, slot]


def exchange(populations, written, read):
    """Periodic boundaries: brings the values that the last step wrote to where the next step reads them."""
    n = populations.shape[0] - 2
    offset_of = {slot: offset for offset, slot in read}
    for at, slot in written:
        span = [slice(1 + a, 1 + a + n) for a in at]
        for axis, (old, new) in enumerate(zip(at, offset_of[slot])):
            for target in range(1 + new, 1 + new + n) if old != new else ():
                if not 1 + old <= target < 1 + old + n:
                    source = target + n if target < 1 + old else target - n
                    to, from_ = ([*span[:axis], slice(i, i + 1), *span[axis + 1:], slot] for i in (target, source))
                    populations[tuple(to)] = populations[tuple(from_)]
            span[axis] = slice(1 + new, 1 + new + n)


def check(populations, kernels, reads, writes):
    """A shear wave in a periodic box: mass is conserved, and the wave decays by the viscosity."""
    n = populations.shape[0] - 2
    wave = 2 * math.pi * max(1, n // 32) / n
    shape = np.cos(wave * np.arange(n))
    u, excess = 0.05 * shape[None, :, None], 0.01  # not 0, so that no population becomes denormal
    for c, w, place in zip(STENCIL, [1 / 3] + [1 / 18] * 6 + [1 / 36] * 12, reads[0]):
        inner(populations, place)[...] = w * (excess + (1 + excess) * (3 * c[0] * u + 4.5 * (c[0] * u) ** 2 - 1.5 * u ** 2))

    def observe():
        profiles = [inner(populations, place).mean(axis=(0, 2), dtype=np.float64) for place in reads[0]]
        return sum(profiles).mean(), 2 * (sum(c[0] * p for c, p in zip(STENCIL, profiles)) * shape).mean()

    observed = [observe()]
    for steps in (20, 20):  # the wave's stress has formed after the first
        for step in range(steps):
            kernels[step % 2](f=populations)
            exchange(populations, writes[step % 2], reads[(step + 1) % 2])
        observed.append(observe())
    (before, _), (_, early), (after, late) = observed
    viscosity = math.log(early / late) / (wave ** 2 * 20) / ((1 / RATE - 1 / 2) / 3)
    assert abs(after - before) < 10 * np.finfo(populations.dtype).eps, f"mass isn't conserved: {before} {after}"
    assert abs(viscosity - 1) < 0.02, f"the viscosity is {viscosity} times the analytic one"
    return viscosity


def batch(populations, kernels, pairs):
    """The time of pairs of steps. Ghost layers aren't updated: what leaves the box returns reversed, as from a wall."""
    populations[...] = 0.001 + 0.00001 * np.arange(STENCIL.Q)
    for repeat in (1, pairs):  # the first warms up
        start = time.perf_counter()
        for _ in range(repeat):
            kernels[0](f=populations)
            kernels[1](f=populations)
    return time.perf_counter() - start


def measure(size, dtype, compressible, seconds):
    """The median speed of each pattern and layout."""
    candidates, times = {}, {}
    for layout in LAYOUTS:
        populations = allocate(size, dtype, layout)
        for pattern in PATTERNS:
            kernels, reads, writes = build(populations, pattern, compressible)
            viscosity = check(populations, kernels, reads, writes)
            print(f"{pattern} {layout}: viscosity / analytic {viscosity:.4f}", file=sys.stderr)
            candidates[f"{pattern} {layout}"], times[f"{pattern} {layout}"] = (populations, kernels), []
    pairs = max(1, round(0.2 / batch(*next(iter(candidates.values())), 1)))
    end, turns = time.perf_counter() + seconds, 0
    while turns < 5 or time.perf_counter() < end:
        turns += 1
        for name, candidate in candidates.items():
            times[name].append(batch(*candidate, pairs))
            assert np.isfinite(candidate[0][1:-1, 1:-1, 1:-1]).all()
    return {name: 2 * pairs * size ** 3 / statistics.median(t) / 1e6 for name, t in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=128, help="edge of the box, in sites")
    parser.add_argument("--seconds", type=float, default=10, help="approximate measuring time of each precision")
    parser.add_argument("--incompressible", action="store_true", help="lbmpy's cheaper default equilibrium, not weft's")
    options = parser.parse_args()
    result = {}
    for name, dtype in (("fp64", np.float64), ("fp32", np.float32)):
        speeds = measure(options.size, dtype, not options.incompressible, options.seconds)
        print(name, instruction_set().name, {candidate: round(speed, 1) for candidate, speed in speeds.items()}, file=sys.stderr)
        fastest = max(speeds, key=speeds.get)
        result |= {name: round(speeds[fastest], 1), f"pattern_{name}": fastest}
    print(json.dumps(result | {name: importlib.metadata.version(name) for name in ("lbmpy", "pystencils")}))


if __name__ == "__main__":
    main()
