"""The core of weft: overlap of MPI communication with computation."""

from collections.abc import Callable, Iterable, Sequence
import os
from typing import Any, Literal, overload

import numpy
import numpy.typing
import weft._device_array


def rank(comm: object | None = None) -> int:
    """
    Return this rank, from 0. Local; the first call of weft initialises MPI if nobody has, which is collective.

    Parameters
    ----------
    comm : communicator of mpi4py, int or None
        None: all ranks.
    """

def size(comm: object | None = None) -> int:
    """
    Return the number of ranks. Local, as ``rank()``.

    Parameters
    ----------
    comm : communicator of mpi4py, int or None
        None: all ranks.
    """

def barrier(comm: object | None = None) -> None:
    """
    Return when all ranks of the communicator have called it.

    Parameters
    ----------
    comm : communicator of mpi4py, int or None
        None: all ranks.
    """

def library() -> str:
    """
    Return the name and version of the MPI library that weft has loaded. Local.
    """

def build_info() -> dict[str, str]:
    """
    Return how weft was built: its version, commit (empty if not from its repository), mpi, compiler and options. Local.
    """

def set_warning_handler(handler: Callable[[str], object] | None) -> None:
    """
    Set what weft does with its warnings, such as that a rank has waited for long. Local.

    A warning has no line end, and may have several lines. What the function raises is reported as unraisable.

    Parameters
    ----------
    handler : function of a str, or None
        Called in the thread that warns, which may be a thread of weft; it must not call weft. None: print to stderr.
    """

class Computing:
    """A span of computation, which ``Timeline.computing()`` returns."""

    def __enter__(self) -> None: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def __repr__(self) -> str: ...

class Timeline:
    """
    Records the activities of this rank, per track (a client, or the exchange as a whole).

    The activities are ``compute``, ``pack``, ``wait``, ``unpack`` and ``in_flight``. For one thread at a time.

    Parameters
    ----------
    keep_spans : bool
        Keep each span for ``write_trace()``, at 24 bytes per span; otherwise only sums.
    """

    def __init__(self, keep_spans: bool = False) -> None: ...

    @property
    def tracks(self) -> list[str]:
        """The names of the tracks."""

    def total_seconds(self, track: str, activity: Literal['compute', 'pack', 'wait', 'unpack', 'in_flight']) -> float:
        """
        Return the sum of an activity since the beginning or ``reset()``, in seconds; 0 for an unknown track.
        """

    def add(self, track: str, activity: Literal['compute', 'pack', 'wait', 'unpack', 'in_flight'], start_seconds: float, finish_seconds: float) -> None:
        """Add a span; times are those of ``now_seconds()``."""

    def computing(self, track: str = 'program') -> Computing:
        """Return a context manager that records its block as computation."""

    def reset(self) -> None:
        """Delete sums and spans, keep the tracks."""

    def write_trace(self, path: str | os.PathLike[str], comm: object | None = None) -> None:
        """
        Write all ranks' spans as a Chrome trace (JSON), which Perfetto opens. Collective.
        """

    def __repr__(self) -> str: ...

def now_seconds() -> float:
    """Return the time of weft's clock, in seconds."""

class OverlapReport:
    """
    How much communication a run overlapped, over all ranks; the same on every rank.

    ``StepManager.report()`` and ``overlap_report()`` make one. ``str(report)`` is a table for a person; a notebook shows it
    as a table. Times are in seconds per step, means over the ranks.
    """

    def as_dict(self) -> dict[str, Any]:
        """
        Return the report as a dictionary, of which ``weft run --report`` says the same as of its own, with the times
        of the whole in ``mean`` and those of each client in ``regions``: docs/formats.md.
        """

    def json(self) -> str:
        """Return the report as a JSON object, as weft's programs write it."""

    def overlap_fraction(self) -> float:
        """
        Return (T_comm + T_comp - T) / min(T_comm, T_comp), limited to 0..1. It needs ``exchange_seconds``.
        """

    @property
    def exchange_seconds(self) -> float:
        """
        T_comm: a step's exchange without computation (``StepManager.measure_alone()``), in seconds.
        """

    @exchange_seconds.setter
    def exchange_seconds(self, arg: float, /) -> None: ...

    @property
    def step_seconds(self) -> float:
        """T: of the slowest rank, per step, in seconds."""

    @property
    def computation_seconds(self) -> float:
        """T_comp: of the slowest rank, per step, in seconds."""

    @property
    def ranks(self) -> int:
        """The number of ranks."""

    @property
    def steps(self) -> int:
        """The number of steps that were counted."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def overlap_report(timeline: Timeline, steps: int, clients: Sequence[str], comm: object | None = None) -> OverlapReport:
    """
    Return the report of a program without a ``StepManager``: times that exchanges and computation recorded.

    Collective.

    Parameters
    ----------
    timeline : Timeline
        Of this rank.
    steps : int
        The number of steps in which it recorded; 1: a whole run.
    clients : sequence of str
        The names of the tracks to report, the same on all ranks.
    comm : communicator of mpi4py, int or None
    """

class TestQueue:
    """
    A queue (stream) of a ``TestDevice``: its work runs in order, and late.
    """

    @property
    def ptr(self) -> int:
        """Its handle, as of a stream of CuPy."""

    def __repr__(self) -> str: ...

class TestDevice:
    """
    A device for tests, on any machine with Linux.

    It does late and in an unusual order what a GPU may do so: a forgotten stream gives wrong values in each run, and not
    once a month. Nobody can read the arrays outside of its kernels: the process ends, with a sentence.

    Parameters
    ----------
    seed : int
        Of the order of work of different queues.
    threads : int
        Threads that run the work. 0: only calls of the program do, such as a wait, in an order that depends on the seed
        and the calls alone.

    Examples
    --------
    >>> device = weft.TestDevice(seed=1)
    >>> queue, u = device.queue(), device.array((8, 8))
    >>> device.launch(queue, lambda u: u.fill(1), u)    # runs later, with a numpy array
    >>> with halo.start(u, stream=queue):
    ...     ...
    >>> device.synchronize(queue)
    """

    def __init__(self, *, seed: int = 1, threads: int = 0) -> None: ...

    def queue(self) -> TestQueue:
        """Return a new queue, whose work is independent of all others."""

    def array(self, shape: int | Sequence[int], dtype: object = 'float64', *, order: Literal['C', 'F'] = 'C') -> weft._device_array.DeviceArray:
        """
        Return an array of zeros in memory of this device, with ``__cuda_array_interface__``. Slices such as
        ``u[1:-1]`` share its memory.
        """

    def inside(self, array: weft._device_array.DeviceArray) -> numpy.typing.NDArray[Any]:
        """
        Return a numpy array of the same memory, for functions that ``launch()`` has queued, or after ``synchronize()``.
        """

    def launch(self, queue: TestQueue, function: Callable[..., object], *arguments: object) -> None:
        """
        Queue ``function(*arguments)``, which runs once, later, in any thread. It gets numpy arrays in place of
        arrays of this device, and must not wait for the device.
        """

    def synchronize(self, queue: TestQueue | None = None) -> None:
        """
        Wait until all work is done that is now in the queue; None: in any queue, which weft never does.
        """

    @property
    def problem(self) -> str:
        """
        What is wrong, such as an exception of a function; empty: nothing so far.
        """

    @property
    def whole_device_waits(self) -> int:
        """How often ``synchronize()`` has waited for all queues."""

    def __repr__(self) -> str: ...

class Progress:
    """
    Makes MPI progress for any number of exchanges, with one set of threads.

    Parameters
    ----------
    kind : str
        ``passive`` (no progress calls), ``polling`` (the computing thread, in ``progress()``), ``thread`` (one progress
        thread) or ``send_receive_threads`` (a sending and a receiving thread). Progress threads never touch Python, and run
        while the interpreter computes.
    interval_seconds : float
        Of ``polling``: the smallest time between two tests of an exchange, in seconds.
    threads : int
        Of ``send_receive_threads``: with 1, one thread does both sides.
    pin : sequence of int
        The core of each progress thread, in rotation; empty: the system places the threads.
    comm : communicator of mpi4py, int or None
        It only determines whether threads are allowed. Collective over it at its first use.

    Raises
    ------
    Error
        If MPI was initialised without ``MPI_THREAD_MULTIPLE`` and a thread is requested, or a core does not exist.
    """

    def __init__(self, kind: Literal['passive', 'polling', 'thread', 'send_receive_threads'] = 'polling', *, interval_seconds: float = 5e-05, threads: int = 2, pin: Sequence[int] = (), comm: object | None = None) -> None: ...

    @property
    def kind(self) -> Literal['passive', 'polling', 'thread', 'send_receive_threads']:
        """The progress mode, as a name."""

    def __repr__(self) -> str: ...

class SendPart:
    """The handle of a send: it is marked ready in each start."""

    @property
    def client(self) -> int:
        """The number of its client."""

    @property
    def index(self) -> int:
        """Its position in the client's list."""

    def __repr__(self) -> str: ...

class ReceivePart:
    """The handle of a receive: with deferred unpacking it must be accepted."""

    @property
    def client(self) -> int:
        """The number of its client."""

    @property
    def index(self) -> int:
        """Its position in the client's list."""

    def __repr__(self) -> str: ...

class CollectivePart:
    """
    The handle of a collective: it is marked ready when its input is complete.
    """

    @property
    def client(self) -> int:
        """The number of its client."""

    @property
    def index(self) -> int:
        """Its position in the client's list."""

    def __repr__(self) -> str: ...

