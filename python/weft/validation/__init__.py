# SPDX-License-Identifier: BSD-3-Clause
"""Compares flows that `weft flow` computes with known solutions: docs/validation.md."""
from weft.errors import check_plots

check_plots("h5py", "matplotlib")
