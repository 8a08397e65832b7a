# SPDX-License-Identifier: BSD-3-Clause
"""The fastest setting for a halo exchange, found by measuring."""
import weft

grid = weft.CartesianGrid((64, 64, 64), periodic=True)
u = grid.zeros()
halo = weft.Halo(grid, u)


def use(setting):
    global halo
    halo.close()
    options = {name: value for name, value in setting.items() if name != "shared_memory"}
    halo = weft.Halo(grid, u, **options)
    halo.commit()


def iteration():
    with halo.start():
        u[halo.interior()] += 1


tuning = weft.tune("halo 64x64x64", use, iteration, weft.exchange_candidates(), limit_seconds=0.5)
if weft.rank() == 0:
    print(tuning.text)
