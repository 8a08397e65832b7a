# SPDX-License-Identifier: BSD-3-Clause
"""The fastest setting for a halo exchange, found by measuring."""
import sys

import weft

grid = weft.CartesianGrid((64, 64, 64), periodic=True)
u = grid.zeros()
halo = None


# [tune]
def use(setting):
    global halo
    if halo is not None:
        halo.close()
    options = {name: value for name, value in setting.items() if name != "shared_memory"}
    halo = weft.Halo(grid, u, **options)
    halo.commit()


def iteration():
    with halo.start():
        u[halo.interior()] += 1


tuning = weft.tune("halo 64x64x64", use, iteration, weft.exchange_candidates(), limit_seconds=0.5,
                   file=sys.argv[1] if len(sys.argv) > 1 else None)
if weft.rank() == 0:
    print(tuning.text)
# [tune end]
