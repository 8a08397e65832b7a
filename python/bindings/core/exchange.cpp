// SPDX-License-Identifier: BSD-3-Clause
#include "core/exchange.hpp"

#include <nanobind/ndarray.h>

#include <utility>

#include "core/bind.hpp"
#include "core/raised.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/yield.hpp"

namespace weft::python {

ExchangeCore::ExchangeCore(std::shared_ptr<mpi::Communicator> transport, const Options& options)
    : transport_(std::move(transport)), timeline_(options.timeline) {
  check_not_ended();
  const auto of_exchange = options.of_exchange(*transport_);
  const nb::gil_scoped_release released;
  exchange_ = std::make_unique<Exchange>(*transport_, of_exchange);
}

const std::shared_ptr<List>& ExchangeCore::client(const std::string& name) {
  auto& requests = get().client(name);
  auto list = std::make_shared<List>();
  list->requests = &requests;
  list->size = transport_->size();
  list->transport = transport_.get();
  return lists_.emplace_back(std::move(list));
}

Exchange& ExchangeCore::get() const {
  if (!exchange_) check_not_ended();  // closed by the end of MPI
  if (!exchange_) throw Error("The exchange was closed. Make a new one.");
  return *exchange_;
}

void ExchangeCore::check_alive() const {
  if (exchange_ && exchange_->has_failed()) static_cast<void>(exchange_->start());  // throws its Error
}

void ExchangeCore::fail(const std::string& why) {
  if (!exchange_) return;
  const nb::gil_scoped_release released;
  exchange_->fail(why);
}

StartedExchange ExchangeCore::start(std::uint64_t buffer_index, const device::Queue& queue) {
  auto& exchange = get();
  StartedExchange made;
  {
    const nb::gil_scoped_release released;
    made = exchange.start(queue, buffer_index);
  }
  for (auto& list : lists_) list->begin_start();
  return made;
}

device::Queue ExchangeCore::queue_of(nb::handle stream, bool starts) const {
  for (const auto& list : lists_)
    if (auto queue = starts ? list->queue_of_start(stream) : python::queue_of(stream, list->device)) return queue;
  return {};
}

void ExchangeCore::rebind(Part part, Region region, nb::object array) {
  get().rebind(part, std::move(region));
  list(part.client).replace(part.index, std::move(array));
}

// The wait is limited: the other ranks may have ended without this start.
void ExchangeCore::end_start(const std::string& why, bool has_raised) {
  if (!exchange_ || started == nullptr || started->is_over()) return;
  const nb::gil_scoped_release released;
  if (!has_raised) try {
      started->check_ready();
      for (const double until = now_seconds() + 5; !started->test() && now_seconds() < until;) yield();
      if (started->test()) return started->wait();
    } catch (const std::exception&) {  // a part is not ready, or another rank has failed
    }
  exchange_->fail(why);
}

void ExchangeCore::close() {
  if (!exchange_) return;
  {
    auto exchange = std::move(exchange_);
    if (is_forked()) return static_cast<void>(exchange.release());  // its MPI belongs to the parent
    const nb::gil_scoped_release released;
    exchange.reset();
  }
  for (auto& list : lists_) {
    list->requests = nullptr;
    const auto kept = std::exchange(list->kept, {});
    const auto lent = std::exchange(list->lent, {});
    const auto replaced = std::exchange(list->replaced, {}), replaced_before = std::exchange(list->replaced_before, {});
  }
}

void PyStarted::drop() {
  if (is_forked()) {
    new StartedExchange(std::move(handle));  // never destroyed: MPI belongs to the parent
  } else if (!handle.is_over()) {
    const nb::gil_scoped_release released;
    handle = {};
  }
  if (core->started == &handle) core->started = nullptr;
}

void PyStarted::fail(const std::string& why) {
  if (handle.is_over()) return;
  const nb::gil_scoped_release released;
  handle.fail(why);
}

namespace {

// A call of the started handle, in which no other thread may use the exchange. Throws the Error of a failure.
class Call {
 public:
  explicit Call(PyStarted& s) : use_(s.core->use) { s.core->check_alive(); }