class Requests:
    """
    The list of a client's communication in a start or a step, round by round.

    ``Exchange.client()`` returns one, and a client of a ``StepManager`` gets one in ``request()``. Nothing can be added
    after ``commit()``.

    Arrays are used in place, without a copy, and kept alive as long as the list. An array is anything with the buffer
    protocol, ``__array_interface__``, ``__cuda_array_interface__`` or DLPack, of any dtype (a structured dtype is sent as its bytes), any shape and any
    positive strides, so also a part of a larger array such as ``u[1:-1, 0]``. Both ends must have the same number of bytes
    and the same dtype, whatever their shapes; bytes (``uint8``) agree with every dtype.
    """

    @overload
    def send(self, peer: int, key: int, array: object, *, round: int = 0, order: Literal['C', 'F'] = 'C', like: object | None = None) -> SendPart: ...
    @overload
    def send(self, peer: int | None, key: int, array: object, *, round: int = 0, order: Literal['C', 'F'] = 'C', like: object | None = None) -> SendPart | None:
        """
        Add a send.

        Parameters
        ----------
        peer : int or None
            The rank that receives it; it may be this rank. None, as ``grid.neighbour()`` returns beyond the edge: nothing is
            sent, and the result is None, which ``ready()`` ignores.
        key : int
            The client's number for the part, the same on both ends.
        array : array, tuple of arrays, or int
            The data. Several arrays of the same size: ``start(buffer_index)`` selects one (double buffering). A number of
            bytes: the address is set later, by ``rebind()`` or ``ready()``.
        round : int
            The round in which it is sent.
        order : {'C', 'F'}
            The order of the elements in the message: last axis fastest, or first axis fastest. The same on both ends.
        like : array, optional
            With a number of bytes: an array in memory of the device in which the data will be.

        Returns
        -------
        SendPart or None

        Raises
        ------
        InputError
            If an axis is reversed (a negative stride).
        TypeError
            If it is no array.
        """

    @overload
    def receive(self, peer: int, key: int, array: object, *, round: int = 0, order: Literal['C', 'F'] = 'C', combine: Literal['sum', 'minimum', 'maximum'] | None = None, in_any_order: bool = False, like: object | None = None) -> ReceivePart: ...
    @overload
    def receive(self, peer: int | None, key: int, array: object, *, round: int = 0, order: Literal['C', 'F'] = 'C', combine: Literal['sum', 'minimum', 'maximum'] | None = None, in_any_order: bool = False, like: object | None = None) -> ReceivePart | None:
        """
        Add a receive. weft may overwrite the array from ``start()`` until its round was waited for.

        The other parameters are those of ``send()``; ``peer`` is the rank that sends it.

        Parameters
        ----------
        combine : {'sum', 'minimum', 'maximum'} or None
            How the received data are combined with the array's values, such as added; None: they replace them. Receives that
            combine may share memory.
        in_any_order : bool
            Whether they may be combined as they arrive. Otherwise in the order of rounds, peers, clients and keys, so that sums
            have the same bits in every run.

        Returns
        -------
        ReceivePart

        Raises
        ------
        InputError
            If elements of this type can't be combined.
        TypeError
            If the array is read-only.
        """

    @overload
    def send_up_to(self, peer: int, key: int, array: object, *, round: int = 0) -> SendPart: ...
    @overload
    def send_up_to(self, peer: int | None, key: int, array: object, *, round: int = 0) -> SendPart | None:
        """
        Add a send of up to n bytes, where n is the size of the contiguous array. ``ready(part, n_bytes)`` chooses
        the size in each start.

        Returns
        -------
        SendPart
        """

    @overload
    def receive_up_to(self, peer: int, key: int, array: object, *, round: int = 0) -> ReceivePart: ...
    @overload
    def receive_up_to(self, peer: int | None, key: int, array: object, *, round: int = 0) -> ReceivePart | None:
        """
        Add the receive for a ``send_up_to()``, with the same size. ``received_bytes(part)`` is the number of bytes
        that came; the rest of the array is unchanged. With a number of bytes instead of an array,
        ``take_received(part)`` returns the data.

        Returns
        -------
        ReceivePart
        """

    def all_reduce(self, data: object, result: object, operation: Literal['sum', 'minimum', 'maximum'] = 'sum', *, round: int = 0) -> CollectivePart:
        """
        Add ``result[i] = operation over all ranks of data[i]``, on every rank.

        Parameters
        ----------
        data, result : array
            Contiguous, of one dtype (integers, float32, float64, complex), not overlapping.
        operation : {'sum', 'minimum', 'maximum'}
            A NaN on any rank gives NaN, as in numpy.
        round : int

        Returns
        -------
        CollectivePart
        """

    def reduce(self, root: int, data: object, result: object | None, operation: Literal['sum', 'minimum', 'maximum'] = 'sum', *, round: int = 0) -> CollectivePart:
        """
        As ``all_reduce()``, on the root only. Elsewhere ``result`` may be None.
        """

    def broadcast(self, root: int, data: object, *, round: int = 0) -> CollectivePart:
        """
        Send the root's contiguous array to every rank's.

        Returns
        -------
        CollectivePart
        """

    def gather(self, root: int, data: object, result: object | None, counts: Sequence[int] | None = None, *, round: int = 0) -> CollectivePart:
        """
        Gather ``counts[r]`` elements of each rank r on the root, in the order of ranks; None: as many as here of
        every rank. Elsewhere ``result`` may be None.

        Returns
        -------
        CollectivePart
        """

    def all_gather(self, data: object, result: object, counts: Sequence[int] | None = None, *, round: int = 0) -> CollectivePart:
        """
        Gather ``counts[r]`` elements of each rank r on every rank, in the order of ranks; None: as many as here of
        every rank.

        Returns
        -------
        CollectivePart
        """

    def all_to_all(self, data: object, result: object, counts: Sequence[int] | None = None, result_counts: Sequence[int] | None = None, *, round: int = 0) -> CollectivePart:
        """
        Send ``counts[r]`` elements to each rank r and receive ``result_counts[r]`` from it, in the order of ranks;
        None: the same number for every rank, of which the array must have a multiple. Both arrays have one dtype.

        Returns
        -------
        CollectivePart
        """

    def barrier(self, *, round: int = 0) -> CollectivePart:
        """Add a barrier, complete when every rank has marked it ready."""

    @property
    def rounds(self) -> int:
        """The number of rounds, at least 1."""

    def __len__(self) -> int: ...

    def __repr__(self) -> str: ...

class StartedExchange:
    """
    The handle of one start of an exchange, until the last round was waited for.

    Use it in a ``with`` statement, which waits at its end. If an exception leaves the block, the exchange fails on all
    ranks, as by ``fail()``. A handle that is dropped is waited for if all its sends are ready; otherwise the exchange
    fails. The handle keeps the exchange and its arrays alive.

    One thread at a time may call it; a second thread gets an ``Error``.
    """

    @overload
    def ready(self, part: SendPart, *, stream: object | None = None) -> None:
        """
        Mark a send or a collective ready: its data are complete, and must not change until its round was waited
        for.

        Parameters
        ----------
        part : SendPart or CollectivePart
        n_bytes : int, optional
            Of a part of up to n bytes: how many are sent.
        array : array, optional
            Of a part whose address may change: its data in this start.
        stream : stream, optional
            Of a part in memory of a device: it leaves when what the stream holds now is done. None: the stream that the array
            names (CuPy: its current one) and that of ``start()``.

        Raises
        ------
        Error
            If the part is ready already, or of another exchange, or on a device without a stream.
        """

    @overload
    def ready(self, part: CollectivePart) -> None: ...

    @overload
    def ready(self, part: SendPart, n_bytes: int) -> None: ...

    @overload
    def ready(self, part: SendPart, array: object, *, stream: object | None = None) -> None: ...

    @overload
    def ready(self, part: None, *, stream: object | None = None) -> None:
        """A part without a peer: nothing to send."""

    def ready_all(self, client: int = 0, round: int = 0) -> None:
        """
        Mark every send and collective of one client (its number) and round ready that is not ready yet.
        """

    def accept(self, part: ReceivePart, *, stream: object | None = None) -> None:
        """
        With ``defer_unpacking``: permit unpacking, as the program no longer reads the part's array; on a device, after what the stream holds now.
        """

    def accept_all(self, client: int = 0, round: int = 0) -> None:
        """Accept every part of one client and round that is not accepted yet."""

    def progress(self) -> None:
        """
        Make MPI progress, if progress is ``polling`` and a call is due. Call it now and then while computing.
        """

    def arrived(self, part: ReceivePart) -> bool:
        """
        Return whether the part was received and unpacked. It makes no MPI progress.
        """

    def test(self) -> bool:
        """Make MPI progress, and return whether ``wait()`` would return at once."""

    def wait(self, round: int | None = None, *, stream: object | None = None) -> None:
        """
        Wait for one round, or for all that are left, without the GIL.

        Parameters
        ----------
        round : int, optional
        stream : stream, optional
            The stream, not the host, waits until data in memory of a device are unpacked.

        Raises
        ------
        Error
            If a part of the round is not ready, instead of waiting for ever; or if the time-out
            (``WEFT_GIVE_UP_SECONDS``, 600 s) is over.
        PeerError
            If another rank has failed; it names that rank, and its error.
        """

    def fail(self, why: str) -> None:
        """As ``Exchange.fail()``, unless the start is over."""

    @property
    def has_failed(self) -> bool:
        """As ``Exchange.has_failed``."""

    @property
    def is_over(self) -> bool:
        """Whether all rounds were waited for."""

    def __enter__(self) -> StartedExchange: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def __repr__(self) -> str: ...

