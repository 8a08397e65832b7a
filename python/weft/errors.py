# SPDX-License-Identifier: BSD-3-Clause
"""The one exception that a user's input can cause."""


class InputError(Exception):
    """Says in one line what is wrong with the input and what to do."""
