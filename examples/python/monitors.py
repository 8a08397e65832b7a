# SPDX-License-Identifier: BSD-3-Clause
"""The smallest and the largest value of all ranks, in every 50th step."""
import numpy as np
import weft

cells = np.random.default_rng(weft.rank()).random(1000)


class Range:
    def local(self):
        return cells.min(), cells.max()

    def use(self, value, step):
        if weft.rank() == 0:
            print(f"step {step}: {value[0]:.4f} to {value[1]:.4f}")


manager, monitors = weft.StepManager(), weft.Monitors()
monitors.add(Range(), ["minimum", "maximum"])
monitors.start(manager, every=50)
for _ in range(101):
    cells += (cells.mean() - cells) / 10
    manager.run_step()  # with the clients of the program, if there are any