 private:
  InUse::Call use_;
};

nb::object bytes_as_array(Bytes bytes) {
  auto* owned = new Bytes(std::move(bytes));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Bytes*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(reinterpret_cast<std::uint8_t*>(owned->data()),
                                                                    {owned->size()}, owner));
}

void bind_started(nb::module_& m) {
  nb::class_<PyStarted>(m, "StartedExchange",
                        R"(The handle of one start of an exchange, until the last round was waited for.

Use it in a ``with`` statement, which waits at its end. If an exception leaves the block, the exchange fails on all
ranks, as by ``fail()``. A handle that is dropped is waited for if all its sends are ready; otherwise the exchange
fails. The handle keeps the exchange and its arrays alive.

One thread at a time may call it; a second thread gets an ``Error``.)")
      .def(
          "ready",
          [](PyStarted& s, const PyPart<SendPart>& part, nb::handle stream) {
            const Call call(s);
            const auto checked = s.core->check(part);
            const auto queue = s.core->list(checked.client).queue_of_part(checked.index, stream, s.queue);
            const GilForKernels released;
            s.handle.ready(checked, queue);
          },
          nb::arg("part"), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def ready(self, part: SendPart, *, " WEFT_STREAM ") -> None"),
          R"(Mark a send or a collective ready: its data are complete, and must not change until its round was waited
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
    If the part is ready already, or of another exchange, or on a device without a stream.)")
      .def(
          "ready",
          [](PyStarted& s, const PyPart<CollectivePart>& part) {
            const Call call(s);
            const auto checked = s.core->check(part);
            const GilForKernels released;
            s.handle.ready(checked);
          },
          nb::arg("part"))
      .def(
          "ready",
          [](PyStarted& s, const PyPart<SendPart>& part, std::size_t bytes) {
            const Call call(s);
            const auto checked = s.core->check(part);
            const GilForKernels released;
            s.handle.ready(checked, bytes);
          },
          nb::arg("part"), nb::arg("n_bytes"))
      .def(
          "ready",
          [](PyStarted& s, const PyPart<SendPart>& part, nb::object array, nb::handle stream) {
            const Call call(s);
            const auto checked = s.core->check(part);
            if (const auto bytes = number_of_bytes(array, "ready")) {
              const GilForKernels released;
              return s.handle.ready(checked, *bytes);
            }
            const auto memory = memory_of(array, false, "send", Where::anywhere);
            auto& list = s.core->list(checked.client);
            auto region = region_of(memory, memory.writable, 'C', "send");
            const auto queue = list.queue_of_array(checked.index, memory.keeper, stream, s.queue);
            {
              const GilForKernels released;
              s.handle.ready(checked, std::move(region), queue);
            }
            list.lent[checked.index] = memory.keeper;  // now, as it may have failed
          },
          nb::arg("part"), nb::arg("array"), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def ready(self, part: SendPart, array: object, *, " WEFT_STREAM ") -> None"))
      .def(
          "ready_all",
          [](PyStarted& s, std::uint32_t client, int round) {
            const Call call(s);
            const GilForKernels released;
            s.handle.ready_all(client, round);
          },
          nb::arg("client") = 0, nb::arg("round") = 0,
          "Mark every send and collective of one client (its number) and round ready that is not ready yet.")
      .def(
          "ready", [](PyStarted&, nb::none, nb::handle) {}, nb::arg("part").none(), nb::kw_only(),
          nb::arg("stream") = nb::none(), nb::sig("def ready(self, part: None, *, " WEFT_STREAM ") -> None"),
          "A part without a peer: nothing to send.")
      .def(
          "accept",
          [](PyStarted& s, const PyPart<ReceivePart>& part, nb::handle stream) {
            const Call call(s);
            const auto checked = s.core->check(part);
            const auto queue = s.core->list(checked.client).queue_of_part(checked.index, stream, s.queue);
            const GilForKernels released;
            s.handle.accept(checked, queue);
          },
          nb::arg("part"), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def accept(self, part: ReceivePart, *, " WEFT_STREAM ") -> None"),
          "With ``defer_unpacking``: permit unpacking, as the program no longer reads the part's array; on a device, "
          "after what the stream holds now.")
      .def(
          "accept_all",
          [](PyStarted& s, std::uint32_t client, int round) {
            const Call call(s);
            const GilForKernels released;
            s.handle.accept_all(client, round);
          },
          nb::arg("client") = 0, nb::arg("round") = 0,
          "Accept every part of one client and round that is not accepted yet.")
      .def(
          "progress",
          [](PyStarted& s) {
            const Call call(s);
            const nb::gil_scoped_release released;
            s.handle.progress();
          },
          "Make MPI progress, if progress is ``polling`` and a call is due. Call it now and then while computing.")
      .def(
          "arrived",
          [](PyStarted& s, const PyPart<ReceivePart>& part) {
            const Call call(s);
            return s.handle.arrived(s.core->check(part));
          },
          nb::arg("part"), "Return whether the part was received and unpacked. It makes no MPI progress.")
      .def(
          "test",
          [](PyStarted& s) {
            const Call call(s);
            const nb::gil_scoped_release released;
            return s.handle.test();
          },
          "Make MPI progress, and return whether ``wait()`` would return at once.")
      .def(
          "wait",
          [](PyStarted& s, std::optional<int> round, nb::handle stream) {
            const Call call(s);
            const auto queue = s.core->queue_of(stream, false);
            const nb::gil_scoped_release released;
            round ? s.handle.wait(*round, queue) : s.handle.wait(queue);
          },
          nb::arg("round") = nb::none(), nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def wait(self, round: int | None = None, *, " WEFT_STREAM ") -> None"),
          R"(Wait for one round, or for all that are left, without the GIL.

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
    If another rank has failed; it names that rank, and its error.)")
      .def(
          "fail",
          [](PyStarted& s, const std::string& why) {
            const InUse::Call call(s.core->use);
            s.fail(why);
          },
          nb::arg("why"), "As ``Exchange.fail()``, unless the start is over.")
      .def_prop_ro(
          "has_failed", [](const PyStarted& s) { return s.core->get().has_failed(); }, "As ``Exchange.has_failed``.")
      .def_prop_ro(
          "is_over", [](const PyStarted& s) { return s.handle.is_over(); }, "Whether all rounds were waited for.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> StartedExchange"))
      .def(
          "__exit__",
          [](PyStarted& s, nb::object, nb::object value, nb::object) {
            const InUse::Call call(s.core->use);
            if (!value.is_none()) return s.fail(text_of(value));
            if (s.handle.is_over()) return;
            const auto queue = s.stream.is_none() ? device::Queue() : s.queue;
            const nb::gil_scoped_release released;
            s.handle.wait(queue);
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def(Repr([](const PyStarted& s) { return std::string(s.handle.is_over() ? "over" : "in flight"); }));
}

}  // namespace

void bind_exchange(nb::module_& m) {
  bind_started(m);
  nb::class_<PyExchange>(
      m, "Exchange", R"(A persistent communication pattern: parts and collectives, committed once, started many times.

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
>>> compute_boundary()                    # all data have arrived)")
      .def(
          "__init__",
          [](PyExchange* self, nb::object comm, nb::kwargs keywords) {
            Options options;
            options.take(keywords, "Exchange");
            auto core = std::make_shared<ExchangeCore>(transport_of(comm), options);
            new (self) PyExchange{std::move(core)};
          },
          nb::arg("comm") = nb::none(), nb::arg("options"),
          nb::sig("def __init__(self, comm: typing.Any = None, *, " WEFT_OPTIONS
                  ", compares_buffer_indices: bool = True) -> None"))
      .def(
          "client",
          [](PyExchange& e, const std::string& name) {
            const InUse::Call call(e.core->use);
            return PyRequests{e.core->client(name), e.core};
          },
          nb::arg("name"),
          R"(Add a client (a module of the program), and return its list.

Parameters
----------
name : str
    Unique in the exchange, and the same on all ranks.

Returns
-------
Requests)")
      .def(
          "commit",
          [](PyExchange& e) {
            const InUse::Call call(e.core->use);
            auto& exchange = e.core->get();
            const nb::gil_scoped_release released;
            exchange.commit();
          },
          R"(Compare both ends of every part and prepare all messages. Collective.

Raises
------
Error
    On every rank, if two ends don't agree; it names client, key, ranks and sizes.)")
      .def(
          "start",
          [](PyExchange& e, std::uint64_t buffer_index, nb::object stream) {
            const InUse::Call call(e.core->use);
            const auto queue = e.core->queue_of(stream, true);
            return new PyStarted(e.core, e.core->start(buffer_index, queue), queue, stream);
          },
          nb::rv_policy::take_ownership, nb::arg("buffer_index") = 0, nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def start(self, buffer_index: int = 0, *, " WEFT_STREAM ") -> StartedExchange"),
          R"(Post all receives, and return the handle of this start; no part is ready yet.

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
    If the exchange was not committed, or the last start was not waited for.)")
      .def(
          "rebind",
          [](PyExchange& e, nb::object part, nb::object array) {
            const InUse::Call call(e.core->use);
            const bool receives = is_receive(part);
            const Part plain = receives ? Part(e.core->check(nb::cast<PyPart<ReceivePart>>(part)))
                                        : Part(e.core->check(nb::cast<PyPart<SendPart>>(part)));
            const char* what = receives ? "receive" : "send";
            const auto memory = memory_of(array, receives, what, Where::anywhere);
            e.core->rebind(plain, region_of(memory, receives, 'C', what), memory.keeper);
          },
          nb::arg("part"), nb::arg("array"),
          nb::sig("def rebind(self, part: SendPart | ReceivePart, array: typing.Any) -> None"),
          "Set the array of a part that was listed with a number of bytes, from the next start on. Not collective.")
      .def(
          "received_bytes",
          [](PyExchange& e, const PyPart<ReceivePart>& part) {
            return e.core->get().received_bytes(e.core->check(part));
          },
          nb::arg("part"), "Return the number of bytes that were received for a part in the last start.")
      .def(
          "take_received",
          [](PyExchange& e, const PyPart<ReceivePart>& part) {
            return bytes_as_array(e.core->get().take_received(e.core->check(part)));
          },
          nb::arg("part"), nb::sig("def take_received(self, part: ReceivePart) -> " WEFT_BYTES),
          R"(Return the data of a ``receive_up_to()`` that was listed with a number of bytes, as a numpy array of uint8
that owns them. A second call after the same start returns an empty array.)")
      .def(
          "sent_bytes",
          [](PyExchange& e, const PyPart<SendPart>& part) { return e.core->get().sent_bytes(e.core->check(part)); },
          nb::arg("part"), "Return the number of bytes sent for a part in the last start; 0 before the first.")
      .def(
          "fail",
          [](PyExchange& e, const std::string& why) {
            const InUse::Call call(e.core->use);
            static_cast<void>(e.core->get());
            e.core->fail(why);
          },
          nb::arg("why"),
          R"(This rank fails: an error of the program keeps it from completing what it has started.

All ranks learn it, wherever they wait in the exchange: they get a ``PeerError`` that names this rank and ``why``. It
returns when MPI uses no array any more. Nothing happens if the exchange has failed already.

Parameters
----------
why : str
    The error, such as ``"ValueError: on purpose"``.)")
      .def(
          "close",
          [](PyExchange& e) {
            const InUse::Call call(e.core->use);
            e.core->close();
          },
          R"(Destroy the exchange now: end a start that is under way, and release all arrays. Collective. It may be
called twice. Without it, this happens with the last reference, or when the interpreter ends.)")
      .def(
          "describe", [](PyExchange& e) { return e.core->get().describe(); },
          "Return a text for the user: neighbours, messages, parts, bytes.")
      .def_prop_ro(
          "starts", [](PyExchange& e) { return e.core->get().starts(); }, "How often the exchange was started.")
      .def_prop_ro(
          "polls", [](PyExchange& e) { return e.core->get().polls(); }, "How often ``progress()`` was called.")
      .def_prop_ro(
          "buffer_count", [](PyExchange& e) { return e.core->get().buffer_count(); },
          "The number of arrays of the parts that have several; otherwise 1.")
      .def_prop_ro(
          "rounds", [](PyExchange& e) { return e.core->get().plan().rounds; },
          "The number of rounds; after ``commit()``.")
      .def_prop_ro(
          "messages",
          [](PyExchange& e) {
            nb::list all;
            for (const auto& message : e.core->get().plan().messages) {
              nb::dict one;
              one["send"] = message.send;
              one["peer"] = message.peer;
              one["round"] = message.round;
              one["bytes"] = message.bytes;
              one["pieces"] = message.pieces;
              one["parts"] = message.parts.size();
              all.append(one);
            }
            return all;
          },
          nb::for_getter(nb::sig("def messages(self) -> list[dict[str, int]]")),
          R"(The messages of this rank, after ``commit()``: a list of dictionaries with send, peer, round, bytes, pieces
and parts (their number).)")
      .def_prop_ro(
          "has_failed", [](PyExchange& e) { return e.core->get().has_failed(); },
          "Whether the exchange has failed on some rank, as far as this rank knows.")
      .def(
          "__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> Exchange"))
      .def(
          "__exit__",
          [](PyExchange& e, nb::object, nb::object value, nb::object) {
            const InUse::Call call(e.core->use);
            if (!value.is_none()) e.core->fail(text_of(value));
            e.core->end_start("a start was not waited for", false);
            e.core->close();
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none())
      .def(Repr(
          [](const PyExchange& e) { return e.core->is_closed() ? "closed" : first_line(e.core->get().describe()); }));
}

}  // namespace weft::python
