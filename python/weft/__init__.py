# SPDX-License-Identifier: BSD-3-Clause
"""Reports of what the weft programs computed: `python -m weft.pictures DIRECTORY`, `python -m weft.report REPORT.json`."""
