# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a run's output (`python -m weft.pictures DIRECTORY`) and reports of benchmarks (`python -m weft.report REPORT.json`)."""
