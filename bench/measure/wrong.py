# SPDX-License-Identifier: BSD-3-Clause
class Wrong(Exception):
    """An error of the user's input or machine, printed as one line."""
