# SPDX-License-Identifier: BSD-3-Clause
"""The base of clients of a step manager."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from weft import Requests, Step

Function = TypeVar("Function", bound=Any)


def _nothing(function: Function) -> Function:
    """Marks a method that does nothing: a step manager does not call it."""
    function._does_nothing = True
    return function


class Client:
    """A module of the program that communicates once per step: the base of clients of a `StepManager`.

    In each round the manager calls `before` of all clients, then `during` of all clients while messages are in flight, and `after` of
    all clients when all messages have arrived; `finish` after the last round. Override what you need. A client need not have this base.

    The computing thread calls all methods, with the GIL held. The manager looks the methods up once, in `add()`."""

    def request(self, requests: Requests) -> None:
        """List the parts that this client sends and receives, and its collectives.

        Called by `StepManager.add()`, and again after `changed()`.

        Parameters
        ----------
        requests : Requests
            Valid only during this call."""
        raise NotImplementedError(f"{type(self).__name__} has no method request(requests). Write one that lists its parts.")

    @_nothing
    def before(self, step: Step) -> None:
        """Compute the data to be sent. weft may overwrite the targets of receives from before this call until `after`.

        Parameters
        ----------
        step : Step"""

    @_nothing
    def during(self, step: Step) -> None:
        """Compute the results that need no data from other ranks; call `step.progress()` now and then."""

    @_nothing
    def after(self, step: Step) -> None:
        """Use the received data."""

    @_nothing
    def finish(self, step: Step) -> None:
        """Called once per step, after the last `after` of all clients that share the exchange."""
