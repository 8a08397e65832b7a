# SPDX-License-Identifier: BSD-3-Clause
"""`python -m weft` is the command `weft`."""
from weft._launcher import main

main()