class Exchange:
    """
    A persistent communication pattern: parts and collectives, committed once, started many times.

    A part is one array that is sent to, or received from, one rank, its peer. All parts that go to the same rank share
    messages, and all share one wait per round.

    Parameters
    ----------
    comm : communicator of mpi4py, int or None
        The ranks; an integer is the handle of ``MPI_Comm_c2f``. None: all ranks. MPI is initialised if nobody has.
    progress : str or Progress
        ``passive``, ``polling``, ``thread`` or ``send_receive_threads``; or a ``Progress`` that several exchanges share.
    grouping : {'per_peer', 'per_part', 'by_size', 'per_node'}
        Which parts share a message.
    carrier : {'messages', 'synchronous', 'datatypes', 'partitioned'}
        The MPI mechanism of messages.
    shared_memory : bool
        Ranks of one node exchange messages through shared memory, without MPI.
    defer_unpacking : bool
        A received part is unpacked only after ``accept()``.
    packed_limit_bytes, by_size_bytes, piece_bytes : int
        Sizes of messages, in bytes; 0 (None for ``piece_bytes``): chosen by weft.
    most_requests : int
        The largest number of messages that are active at a time; 0: no limit. With many thousands MPI becomes slow.
    watchdog_seconds : float
        A wait that lasts longer prints the missing parts, and continues; 0: never.
    interval_seconds, threads, pin
        As for ``Progress``, if ``progress`` is a name.
    timeline : Timeline, optional
        Records what the exchange does.

    Raises
    ------
    Error
        If MPI lacks an ability that the options need.
    InputError
        If a name is unknown; the message lists the names.

    Notes
    -----
    A failure is final: after an exception in a started block, or of MPI, the exchange has failed on all ranks. Ranks that
    wait for it get a ``PeerError``. When the failing call ends, the arrays may be changed and freed; what was to be
    received is undefined. Each later call raises the same sentence. To go on, make a new exchange.

    Construction, ``commit()`` and ``close()`` are collective. Results never depend on the options. Grouping, carrier and
    ``shared_memory`` must be the same on all ranks. One thread at a time may call an exchange; waiting, progress, commit
    and start release the GIL, and progress threads never touch Python.

    Examples
    --------
    >>> exchange = weft.Exchange()
    >>> heat = exchange.client("heat")
    >>> out = heat.send(right, 1, u[-2])      # a row of a numpy array
    >>> heat.receive(left, 1, u[0])
    >>> exchange.commit()
    >>> with exchange.start() as messages:    # posts all receives
    ...     messages.ready(out)
    ...     compute_interior()                # messages.progress() now and then
    >>> compute_boundary()                    # all data have arrived
    """

    def __init__(self, comm: Any = None, *, progress: Literal['passive', 'polling', 'thread', 'send_receive_threads'] | Progress = 'polling', grouping: Literal['per_peer', 'per_part', 'by_size', 'per_node'] = 'per_peer', carrier: Literal['messages', 'synchronous', 'datatypes', 'partitioned'] = 'messages', shared_memory: bool = False, defer_unpacking: bool = False, packed_limit_bytes: int = 0, by_size_bytes: int = 0, piece_bytes: int | None = None, most_requests: int = 0, watchdog_seconds: float = 0, interval_seconds: float = 5e-05, threads: int = 2, pin: Sequence[int] = (), timeline: Timeline | None = None, compares_buffer_indices: bool = True) -> None: ...

    def client(self, name: str) -> Requests:
        """
        Add a client (a module of the program), and return its list.

        Parameters
        ----------
        name : str
            Unique in the exchange, and the same on all ranks.

        Returns
        -------
        Requests
        """

    def commit(self) -> None:
        """
        Compare both ends of every part and prepare all messages. Collective.

        Raises
        ------
        Error
            On every rank, if two ends don't agree; it names client, key, ranks and sizes.
        """

    def start(self, buffer_index: int = 0, *, stream: object | None = None) -> StartedExchange:
        """
        Post all receives, and return the handle of this start; no part is ready yet.

        Parameters
        ----------
        buffer_index : int
            Selects the array of each part that has several. The same on all ranks.
        stream : stream, optional
            Of CuPy, PyTorch, Numba, an object with ``__cuda_stream__``, or an integer. Arrays in memory of a device are sent
            and overwritten after what it holds; at the end of a ``with`` block, it waits for what arrived. None: the stream
            that an array names (CuPy: its current one), and the host waits.

        Returns
        -------
        StartedExchange

        Raises
        ------
        Error
            If the exchange was not committed, or the last start was not waited for.
        """

    def rebind(self, part: SendPart | ReceivePart, array: Any) -> None:
        """
        Set the array of a part that was listed with a number of bytes, from the next start on. Not collective.
        """

    def received_bytes(self, part: ReceivePart) -> int:
        """
        Return the number of bytes that were received for a part in the last start.
        """

    def take_received(self, part: ReceivePart) -> numpy.typing.NDArray[numpy.uint8]:
        """
        Return the data of a ``receive_up_to()`` that was listed with a number of bytes, as a numpy array of uint8
        that owns them. A second call after the same start returns an empty array.
        """

    def sent_bytes(self, part: SendPart) -> int:
        """
        Return the number of bytes sent for a part in the last start; 0 before the first.
        """

    def fail(self, why: str) -> None:
        """
        This rank fails: an error of the program keeps it from completing what it has started.

        All ranks learn it, wherever they wait in the exchange: they get a ``PeerError`` that names this rank and ``why``. It
        returns when MPI uses no array any more. Nothing happens if the exchange has failed already.

        Parameters
        ----------
        why : str
            The error, such as ``"ValueError: on purpose"``.
        """

    def close(self) -> None:
        """
        Destroy the exchange now: end a start that is under way, and release all arrays. Collective. It may be
        called twice. Without it, this happens with the last reference, or when the interpreter ends.
        """

    def describe(self) -> str:
        """Return a text for the user: neighbours, messages, parts, bytes."""

    @property
    def starts(self) -> int:
        """How often the exchange was started."""

    @property
    def polls(self) -> int:
        """How often ``progress()`` was called."""

    @property
    def buffer_count(self) -> int:
        """The number of arrays of the parts that have several; otherwise 1."""

    @property
    def rounds(self) -> int:
        """The number of rounds; after ``commit()``."""

    @property
    def messages(self) -> list[dict[str, int]]:
        """
        The messages of this rank, after ``commit()``: a list of dictionaries with send, peer, round, bytes, pieces
        and parts (their number).
        """

    @property
    def has_failed(self) -> bool:
        """
        Whether the exchange has failed on some rank, as far as this rank knows.
        """

    def __enter__(self) -> Exchange: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def __repr__(self) -> str: ...

class CartesianGrid:
    """
    A grid of points, distributed in blocks over a grid of ranks.

    Rank (i, j, k) of PX x PY x PZ owns the points [i * NX / PX, (i + 1) * NX / PX) along x, and so on.

    Parameters
    ----------
    extent : sequence of int
        Points along each axis; one to three axes.
    processes : sequence of int or str, optional
        Ranks along each axis, such as ``(4, 2)`` or ``4x2``; 0, or left out: chosen for the least surface between blocks.
    periodic : bool or sequence of bool
        Whether the last point's neighbour is the first, for all axes or for each.
    lengths : sequence of sequences of int, optional
        The lengths of the blocks along each axis, one per rank, for a program with its own decomposition.
    rank_order : {'row_major', 'by_node'} or sequence of int
        Which rank has which position in the grid of ranks: in the order of their numbers, the ranks of a node side by side
        (collective), or the rank at each position.
    comm : communicator of mpi4py, int or None
        The ranks. None: all. Collective over it at its first use.

    Raises
    ------
    Error
        If there are not one to three axes, or the ranks can't be arranged so that each owns a point.
    """

    def __init__(self, extent: Sequence[int], *, processes: Sequence[int] | str = (), periodic: bool | Sequence[bool] = False, lengths: Sequence[Sequence[int]] = (), rank_order: Literal['row_major', 'by_node'] | Sequence[int] = 'row_major', comm: object | None = None) -> None: ...

    @staticmethod
    def candidates(extent: Sequence[int], *, processes: Sequence[int] | str = (), periodic: bool | Sequence[bool] = False, lengths: Sequence[Sequence[int]] = (), width: int = 1, most: int = 8, comm: object | None = None) -> list[dict[str, str]]:
        """
        Return candidates for ``Tuning``: settings of ``processes`` and ``rank_order``, which a CartesianGrid takes as
        keywords. Collective.

        Parameters
        ----------
        extent, processes, periodic, lengths, comm
            As for a CartesianGrid.
        width : int
            The least points of a block along axes with neighbours.
        most : int
            The largest number of process grids. The first is the usual one; the others send the fewest points, at most twice as
            many.

        Returns
        -------
        list of dict of str
        """

    @property
    def dimensions(self) -> int:
        """The number of axes, 1 to 3."""

    @property
    def extent(self) -> tuple:
        """Points of the whole grid along each axis."""

    @property
    def processes(self) -> tuple:
        """Ranks along each axis."""

    @property
    def coordinates(self) -> tuple:
        """The position of this rank in the grid of ranks."""

    @property
    def rank(self) -> int:
        """This rank."""

    @property
    def shape(self) -> tuple:
        """Points of this rank's block along each axis, without ghost points."""

    @property
    def block(self) -> tuple:
        """This rank's points as slices of the whole grid."""

    def neighbour(self, direction: Sequence[int]) -> int | None:
        """
        Return the rank that owns the block in this direction (-1, 0 or 1 along each axis), perhaps this rank; None
        beyond the edge of the grid.
        """

    def at_edge(self, axis: int, side: int) -> bool:
        """
        Return whether this rank's block ends at an edge of the grid, so that the ghost points there belong to the
        program: weft never writes them. False along a periodic axis.

        Parameters
        ----------
        axis : int
        side : {-1, 1}
            Before the first points of the block, or behind the last.
        """

    def gather(self, array: numpy.typing.NDArray[Any], root: int = 0) -> numpy.typing.NDArray[Any] | None:
        """
        Return the whole array on one rank. Collective.

        Parameters
        ----------
        array : array
            Of this rank's block, with any number of ghost points (which are left out) and components, as for ``Halo``.
        root : int
            The rank that gets it.

        Returns
        -------
        array or None
            Of the shape ``extent``, and components; None on other ranks.

        Raises
        ------
        InputError
            If the array does not fit the block, or differs between ranks in type or components.
        """

    def scatter(self, whole: numpy.typing.NDArray[Any] | None, root: int = 0, *, width: int = 1) -> numpy.typing.NDArray[Any]:
        """
        Return this rank's block of a whole array that one rank has, with ghost points of zero. Collective.

        Parameters
        ----------
        whole : array or None
            On the root: of the shape ``extent``, with components behind or before. Ignored on other ranks.
        root : int
            The rank that has it.
        width : int
            Ghost points on each side.

        Raises
        ------
        InputError
            On all ranks, if the array is not of the grid.
        """

    def write(self, path: str | os.PathLike[str], array: numpy.typing.NDArray[Any], name: str = 'u') -> None:
        """
        Write a distributed array into an HDF5 file, as one dataset of the shape ``extent`` and components. Collective.

        The ranks write one after the other, into a file beside that replaces ``path`` when it is complete; no rank needs memory
        for the whole. Needs h5py, as the extra ``weft-mpi[plots]`` installs it, and a file system that all ranks see.

        Parameters
        ----------
        path : str or path
        array : array
            As for ``gather()``.
        name : str
            Of the dataset.

        Raises
        ------
        InputError
            If the array does not fit the block, or the file can't be written.
        """

    def read(self, path: str | os.PathLike[str], array: numpy.typing.NDArray[Any], name: str = 'u') -> None:
        """
        Read this rank's block of a dataset of the grid into an array; its ghost points stay. Collective.

        The file may be of another number of ranks. Parameters and errors are those of ``write()``.
        """

    def zeros(self, dtype: object = 'float64', *, width: int = 1, components: int | Sequence[int] = ()) -> numpy.typing.NDArray[Any]:
        """
        Return a numpy array of zeros for this rank's block.

        Parameters
        ----------
        dtype : numpy dtype
        width : int
            Ghost points on each side.
        components : int or sequence of int
            Further axes behind those of the grid; 3 is as [3].
        """

    def __repr__(self) -> str: ...

class Halo:
    """
    The halo (ghost-point) exchange of arrays on a block-decomposed Cartesian grid.

    Parameters
    ----------
    grid : CartesianGrid
    *fields : array, or tuple of arrays
        Arrays of the shape of this rank's block with at least ``width * steps`` ghost points on each side along every axis of the
        grid. Further axes behind (or before) are components, such as ``(nx + 2, ny + 2, 9)``. If several axes
        fit, those with exactly so many ghost points are taken, or else the first ones; with components before that fit
        as well, give ``u[None]``. Any dtype, order and positive strides; the arrays are used in place and kept alive. A
        tuple of arrays is one field that the program swaps: ``start(u)`` gets the one to exchange.
    width : int
        Ghost points on each side that a step reads. ``width * steps`` is at most the shortest block along an axis with
        neighbours.
    steps : int
        Steps for which one exchange suffices: it fills ``width * steps`` ghost points, and the program computes
        ``sub_step()``. Above 1 all values of all ghost points are sent, whatever the stencil.
    scheme : {'direct', 'by_dimension'}
        All neighbours at once (edges and corners too), or one axis per round.
    payload : {'whole', 'directions', 'reduced'}
        All components of all ghost points; all to ranks that read some; only those that are read.
    flow : {'fill', 'reverse'}
        Ghost points get the values of their owners, or owners get the values that the computation wrote into ghost points.
    velocities : sequence of tuple of int
        Of a lattice-Boltzmann scheme, one per component: component c of point p is used at ``p + velocities[c]``. Needed by
        ``reduced``, and by ``reverse`` without ``combine``: this sends component c of the ghost points p whose
        ``p + velocities[c]`` is in the block. So a program that pushes component c by v gives ``-v``.
    combine : {'sum', 'minimum', 'maximum'} or None
        With ``reverse``, instead of velocities: owners combine the values of all ghost points with their own, such as add
        them. In an order that is the same in every run.
    stencil : {'box', 'star'}
        What the computation of a point reads: all points around it, or only those along the axes (the 5 points of a
        Laplacian in two dimensions, the 7 in three). A star sends nothing across edges and corners.
    **options
        As for ``Exchange``: progress, carrier, shared_memory, timeline and so on.

    Raises
    ------
    InputError
        If an array has the wrong shape, or an axis is reversed.
    Error
        If the width is too large, or ranks give different fields.

    Notes
    -----
    Construction, ``commit()``, the first ``start()`` and ``close()`` are collective. Between ``start()`` and ``finish()``
    the program must not change the points within ``width * steps`` of a neighbour, nor read ghost points. One thread at a time may
    call it. A failure is final, as of an ``Exchange``: to go on, make a new halo.

    Examples
    --------
    >>> grid = weft.CartesianGrid((64, 64, 64), periodic=True)
    >>> u = grid.zeros(width=1)
    >>> halo = weft.Halo(grid, u)
    >>> with halo.start():           # sends the block's outer points
    ...     compute(u, halo.interior())
    >>> for box in halo.boundary():  # all ghost points are filled
    ...     compute(u, box)
    """

    def __init__(self, grid: CartesianGrid, *fields: Any, width: int = 1, steps: int = 1, scheme: Literal['direct', 'by_dimension'] = 'direct', payload: Literal['whole', 'directions', 'reduced'] = 'whole', flow: Literal['fill', 'reverse'] = 'fill', velocities: Sequence[Sequence[int]] = (), combine: Literal['sum', 'minimum', 'maximum'] | None = None, stencil: Literal['box', 'star'] = 'box', progress: Literal['passive', 'polling', 'thread', 'send_receive_threads'] | Progress = 'polling', grouping: Literal['per_peer', 'per_part', 'by_size', 'per_node'] = 'per_peer', carrier: Literal['messages', 'synchronous', 'datatypes', 'partitioned'] = 'messages', shared_memory: bool = False, defer_unpacking: bool = False, packed_limit_bytes: int = 0, by_size_bytes: int = 0, piece_bytes: int | None = None, most_requests: int = 0, watchdog_seconds: float = 0, interval_seconds: float = 5e-05, threads: int = 2, pin: Sequence[int] = (), timeline: Timeline | None = None) -> None: ...

    def commit(self) -> None:
        """
        Make the halo's own exchange. Collective. The first ``start()`` does it otherwise.
        """

    @overload
    def start(self, buffer_index: int = 0, *, stream: object | None = None) -> Halo: ...

    @overload
    def start(self, *arrays: Any, stream: object | None = None) -> Halo:
        """
        Send the points that the neighbours need, and receive into the ghost points from now on.

        Parameters
        ----------
        *arrays : array
            Of each field that has several arrays the one to exchange, so that a program may swap them (``u, v = v, u``). The
            same on all ranks. Arrays of other fields may be given, too.
        buffer_index : int
            Instead of arrays: their number in the fields' tuples, modulo the number of arrays.
        stream : stream, optional
            Of arrays in memory of a device, as for ``Exchange.start()``.

        Raises
        ------
        InputError
            If the halo does not have an array. It has then failed on all ranks.

        Returns
        -------
        Halo
            The halo itself: ``with halo.start():`` finishes at the end of the block, and fails on all ranks if an exception
            leaves it.
        """

    def progress(self) -> None:
        """As ``StartedExchange.progress()``."""

    def test(self) -> bool:
        """
        Make MPI progress, and return whether ``finish()`` would return at once. With several rounds: only whether
        nothing is in flight.
        """

    def finish(self, *, stream: object | None = None) -> None:
        """
        Wait until all values have arrived, without the GIL; with a stream, it waits for those of a device.
        """

    def fail(self, why: str) -> None:
        """As ``Exchange.fail()``."""

    @property
    def has_failed(self) -> bool:
        """As ``Exchange.has_failed``."""

    @property
    def is_active(self) -> bool:
        """Whether a start was not finished yet."""

    def close(self) -> None:
        """Destroy the exchange now, and release the arrays from it. Collective."""

    def __enter__(self) -> Halo: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def request(self, requests: Requests) -> None:
        """
        List the parts of the halo in another list, such as that of a client of a ``StepManager``, instead of in an
        exchange of its own.

        Parameters
        ----------
        requests : Requests
        """

    def interior(self, field: int = 0) -> tuple:
        """
        Return the points that need no ghost point of a neighbour, as slices of the field's array.
        """

    def boundary(self, field: int = 0) -> list:
        """
        Return the other points of the block, as a list of slices: disjoint boxes.
        """

    def sub_step(self, k: int, field: int = 0) -> tuple[tuple[slice, ...], tuple[slice, ...], list[tuple[slice, ...]]]:
        """
        Return the points to compute in sub-step ``k``, if ``steps`` of them share an exchange: the block and, next to
        neighbours, ``(steps - 1 - k) * width`` layers of ghost points. Beyond an edge that is not periodic the values are the
        program's, also beside these ghost points.

        Parameters
        ----------
        k : int
            From 0 up to ``steps - 1``. Exchange before sub-step 0.

        Returns
        -------
        points, interior : tuple of slice
            All points; those that need no ghost point.
        boundary : list of tuple of slice
            The other points: disjoint boxes.
        """

    def block(self, field: int = 0) -> tuple:
        """Return the block without ghost points, as slices of the field's array."""

    @property
    def rounds(self) -> int:
        """
        The number of rounds: 1; for ``by_dimension`` the number of axes with neighbours.
        """

    def describe(self) -> str:
        """
        Return a text for the user: process grid, block, neighbours, parts, bytes and messages.
        """

    def __repr__(self) -> str: ...

class Graph:
    """
    Who sends what to whom, from global numbers.

    Each rank names the numbers that it owns, and those of which it wants copies: in any order and distribution, with any
    gaps. ``to_copies()`` and ``to_owners()`` list the parts of an exchange.

    Parameters
    ----------
    owned, wanted : array of int
        Numbers from 0 to 2**64 - 1. Each has one owner; ``wanted`` may repeat numbers, and hold own ones.
    comm : communicator of mpi4py, int or None
        The ranks; None: all ranks.

    Raises
    ------
    Error
        On all ranks, if nobody owns a wanted number, or if a number is owned twice; it names number and ranks.
    InputError
        If the numbers are no integers, or negative.

    Notes
    -----
    Construction is collective. No rank holds all numbers.

    Examples
    --------
    >>> graph = weft.Graph(owned, wanted)
    >>> exchange = weft.Exchange()
    >>> graph.to_copies(exchange.client("u"), 1, u, u_copies)   # u_copies[j]: the owner's value of wanted[j]
    >>> exchange.commit()
    >>> with exchange.start() as messages:
    ...     messages.ready_all()
    """

    def __init__(self, owned: numpy.typing.ArrayLike, wanted: numpy.typing.ArrayLike, comm: Any = None) -> None: ...

    def to_copies(self, requests: Requests, key: int, owned: object, copies: object, *, round: int = 0) -> tuple[list[SendPart], list[ReceivePart]]:
        """
        List the parts that send values from owners to copies.

        Parameters
        ----------
        requests : Requests
            Of an exchange or a step manager with the same communicator.
        key : int
            The client's number for these parts, the same on all ranks.
        owned, copies : array
            A value per owned number, and one per wanted number; a second axis holds components. The memory order of ``copies``
            is the same on all ranks.
        round : int
            The round in which they are sent.

        Returns
        -------
        tuple
            The sends by ``readers``, and the receives by ``owners``.
        """

    def to_owners(self, requests: Requests, key: int, copies: object, owned: object, combine: Literal['sum', 'minimum', 'maximum'] | None = 'sum', *, in_any_order: bool = False, round: int = 0) -> tuple[list[SendPart], list[ReceivePart]]:
        """
        List the parts that send copies to their owners, which combine them with their values, as in the assembly of
        finite elements.

        Parameters
        ----------
        requests, key, copies, owned, round
            As for ``to_copies()``; the key is another one.
        combine : {'sum', 'minimum', 'maximum'} or None
            None: a copy replaces the owner's value, and only one rank may have copies of a number.
        in_any_order : bool
            Whether copies may be combined as they arrive. Otherwise in the order of ranks: sums have the same bits in every run.

        Returns
        -------
        tuple
            The sends by ``owners``, and the receives by ``readers``.
        """

    @property
    def readers(self) -> list[tuple[int, numpy.typing.NDArray[numpy.int64]]]:
        """
        The ranks that want numbers of this rank, and the positions of these numbers in ``owned``.
        """

    @property
    def owners(self) -> list[tuple[int, numpy.typing.NDArray[numpy.int64]]]:
        """
        The ranks whose numbers this rank wants, and the positions of these numbers in ``wanted``.
        """

    def __repr__(self) -> str: ...

class GraphExchange:
    """
    A graph with an exchange of its own.

    For programs that communicate nothing else meanwhile.

    Parameters
    ----------
    graph : Graph
    *fields : tuple of arrays
        ``(owned, copies)``, as for ``Graph.to_copies()``, or ``(owned, copies, combine)``. The arrays are used in place and
        kept alive.
    flow : {'to_copies', 'to_owners'}
        Copies get the values of their owners, or owners get the copies, which are combined with their own values.
    combine : {'sum', 'minimum', 'maximum'} or None
        With ``to_owners``, of fields that have none: as for ``Graph.to_owners()``.
    **options
        As for ``Exchange``: progress, grouping, shared_memory, timeline and so on.

    Raises
    ------
    Error
        On all ranks, if an array is wrong on some rank, or if the fields differ between ranks.

    Notes
    -----
    Construction and ``close()`` are collective. Between ``start()`` and ``finish()`` the program must not use what is
    received (copies, or owned values that others want), nor change what is sent. One thread at a time may call it. A
    failure is final, as of an ``Exchange``.

    Examples
    --------
    >>> fill = weft.GraphExchange(graph, (u, u_copies))
    >>> with fill.start():
    ...     compute_interior()           # fill.progress() now and then
    >>> compute_edge()                   # the copies have the owners' values
    >>> add = weft.GraphExchange(graph, (f, f_copies), flow="to_owners")
    """

    def __init__(self, graph: Graph, *fields: tuple[object, object] | tuple[object, object, Literal['sum', 'minimum', 'maximum'] | None], flow: Literal['to_copies', 'to_owners'] = 'to_copies', combine: Literal['sum', 'minimum', 'maximum'] | None = 'sum', progress: Literal['passive', 'polling', 'thread', 'send_receive_threads'] | Progress = 'polling', grouping: Literal['per_peer', 'per_part', 'by_size', 'per_node'] = 'per_peer', carrier: Literal['messages', 'synchronous', 'datatypes', 'partitioned'] = 'messages', shared_memory: bool = False, defer_unpacking: bool = False, packed_limit_bytes: int = 0, by_size_bytes: int = 0, piece_bytes: int | None = None, most_requests: int = 0, watchdog_seconds: float = 0, interval_seconds: float = 5e-05, threads: int = 2, pin: Sequence[int] = (), timeline: Timeline | None = None) -> None: ...

    def start(self, *, stream: object | None = None) -> GraphExchange:
        """
        Send the values that other ranks need. From now on weft may overwrite the values that are received.

        Parameters
        ----------
        stream : stream, optional
            Of arrays in memory of a device, as for ``Exchange.start()``.

        Returns
        -------
        GraphExchange
            The exchange itself: ``with exchange.start():`` finishes at the end of the block, and fails on all ranks if an
            exception leaves it.
        """

    def progress(self) -> None:
        """As ``StartedExchange.progress()``."""

    def test(self) -> bool:
        """
        Make MPI progress, and return whether ``finish()`` would return at once. With several rounds: only whether
        nothing is in flight.
        """

    def finish(self, *, stream: object | None = None) -> None:
        """
        Wait until all values have arrived, without the GIL; with a stream, it waits for those of a device.
        """

    def fail(self, why: str) -> None:
        """As ``Exchange.fail()``."""

    @property
    def has_failed(self) -> bool:
        """As ``Exchange.has_failed``."""

    @property
    def is_active(self) -> bool:
        """Whether a start was not finished yet."""

    def close(self) -> None:
        """Destroy the exchange now, and release the arrays from it. Collective."""

    def __enter__(self) -> GraphExchange: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def describe(self) -> str:
        """Return a text for the user: the messages."""

    def __repr__(self) -> str: ...

class MatrixGraph:
    """
    The graph of a sparse matrix of which each rank has some rows.

    A vector for the matrix holds the rank's owned values, in the order of ``owned``, and behind them the copies of other
    ranks' values, sorted by owner and number.

    Parameters
    ----------
    owned : array of int
        The global numbers of this rank's rows.
    row_starts : array of int
        ``indptr`` of a CSR matrix: where each row begins in ``columns``, and the end of the last.
    columns : array of int
        ``indices`` of a CSR matrix: global numbers.
    comm : communicator of mpi4py, int or None
        The ranks; None: all ranks.

    Raises
    ------
    Error
        On all ranks, if a column is no rank's number, if a number is owned twice, or if the starts are wrong.

    Notes
    -----
    Construction is collective. Multiply the rows of ``interior`` while the copies are in flight, those of ``edge``
    afterwards.

    Examples
    --------
    >>> rows = weft.MatrixGraph(owned, A.indptr, A.indices)     # A: scipy.sparse, global columns
    >>> x = numpy.zeros(len(owned) + len(rows.copies))
    >>> local = scipy.sparse.csr_matrix((A.data, rows.columns, A.indptr), shape=(len(owned), len(x)))
    >>> exchange = weft.GraphExchange(rows.graph, (x[:len(owned)], x[len(owned):]))
    """

    def __init__(self, owned: numpy.typing.ArrayLike, row_starts: numpy.typing.ArrayLike, columns: numpy.typing.ArrayLike, comm: Any = None) -> None: ...

    @property
    def graph(self) -> Graph:
        """The Graph of ``owned`` and ``copies``."""

    @property
    def copies(self) -> numpy.typing.NDArray[numpy.uint64]:
        """The global numbers of the copies."""

    @property
    def columns(self) -> numpy.typing.NDArray[numpy.int64]:
        """The local columns."""

    @property
    def interior(self) -> numpy.typing.NDArray[numpy.int64]:
        """The rows all of whose columns are owned."""

    @property
    def edge(self) -> numpy.typing.NDArray[numpy.int64]:
        """The other rows."""

    def __repr__(self) -> str: ...

class Step:
    """
    The running step, as a client's callback sees it. Valid only during the callback.
    """

    @property
    def number(self) -> int:
        """The number of the step."""

    @property
    def stream(self) -> Any:
        """
        What ``run_step(stream=...)`` was given: ``before`` queues the work that writes what is sent, ``after`` the work that reads what was received.
        """

    @property
    def round(self) -> int:
        """The current round, from 0."""

    @overload
    def ready(self, part: SendPart, *, stream: object | None = None) -> None:
        """
        Mark a send or collective ready: weft may send it now, before the callback returns.

        When ``before`` returns, weft marks the client's other parts of the round ready.

        Parameters
        ----------
        part : SendPart or CollectivePart
        n_bytes : int, optional
            Of a part of up to n bytes: how many are sent.
        array : array, optional
            Of a part whose address may change: its data in this step.
        stream : stream, optional
            As for ``StartedExchange.ready()``; None: also that of ``run_step()``.
        """

    @overload
    def ready(self, part: CollectivePart) -> None: ...

    @overload
    def ready(self, part: SendPart, n_bytes: int) -> None: ...

    @overload
    def ready(self, part: SendPart, array: object, *, stream: object | None = None) -> None: ...

    @overload
    def ready(self, part: None, *, stream: object | None = None) -> None:
        """A part without a peer: nothing to send."""

    def accept(self, part: ReceivePart, *, stream: object | None = None) -> None:
        """
        Permit unpacking of the received part; without ``defer_unpacking`` it does nothing.
        """

    def received_bytes(self, part: ReceivePart) -> int:
        """
        In ``after`` and ``finish``: the number of bytes received for a part of up to n bytes.
        """

    def take_received(self, part: ReceivePart) -> numpy.typing.NDArray[numpy.uint8]:
        """
        In ``after`` and ``finish``: the data received for a part without an array, as a numpy array of uint8.
        """

    def progress(self) -> None:
        """
        Make MPI progress, if a call is due. Call it now and then in a long ``during``.
        """

    def __repr__(self) -> str: ...

class StepManager:
    """
    Runs the steps of a program: calls its clients before, during and after the exchange of all clients' messages.

    Parameters
    ----------
    comm : communicator of mpi4py, int or None
        The ranks. None: all.
    coalesce : bool
        All clients share one exchange and one wait per round; otherwise one exchange after the other.
    **options
        As for ``Exchange``; ``progress`` is a name.

    Raises
    ------
    Error
        If MPI does not support the progress mode.
    InputError
        If a name is unknown.

    Notes
    -----
    A client is any object with a method ``request(requests)`` and, as needed, ``before(step)``, ``during(step)``,
    ``after(step)`` and ``finish(step)``; see ``weft.Client``. Methods are looked up once, in ``add()``. All functions are
    collective but ``step``, ``counts``, ``options``, ``coalesces``, ``rebind()``, ``fail()`` and ``has_failed``. Parts with
    several arrays use array ``step % n`` in step ``step``.

    A failure is final: if a client raises an exception, ``run_step()`` raises it, and the step manager has failed on all
    ranks. The other ranks get a ``PeerError``, which names this rank and the exception, in this or their next call. When
    the failing call ends, the arrays may be changed and freed. Each later call raises the same sentence. To go on, make a
    new step manager.

    Examples
    --------
    >>> class Heat(weft.Client):
    ...     def request(self, requests):
    ...         self.out = requests.send(right, 1, u[-2])
    ...         requests.receive(left, 1, u[0])
    ...     def during(self, step):
    ...         compute_interior()
    ...     def after(self, step):
    ...         compute_boundary()
    >>> manager = weft.StepManager(progress="thread", timeline=weft.Timeline())
    >>> manager.add("heat", Heat())
    >>> for _ in range(100):
    ...     manager.run_step()
    >>> print(manager.report())
    """

    def __init__(self, comm: Any = None, *, coalesce: bool = True, progress: Literal['passive', 'polling', 'thread', 'send_receive_threads'] | Progress = 'polling', grouping: Literal['per_peer', 'per_part', 'by_size', 'per_node'] = 'per_peer', carrier: Literal['messages', 'synchronous', 'datatypes', 'partitioned'] = 'messages', shared_memory: bool = False, defer_unpacking: bool = False, packed_limit_bytes: int = 0, by_size_bytes: int = 0, piece_bytes: int | None = None, most_requests: int = 0, watchdog_seconds: float = 0, interval_seconds: float = 5e-05, threads: int = 2, pin: Sequence[int] = (), timeline: Timeline | None = None) -> None: ...

    def add(self, name: str, client: object, *, every: int = 1, offset: int = 0) -> None:
        """
        Add a client, which is called from the next step on, and kept alive. Its ``request()`` is called now.

        Parameters
        ----------
        name : str
            Unique, and the same on all ranks.
        client : object
        every, offset : int
            It is active in the steps n with ``n % every == offset % every``.
        """

    def remove(self, client: object) -> None:
        """Remove a client. Not in a step."""

    def changed(self, client: object) -> None:
        """
        Call the client's ``request()`` again: now, or after the step if one is running. Parts of the old list are
        void.
        """

    def activate(self, client: object, on: bool = True) -> None:
        """Make a client active or inactive, from the next step on."""

    def rebind(self, client: object, part: SendPart | ReceivePart, array: Any) -> None:
        """
        Set the array of a part that the client has listed with a number of bytes, from the next step on. Not in a
        step.
        """

    def coalesce(self, on: bool) -> None:
        """Switch coalescing on or off, from the next step on."""

    @property
    def coalesces(self) -> bool:
        """Whether all clients share one exchange."""

    def use(self, setting: dict[str, str] | None = None, keep: bool = False, *, coalesce: bool = ..., progress: Literal['passive', 'polling', 'thread', 'send_receive_threads'] = ..., grouping: Literal['per_peer', 'per_part', 'by_size', 'per_node'] = ..., carrier: Literal['messages', 'synchronous', 'datatypes', 'partitioned'] = ..., shared_memory: bool = ..., defer_unpacking: bool = ..., packed_limit_bytes: int = ..., by_size_bytes: int = ..., piece_bytes: int = ..., most_requests: int = ..., watchdog_seconds: float = ..., interval_seconds: float = ..., threads: int = ..., pin: Sequence[int] = ...) -> None:
        """
        Use other options from the next step on; those that are not given stay.

        Parameters
        ----------
        setting : dict of str, optional
            Such as a ``Tuning`` chooses. Names that are no options of a step manager are the program's own, and ignored.
        keep : bool
            Keep the exchanges of the earlier options, to switch back without a new commit.
        **options
            As for ``StepManager``, but ``timeline``.
        """

    def start_at(self, step: int) -> None:
        """
        Set the number of the next step (0 or more), the same on all ranks (not checked: it selects the buffers). Not in a step.
        """

    def run_step(self, *, stream: object | None = None) -> None:
        """
        Run one step. It waits without the GIL, and takes it for each callback.

        Parameters
        ----------
        stream : stream, optional
            Of arrays in memory of a device, as for ``Exchange.start()``: they leave when what it holds is done, and it, not the
            host, waits for what arrived. Clients get it as ``step.stream``.

        Raises
        ------
        Exception
            That of a client.
        PeerError
            If a client has raised an exception on another rank.
        """

    @property
    def step(self) -> int:
        """The number of the current step; between two steps, of the next step."""

    def measure_alone(self, repeats: int) -> float:
        """
        Return this rank's median duration of the next step's communication alone, in seconds. No result changes.
        """

    @property
    def counts(self) -> dict[str, Any]:
        """
        The totals of this rank since the beginning or ``reset_counts()``: a dictionary with steps,
        waits, collectives, and messages and bytes by peer.
        """

    def reset_counts(self) -> None:
        """Reset the totals and the timeline, for example after a warm-up."""

    @property
    def options(self) -> dict[str, Any]:
        """The options in use, as a dictionary."""

    def report(self, clients: Sequence[str] | None = None, *, exchange_seconds: float = 0.0) -> OverlapReport:
        """
        Return the overlap report of the steps since ``reset_counts()``. Collective.

        Parameters
        ----------
        clients : sequence of str, optional
            The names of clients, the same on all ranks; None: all.
        exchange_seconds : float
            The result of ``measure_alone()``, for the overlap fraction.

        Returns
        -------
        OverlapReport
        """

    def fail(self, why: str) -> None:
        """
        This rank fails, as if a client had raised an exception: an error of the program keeps it from going on.

        All ranks learn it: they get a ``PeerError`` that names this rank and ``why``. It returns when MPI uses no array any
        more. Nothing happens if the step manager has failed already.

        Parameters
        ----------
        why : str
            The error, such as ``"ValueError: on purpose"``.
        """

    @property
    def has_failed(self) -> bool:
        """
        Whether the step manager has failed on some rank, as far as this rank knows.
        """

    def describe(self) -> str:
        """Return a text for the user: the exchange of the next step. Collective."""

    def close(self) -> None:
        """
        Destroy the manager now, and release its clients. Collective. Not in a step.
        """

    def __enter__(self) -> StepManager: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def __repr__(self) -> str: ...

class Monitors:
    """
    Diagnostics of a running program: reductions over all ranks, which share one all-reduce per step.

    Parameters
    ----------
    comm : communicator of mpi4py, int or None
        The ranks, those of the step manager. None: all.

    Notes
    -----
    A monitor is any object with a method ``local()``, which returns this rank's number (or numbers), and a method
    ``use(value, step)``, which every rank calls with the reduced number (a numpy array if there are several) and the number
    of the step of ``local()``. Numbers are float64. A sum, minimum or maximum with a NaN on any
    rank is NaN on every rank. Monitors that the program drops are stopped: at once, or after the step
    if a callback drops them.

    Examples
    --------
    >>> class Mass:
    ...     def local(self):
    ...         return u.sum()
    ...     def use(self, value, step):
    ...         self.total = value
    >>> monitors = weft.Monitors()
    >>> monitors.add(Mass())
    >>> monitors.start(manager, "monitors", every=10)
    """

    def __init__(self, comm: object | None = None) -> None: ...

    def add(self, monitor: object, reduction: Literal['sum', 'minimum', 'maximum'] | Sequence[Literal['sum', 'minimum', 'maximum']] = 'sum', size: int | None = None) -> None:
        """
        Add a monitor, before ``start()``, in the same order on all ranks.

        Parameters
        ----------
        monitor : object
        reduction : {'sum', 'minimum', 'maximum'} or sequence of these
            A sequence: one for each of several numbers.
        size : int, optional
            How many numbers ``local()`` returns; None: one, not in a sequence.
        """

    def __len__(self) -> int: ...

    def start(self, manager: StepManager, name: str = 'monitors', *, way: Literal['nonblocking', 'blocking', 'rounds', 'phased'] = 'nonblocking', every: int = 1, offset: int = 0, algorithm: Literal['recursive_doubling', 'tree'] = 'recursive_doubling', arity: int = 4) -> None:
        """
        Register the monitors as a client of a step manager. Collective.

        Parameters
        ----------
        manager : StepManager
        name : str
        way : {'nonblocking', 'blocking', 'rounds', 'phased'}
            MPI's all-reduce with the step's other messages; the same, waited for at once; weft's own, all rounds in
            one step; the same, one round per step.
        every, offset : int
            In the steps n with ``n % every == offset % every``.
        algorithm, arity
            Of ``rounds`` and ``phased``: recursive_doubling, or tree with an arity.
        """

    def stop(self) -> None:
        """Unregister from the step manager. Collective. Not in a step."""

    def idle_before(self, step: int) -> bool:
        """
        Return whether no reduction is in flight before a step; only ``phased`` takes more than one step.
        """

    def read_now(self, step: int) -> None:
        """
        Call ``local()`` and ``use()`` of all monitors at once, between steps. Collective.
        """

    def close(self) -> None:
        """Stop, and release the monitors. Collective. Not in a step."""

    def __repr__(self) -> str: ...

class Tile:
    """
    Iterations ``first`` to ``end - 1`` of this rank's loop, in a pipeline.
    """

    @property
    def index(self) -> int:
        """
        The number of the tile, from 0; tiles of the same number on all ranks belong together.
        """

    @property
    def first(self) -> int:
        """The first iteration."""

    @property
    def count(self) -> int:
        """The number of iterations; 0: an empty tile."""

    @property
    def end(self) -> int:
        """One past the last iteration."""

    @property
    def slot(self) -> int:
        """The buffer index: index modulo (window + 1)."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to compute."""

    def progress(self) -> None:
        """
        Make progress on the tiles in flight, if a call is due; 4 to 16 calls per tile are enough.
        """

    def __repr__(self) -> str: ...

def pipeline(iterations: int | None, compute: Callable[[Tile, Any], object], communicate: Callable[[Tile, Any], object], consume: Callable[[Tile, Any], object], *, tile: int = 1, window: int = 1, buffers: Iterable[Any] | None = None, tiles: int = 0, comm: object | None = None, timeline: Timeline | None = None, client: str = '') -> None:
    """
    Overlap the communication of a loop's tiles with the computation of the next tiles.

    The order for a window of 2, where C is compute, S communicate and U consume: C0 S0, C1 S1, C2 S2 U0, C3 S3 U1, and so
    on. Before the U of a tile, weft waits for the tile's communication. All three are called for every tile.

    Parameters
    ----------
    iterations : int or None
        Of this rank's loop. None: the loop ends when ``compute`` returns False (of Python or numpy); this tile is not sent.
    compute : callable
        ``compute(tile, buffer)`` computes the iterations of a ``Tile`` into the buffer.
    communicate : callable
        ``communicate(tile, buffer)`` starts the communication, without blocking, and returns its handle: a
        ``StartedExchange``, a request of mpi4py (of an upper-case call such as ``Isend`` or ``Ialltoall``), a list of
        these, or None.
    consume : callable
        ``consume(tile, buffer)`` uses the received data.
    tile : int
        Iterations that are computed and sent together.
    window : int
        Tiles in flight while the next one is computed; 0: each is completed before the next.
    buffers : sequence, optional
        At least ``window + 1`` objects, used in rotation; a buffer belongs to its tile from compute until consume returns.
        None: the callbacks get None.
    tiles : int
        The largest number of tiles of any rank; 0: found by a reduction. Give it on all ranks, or on none.
    comm : communicator of mpi4py, int or None
        The ranks. None: all. Collective unless ``tiles`` is given.
    timeline : Timeline, optional
        Records the waits, also under the name ``client``.

    Raises
    ------
    Error
        If there are too few buffers, or a part of an exchange was not marked ready.
    Exception
        That of a callback. The exchanges that ``communicate`` has started fail on all ranks, as by ``Exchange.fail()``.
        Requests of mpi4py in flight are waited for: at most for the time-out, then the job ends, since MPI may still use
        their arrays.
    """

class Tuning:
    """
    Chooses how a program communicates: by a stored result, or by measuring candidates in its first iterations.

    Parameters
    ----------
    problem : str
        What is computed, with its size, such as ``heat 512x512``: results are stored by machine, MPI library, number of
        ranks and problem.
    candidates : sequence of dict of str, optional
        Settings; the first is the baseline, another one is chosen only if it is clearly faster. None:
        ``step_candidates()``.
    comm : communicator of mpi4py, int or None
        The ranks. None: all.
    again : bool
        Measure even if a result is stored, and replace it.
    iterations : int
        The largest number of iterations of the program, of which half may be measured; 0: no limit.
    warm_up : int
        Iterations after each change that are not measured.
    period : int
        A measurement has a multiple of so many iterations.
    sample_seconds : float
        The duration of a measurement, in seconds.
    limit_seconds : float
        The longest duration of all measurements, in seconds; 0: no limit.
    noise : float
        The winner must be faster than the baseline by this fraction.
    file : path, optional
        Where results are stored; None: ``$WEFT_TUNE_FILE``, or weft/tuned.toml in the user's configuration folder.

    Raises
    ------
    InputError
        On all ranks, if the file is damaged.
    Error
        If there are no candidates.

    Notes
    -----
    Construction, ``iterate()`` and ``dry_run()`` are collective. On one rank nothing is measured.

    Examples
    --------
    >>> tuning = weft.Tuning("heat 512x512")
    >>> for _ in range(1000):
    ...     tuning.iterate(lambda setting: manager.use(setting, keep=True), manager.run_step)
    >>> print(tuning.text)
    """

    def __init__(self, problem: str, candidates: Sequence[dict[str, str]] | None = None, *, comm: object | None = None, again: bool = False, iterations: int = 0, warm_up: int = 1, period: int = 1, sample_seconds: float = 0.002, limit_seconds: float = 30.0, noise: float = 0.02, file: str | os.PathLike[str] | None = None) -> None: ...

    def iterate(self, use: Callable[[dict[str, str]], object], iteration: Callable[[], object]) -> None:
        """
        Call ``iteration()`` once, and before that ``use(setting)`` if the setting changes. The time of ``use`` is
        not measured.
        """

    def dry_run(self, use: Callable[[dict[str, str]], object], iteration: Callable[[], object]) -> None:
        """
        Iterate until the choice is made, for programs with few real iterations. ``use`` is called with the choice.
        """

    @property
    def state(self) -> Literal['measuring', 'stored', 'found', 'left_alone']:
        """
        ``measuring``, ``stored``, ``found``, or ``left_alone`` (one rank, or too few iterations: nothing is
        chosen).
        """

    @property
    def settled(self) -> bool:
        """Whether measuring is over."""

    @property
    def chosen(self) -> dict[str, str] | None:
        """
        The chosen setting, a dictionary of words; None: not chosen yet, or nothing is chosen.
        """

    @property
    def speedup(self) -> float:
        """The speed-up over the baseline, when it was measured."""

    @property
    def text(self) -> str:
        """A line for the user: what was chosen, why, and where it is stored."""

    @property
    def key(self) -> str:
        """
        CORES, PROCESSOR / MPI LIBRARY / RANKS / PROBLEM: under which the result is stored.
        """

    def __repr__(self) -> str: ...

def step_candidates(comm: object | None = None) -> list[dict[str, str]]:
    """
    Return the candidates for the steps of a ``StepManager``: first as in a program without weft, then all
    clients in one exchange, with all progress modes. Collective.

    Returns
    -------
    list of dict of str
    """

def exchange_candidates(comm: object | None = None) -> list[dict[str, str]]:
    """
    Return the candidates for a single ``Exchange`` or ``Halo``. Collective.

    Returns
    -------
    list of dict of str
    """

def tune(problem: str, use: Callable[[dict[str, str]], object], iteration: Callable[[], object], candidates: Sequence[dict[str, str]] | None = None, *, comm: object | None = None, again: bool = False, iterations: int = 0, warm_up: int = 1, period: int = 1, sample_seconds: float = 0.002, limit_seconds: float = 30.0, noise: float = 0.02, file: str | os.PathLike[str] | None = None) -> Tuning:
    """
    Choose how a program communicates, before its first iteration.

    Parameters
    ----------
    problem : str
        What is computed, with its size.
    use : callable
        ``use(setting)`` applies a setting: a dictionary of words such as ``{"progress": "thread"}``, which
        ``StepManager.use()`` takes, and ``Exchange`` or ``Halo`` as keywords.
    iteration : callable
        One iteration, without arguments.
    candidates, **options
        As for ``Tuning``.

    Returns
    -------
    Tuning
        Settled; ``use`` was called with the chosen setting.
    """

class Fft:
    """
    A Fourier transform of a 2-D or 3-D field that is distributed over all ranks.

    Planes are sent in tiles while the next ones are transformed.

    Parameters
    ----------
    shape : tuple of int
        Points of the whole grid along x, y and z, or along y and z: any numbers, over any number of ranks.
    dtype : dtype
        Of the field: float32, float64, complex64 or complex128. The spectrum of a real field has the first ``nz // 2 + 1``
        of z.
    comm : communicator of mpi4py, int or None
        The ranks. None: all.
    decomposition : {'automatic', 'slabs', 'pencils'}
        Whole planes, or whole lines, on each rank. In two dimensions each rank has whole lines.
    rows : int or str
        Rows of the process grid of pencils in three dimensions; 0: as square as possible.
    rank_order : {'row_major', 'by_node'}
        Which rank has which row and column of the process grid: in the order of their numbers, or the ranks of a node side
        by side.
    batch : int
        The number of fields, which are transformed at once; above 1 arrays have a first axis for them.
    transposed : bool
        Leave the spectrum in the order (y, x, z): less to send.
    padded : bool
        Rows of a real field have ``2 * (nz // 2 + 1)`` values, to transform in place.
    norm : {'backward', 'ortho', 'forward', 'none'}
        As in numpy.fft: the inverse is multiplied by 1/N, both by 1/sqrt(N), or the forward transform; or neither.
    effort : {'estimate', 'measure', 'patient'}
        How long plans are searched.
    tile : int
        Planes that are sent together; 0: chosen.
    window : int, optional
        Tiles in flight while the next is transformed; 0: each is waited for. None: chosen.
    carrier : {'messages', 'collective', 'shared_memory'}
        How planes are sent.
    field_block, spectrum_block : sequence of slice, optional
        The points of the field that this rank has, and its waves of the spectrum (of a real field ``nz // 2 + 1`` along z):
        any disjoint blocks that cover the grid; with a slice such as ``slice(0, 0)`` the rank has none. Each is given on
        all ranks or on none. None: as the transform itself divides them. Other blocks are sent to that layout and back.
    field_axes, spectrum_axes : sequence of int, optional
        The order of the axes of the rank's array, the outermost first. None: (0, 1, 2).
    progress : str or Progress
    timeline : Timeline, optional

    Raises
    ------
    InputError
        If a name, the dtype, a block or an order of axes is wrong.
    Error
        If the grid is empty, or can't be distributed so, or if the blocks of the ranks overlap or leave a gap.

    Notes
    -----
    Construction, transforms and ``close()`` are collective. They run without the GIL. One transform of an object at a time.
    A failure is final, as of a ``StepManager``: to go on, make a new transform. On several ranks a wrong array is a failure,
    too, since the other ranks wait in the transform.

    Examples
    --------
    >>> fft = weft.Fft((128, 128, 128))
    >>> field = numpy.zeros(fft.field_shape)
    >>> spectrum = fft.forward(field)
    >>> field = fft.inverse(spectrum)
    """

    def __init__(self, shape: tuple[int, int, int] | tuple[int, int], dtype: Any = 'float64', *, comm: Any = None, decomposition: Literal['automatic', 'slabs', 'pencils'] = 'automatic', rows: int | str = 0, rank_order: Literal['row_major', 'by_node'] = 'row_major', batch: int = 1, transposed: bool = False, padded: bool = False, norm: Literal['backward', 'ortho', 'forward', 'none'] = 'backward', effort: Literal['estimate', 'measure', 'patient'] = 'measure', tile: int = 0, window: int | None = None, carrier: Literal['messages', 'collective', 'shared_memory'] = 'messages', progress: Literal['passive', 'polling', 'thread', 'send_receive_threads'] | Progress = 'passive', timeline: Timeline | None = None, field_block: Sequence[slice] | None = None, field_axes: Sequence[int] | None = None, spectrum_block: Sequence[slice] | None = None, spectrum_axes: Sequence[int] | None = None) -> None: ...

    @staticmethod
    def candidates(shape: tuple[int, int, int] | tuple[int, int], dtype: Any = 'float64', *, comm: Any = None, most: int = 8) -> list[dict[str, str]]:
        """
        Return candidates for ``Tuning``: settings of ``decomposition``, ``rows`` and ``rank_order``, which an Fft takes
        as keywords. Collective.

        Parameters
        ----------
        shape, dtype, comm
            As for an Fft.
        most : int
            The largest number of process grids. The first is the usual one; then come slabs and the most square ones.

        Returns
        -------
        list of dict of str
        """

    def forward(self, field: Any, spectrum: Any = None) -> Any:
        """
        Transform this rank's block of the field.

        Parameters
        ----------
        field : array
            Contiguous, of ``field_shape``; unchanged, unless the spectrum is in the same memory.
        spectrum : array, optional
            Of ``spectrum_shape``, where the result is put; None: a new numpy array.

        Returns
        -------
        array
            The spectrum: sum over x of ``field(x) exp(-2 pi i k x / n)``.

        Raises
        ------
        InputError
            If shape or dtype is wrong.
        TypeError
            If the result is read-only.
        """

    def inverse(self, spectrum: Any, field: Any = None) -> Any:
        """
        Transform this rank's block of the spectrum back, as ``forward()`` with the other sign.

        Returns
        -------
        array
            The field.
        """

    def plan(self, forward: bool) -> None:
        """
        Make plans and messages of one direction, which otherwise its first transform does. Collective.
        """

    def fail(self, why: str) -> None:
        """
        As ``StepManager.fail()``: the other ranks get a ``PeerError`` in their next transform.
        """

    @property
    def has_failed(self) -> bool:
        """As ``StepManager.has_failed``."""

    @property
    def shape(self) -> tuple:
        """Points of the whole grid."""

    @property
    def field_shape(self) -> tuple:
        """The shape of this rank's array of the field."""

    @property
    def spectrum_shape(self) -> tuple:
        """The shape of this rank's array of the spectrum."""

    @property
    def field_block(self) -> tuple:
        """This rank's points as slices of x, y and z of the whole grid."""

    @property
    def spectrum_block(self) -> tuple:
        """
        This rank's wave numbers as slices of x, y and z of the whole spectrum.
        """

    @property
    def field_axes(self) -> tuple:
        """The axes of the field's array, outermost first."""

    @property
    def spectrum_axes(self) -> tuple:
        """
        The axes of the spectrum's array, outermost first: as given, (0, 1, 2), or (1, 0, 2) if it is transposed.
        """

    def wavenumbers(self, spacing: float | Sequence[float] = 1.0) -> tuple[numpy.typing.NDArray[numpy.float64], ...]:
        """
        Return the angular wave numbers of this rank's part of the spectrum, as ``2 pi numpy.fft.fftfreq(n, spacing)``.

        Parameters
        ----------
        spacing : float or sequence of float
            Between two points, for all axes or for each.

        Returns
        -------
        tuple of array
            One per axis, in the order of ``shape``. Their shapes broadcast to the spectrum's array (without a batch), also if
            it is transposed: ``spectrum * 1j * kx`` is the derivative along x.
        """

    @property
    def tile(self) -> int:
        """Planes per tile."""

    @property
    def window(self) -> int:
        """Tiles in flight."""

    @property
    def seconds(self) -> dict:
        """
        Seconds of this rank in transforms, by activity, since construction or ``reset_seconds()``.
        """

    def reset_seconds(self) -> None:
        """Set ``seconds`` to zero."""

    def close(self) -> None:
        """Destroy the transform now. Collective."""

    def __enter__(self) -> Fft: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

    def __repr__(self) -> str: ...
