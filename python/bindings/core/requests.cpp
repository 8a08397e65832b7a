// SPDX-License-Identifier: BSD-3-Clause
#include "core/requests.hpp"

#include <atomic>
#include <complex>
#include <functional>
#include <optional>
#include <utility>

#include "core/bind.hpp"
#include "core/repr.hpp"
#include "weft/error.hpp"

namespace weft::python {
namespace {

template <class T>
ReductionOfBytes reduction(const std::string& name) {
  if (name == "sum") return sum<T>().of_bytes;
  if constexpr (requires(T a, T b) { a < b; }) {
    if (name == "minimum" || name == "min") return minimum<T>().of_bytes;
    if (name == "maximum" || name == "max") return maximum<T>().of_bytes;
  } else if (name == "minimum" || name == "min" || name == "maximum" || name == "max") {
    throw InputError("Complex numbers have no " + name + " (they are not ordered). Reduce real numbers.");
  }
  throw InputError("Unknown reduction '" + name + "'. Use one of: sum, minimum, maximum.");
}

Requests& open(const PyRequests& r) {
  if (r.list->requests == nullptr)
    throw Error(
        "This list of requests is closed (request() has returned, or the exchange was closed). Use the list that "
        "request() or client() gives.");
  return *r.list->requests;
}

// The bytes of a collective's argument, which must be contiguous; None: nothing.
std::span<std::byte> span_of(nb::handle array, bool writes, const char* what, std::vector<nb::object>& keep,
                             Memory* memory = nullptr) {
  if (memory != nullptr) *memory = {};
  if (array.is_none()) return {};
  auto m = memory_of(array, writes, what);
  if (!m.is_contiguous())
    throw InputError(std::string(what) + ": The array of a collective is not contiguous. Give a contiguous array.");
  keep.push_back(m.keeper);
  const std::span<std::byte> span(m.data, m.bytes());
  if (memory != nullptr) *memory = std::move(m);
  return span;
}

// Every collective with two arrays sends elements of one type: their bits are not converted.
void check_types(const Memory& from, const Memory& to, nb::handle out, const char* what) {
  if (out.is_none() || from.type() == to.type()) return;
  throw InputError(std::string(what) + ": The data are " + from.type() + ", but the result is " + to.type() +
                   " (a collective converts nothing). Give arrays of one dtype.");
}

// None if there is no peer, as grid.neighbour() returns beyond the edge of the grid.
template <class P>
std::optional<PyPart<P>> add(const PyRequests& r, bool has_peer, nb::handle array, bool writes,
                             const std::string& order, const char* what, const auto& call, Where where = Where::host,
                             nb::handle like = nb::none()) {
  auto& requests = open(r);
  if (!has_peer) return {};
  std::vector<nb::object> keep;
  auto buffers = buffers_of(array, writes, order_of(order), what, keep, where, like);
  const auto device = buffers.device();
  if (!r.list->device) r.list->device = device;
  const P part = call(requests, std::move(buffers));
  if (device) r.list->devices[part.index] = device;
  r.list->kept[part.index] = std::move(keep);
  return PyPart<P>{part, r.list->id};
}

PyPart<CollectivePart> add(const PyRequests& r, Collective what, int round, std::vector<nb::object> keep) {
  const std::less<> before;
  if (!what.in.empty() && !what.out.empty() && before(what.in.data(), what.out.data() + what.out.size()) &&
      before(what.out.data(), what.in.data() + what.in.size()))
    throw InputError(
        "The data and the result of a collective share memory, which MPI does not allow. Give two arrays.");
  const auto part = open(r).collective(what, round);
  r.list->kept[part.index] = std::move(keep);
  return {part, r.list->id};
}

PyPart<CollectivePart> reduce(const PyRequests& r, std::optional<int> root, nb::handle in, nb::handle out,
                              const std::string& operation, int round) {
  std::vector<nb::object> keep;
  Memory from, to;
  Collective what{.kind = root ? Collective::Kind::reduce : Collective::Kind::all_reduce};
  what.in = span_of(in, false, "reduction", keep, &from);
  what.out = span_of(out, true, "reduction", keep, &to);
  check_types(from, to, out, "reduction");
  what.reduction = reduction_of(operation, from.kind, from.item);
  what.type = from.code();
  what.root = root.value_or(0);
  return add(r, what, round, std::move(keep));
}

// The type of the elements is that of the first array.
Combine combine_into(const std::string& name, nb::handle array) {
  if (number_of_bytes(array, "receive"))
    throw InputError(
        "A receive combines, but its array is only a number of bytes, which has no dtype. Give the array.");
  const bool has_several = nb::isinstance<nb::tuple>(array) || nb::isinstance<nb::list>(array);
  if (has_several && nb::len(array) == 0) return {};  // refused below
  return combine_of(
      name, memory_of(has_several ? nb::object(array[0]) : nb::borrow(array), true, "receive", Where::anywhere));
}

using Counts = std::optional<std::vector<std::size_t>>;

std::vector<std::size_t> bytes_of(const Counts& counts, std::size_t each, std::size_t item, int size) {
  std::vector<std::size_t> bytes(static_cast<std::size_t>(size), each);
  if (!counts) return bytes;
  if (counts->size() != bytes.size())
    throw InputError("A collective of " + std::to_string(size) + " ranks has " + std::to_string(counts->size()) +
                     " counts. Give one count per rank.");
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = (*counts)[k] * item;
  return bytes;
}

// The bytes of each rank's equal share of an all-to-all's array, if there are no counts.
std::size_t equal_share(const Memory& memory, const Counts& counts, int size, const char* array) {
  const auto n = memory.elements(), ranks = static_cast<std::size_t>(size);
  if (!counts && n % ranks != 0)
    throw InputError("all_to_all: The " + std::string(array) + " of " + std::to_string(n) + " element" +
                     (n == 1 ? "" : "s") + " can't be divided among " + std::to_string(size) +
                     " ranks. Give a multiple of that, or counts.");
  return n / ranks * memory.item;
}

// The signature of a function that adds a part: with a peer, or with what grid.neighbour() returns.
#define WEFT_OF_PEER(name, others, part)                                  \
  nb::sig("@overload\ndef " name "(self, peer: int, " others ") -> " part \
          ": ...\n"                                                       \
          "@overload\ndef " name "(self, peer: int | None, " others ") -> " part " | None")

template <class P>
void bind_part(nb::module_& m, const char* name, const char* text) {
  nb::class_<PyPart<P>>(m, name, text)
      .def_prop_ro(
          "client", [](const PyPart<P>& p) { return p.part.client; }, "The number of its client.")
      .def_prop_ro(
          "index", [](const PyPart<P>& p) { return p.part.index; }, "Its position in the client's list.")
      .def(Repr([](const PyPart<P>& p) {
        return "part " + std::to_string(p.part.index) + " of client " + std::to_string(p.part.client);
      }));
}

}  // namespace

std::uint64_t List::next_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

void check_part(std::uint64_t of_part, std::uint64_t list) {
  if (of_part != list)
    throw Error(
        "The part belongs to another list of requests (of another exchange, or from before changed()). Use the "
        "parts of this list.");
}

void List::replace(std::uint32_t index, nb::object array) {
  if (auto& now = kept[index]; device) replaced.insert(replaced.end(), now.begin(), now.end());
  kept[index] = {std::move(array)};
  lent.erase(index);
}

// A receive of the last start may still be unpacked, but not one of the start before: its message was received again.
void List::begin_start() {
  lent.clear();
  replaced_before = std::exchange(replaced, {});
}

device::Queue List::queue_of_part(std::uint32_t index, nb::handle stream, const device::Queue& of_start) const {
  const auto arrays = kept.find(index);
  const bool has_array = arrays != kept.end() && !arrays->second.empty();
  return queue_of_array(index, has_array ? arrays->second.front() : nb::none(), stream, of_start);
}

device::Queue List::queue_of_array(std::uint32_t index, nb::handle array, nb::handle stream,
                                   const device::Queue& of_start) const {
  const auto found = devices.find(index);
  const auto& on = found != devices.end() ? found->second : device;
  if (!on || !stream.is_none()) return python::queue_of(stream, on);
  const auto own = own_queue_of(array, on);
  if (!own || !of_start || own.device() != of_start.device() || own.handle() == of_start.handle()) return own;
  device::Event event(own.device());  // either of them may be the one that writes the data
  event.record(own.handle());
  event.let_wait(of_start.handle());
  return of_start;
}

device::Queue List::queue_of_start(nb::handle stream) const {
  if (!device || !stream.is_none()) return python::queue_of(stream, device);
  for (const auto& [index, arrays] : kept)
    for (const auto& array : arrays)
      if (const auto own = own_queue_of(array, device)) return own;
  return {};
}

bool is_receive(nb::handle part) {
  const bool receives = nb::isinstance<PyPart<ReceivePart>>(part);
  if (!receives && !nb::isinstance<PyPart<SendPart>>(part))
    throw nb::type_error("The part is not what send() or receive() has returned. Give a SendPart or a ReceivePart.");
  return receives;
}

Buffers buffers_of(nb::handle arrays, bool writes, char order, const char* what, std::vector<nb::object>& keep,
                   Where where, nb::handle like) {
  if (const auto bytes = number_of_bytes(arrays, what))
    return given(*bytes, like.is_none() ? nullptr : memory_of(like, false, what, where).device);
  if (!like.is_none())
    throw InputError(std::string(what) +
                     ": like= goes with a number of bytes, not with an array, which has its own memory. Leave it out.");
  if (!nb::isinstance<nb::tuple>(arrays) && !nb::isinstance<nb::list>(arrays)) {
    const auto memory = memory_of(arrays, writes, what, where);
    keep.push_back(memory.keeper);
    return region_of(memory, writes, order, what);
  }
  std::vector<Region> regions;
  for (const auto array : arrays) {
    const auto memory = memory_of(array, writes, what, where);
    keep.push_back(memory.keeper);
    regions.push_back(region_of(memory, writes, order, what));
  }
  return Buffers(std::move(regions));
}

ReductionOfBytes reduction_of(const std::string& name, Kind kind, std::size_t item) {
  switch (kind) {
    case Kind::integer:
      if (item == 1) return reduction<std::int8_t>(name);
      if (item == 2) return reduction<std::int16_t>(name);
      if (item == 4) return reduction<std::int32_t>(name);
      if (item == 8) return reduction<std::int64_t>(name);
      break;
    case Kind::unsigned_integer:
      if (item == 1) return reduction<std::uint8_t>(name);
      if (item == 2) return reduction<std::uint16_t>(name);
      if (item == 4) return reduction<std::uint32_t>(name);
      if (item == 8) return reduction<std::uint64_t>(name);
      break;
    case Kind::real:
      if (item == 4) return reduction<float>(name);
      if (item == 8) return reduction<double>(name);
      break;
    case Kind::complex:
      if (item == 8) return reduction<std::complex<float>>(name);
      if (item == 16) return reduction<std::complex<double>>(name);
      break;
    default: break;
  }
  throw InputError("Elements of this type (" + std::to_string(item) +
                   " bytes) can't be reduced. Use integers, float32, float64, complex64 or complex128.");
}

Combine combine_of(const std::string& name, const Memory& memory) {
  return {reduction_of(name, memory.kind, memory.item), memory.code()};
}

void bind_requests(nb::module_& m) {
  bind_part<SendPart>(m, "SendPart", "The handle of a send: it is marked ready in each start.");
  bind_part<ReceivePart>(m, "ReceivePart", "The handle of a receive: with deferred unpacking it must be accepted.");
  bind_part<CollectivePart>(m, "CollectivePart",
                            "The handle of a collective: it is marked ready when its input is complete.");

  using Kw = nb::kw_only;
  nb::class_<PyRequests>(m, "Requests", R"(The list of a client's communication in a start or a step, round by round.

``Exchange.client()`` returns one, and a client of a ``StepManager`` gets one in ``request()``. Nothing can be added
after ``commit()``.

Arrays are used in place, without a copy, and kept alive as long as the list. An array is anything with the buffer
protocol, ``__array_interface__``, ``__cuda_array_interface__`` or DLPack, of any dtype (a structured dtype is sent as its bytes), any shape and any
positive strides, so also a part of a larger array such as ``u[1:-1, 0]``. Both ends must have the same number of bytes
and the same dtype, whatever their shapes; bytes (``uint8``) agree with every dtype.)")
      .def(
          "send",
          [](const PyRequests& r, std::optional<int> peer, Key key, nb::object array, int round,
             const std::string& order, nb::handle like) {
            return add<SendPart>(
                r, peer.has_value(), array, false, order, "send",
                [&](Requests& requests, Buffers buffers) {
                  return requests.send(*peer, key, std::move(buffers), round);
                },
                Where::anywhere, like);
          },
          nb::arg("peer").none(), nb::arg("key"), nb::arg("array"), Kw(), nb::arg("round") = 0, nb::arg("order") = "C",
          nb::arg("like") = nb::none(),
          WEFT_OF_PEER("send",
                       "key: int, array: object, *, round: int = 0, order: typing.Literal['C', 'F'] = 'C', "
                       "like: object | None = None",
                       "SendPart"),
          R"(Add a send.

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
    If it is no array.)")
      .def(
          "receive",
          [](const PyRequests& r, std::optional<int> peer, Key key, nb::object array, int round,
             const std::string& order, const std::optional<std::string>& combine, bool in_any_order, nb::handle like) {
            ReceiveOptions options{.round = round, .in_any_order = in_any_order};
            if (combine && peer) options.combine = combine_into(*combine, array);
            return add<ReceivePart>(
                r, peer.has_value(), array, true, order, "receive",
                [&](Requests& requests, Buffers buffers) {
                  return requests.receive(*peer, key, std::move(buffers), options);
                },
                Where::anywhere, like);
          },
          nb::arg("peer").none(), nb::arg("key"), nb::arg("array"), Kw(), nb::arg("round") = 0, nb::arg("order") = "C",
          nb::arg("combine").none() = nb::none(), nb::arg("in_any_order") = false, nb::arg("like") = nb::none(),
          WEFT_OF_PEER("receive",
                       "key: int, array: object, *, round: int = 0, order: typing.Literal['C', 'F'] = 'C', "
                       "combine: " WEFT_REDUCTION
                       " | None = None, in_any_order: bool = False, like: object | None = None",
                       "ReceivePart"),
          R"(Add a receive. weft may overwrite the array from ``start()`` until its round was waited for.

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
    If the array is read-only.)")
      .def(
          "send_up_to",
          [](const PyRequests& r, std::optional<int> peer, Key key, nb::object array, int round) {
            return add<SendPart>(r, peer.has_value(), array, false, "C", "send_up_to",
                                 [&](Requests& requests, Buffers buffers) {
                                   return requests.send_up_to(*peer, key, std::move(buffers), round);
                                 });
          },
          nb::arg("peer").none(), nb::arg("key"), nb::arg("array"), Kw(), nb::arg("round") = 0,
          WEFT_OF_PEER("send_up_to", "key: int, array: object, *, round: int = 0", "SendPart"),
          R"(Add a send of up to n bytes, where n is the size of the contiguous array. ``ready(part, n_bytes)`` chooses
the size in each start.

Returns
-------
SendPart)")
      .def(
          "receive_up_to",
          [](const PyRequests& r, std::optional<int> peer, Key key, nb::object array, int round) {
            return add<ReceivePart>(r, peer.has_value(), array, true, "C", "receive_up_to",
                                    [&](Requests& requests, Buffers buffers) {
                                      return requests.receive_up_to(*peer, key, std::move(buffers), round);
                                    });
          },
          nb::arg("peer").none(), nb::arg("key"), nb::arg("array"), Kw(), nb::arg("round") = 0,
          WEFT_OF_PEER("receive_up_to", "key: int, array: object, *, round: int = 0", "ReceivePart"),
          R"(Add the receive for a ``send_up_to()``, with the same size. ``received_bytes(part)`` is the number of bytes
that came; the rest of the array is unchanged. With a number of bytes instead of an array,
``take_received(part)`` returns the data.

Returns
-------
ReceivePart)")
      .def(
          "all_reduce",
          [](const PyRequests& r, nb::object in, nb::object out, const std::string& operation, int round) {
            return reduce(r, {}, in, out, operation, round);
          },
          nb::arg("data"), nb::arg("result"), nb::arg("operation") = "sum", Kw(), nb::arg("round") = 0,
          nb::sig("def all_reduce(self, data: object, result: object, operation: " WEFT_REDUCTION
                  " = 'sum', *, round: int = 0) -> CollectivePart"),
          R"(Add ``result[i] = operation over all ranks of data[i]``, on every rank.

Parameters
----------
data, result : array
    Contiguous, of one dtype (integers, float32, float64, complex), not overlapping.
operation : {'sum', 'minimum', 'maximum'}
    A NaN on any rank gives NaN, as in numpy.
round : int

Returns
-------
CollectivePart)")
      .def(
          "reduce",
          [](const PyRequests& r, int root, nb::object in, nb::object out, const std::string& operation, int round) {
            return reduce(r, root, in, out, operation, round);
          },
          nb::arg("root"), nb::arg("data"), nb::arg("result").none(), nb::arg("operation") = "sum", Kw(),
          nb::arg("round") = 0,
          nb::sig("def reduce(self, root: int, data: object, result: object | None, operation: " WEFT_REDUCTION
                  " = 'sum', *, round: int = 0) -> CollectivePart"),
          "As ``all_reduce()``, on the root only. Elsewhere ``result`` may be None.")
      .def(
          "broadcast",
          [](const PyRequests& r, int root, nb::object data, int round) {
            std::vector<nb::object> keep;
            Collective what{.kind = Collective::Kind::broadcast};
            Memory memory;
            what.out = span_of(data, true, "broadcast", keep, &memory);
            what.type = memory.code();
            what.root = root;
            return add(r, what, round, std::move(keep));
          },
          nb::arg("root"), nb::arg("data"), Kw(), nb::arg("round") = 0,
          R"(Send the root's contiguous array to every rank's.

Returns
-------
CollectivePart)")
      .def(
          "gather",
          [](const PyRequests& r, int root, nb::object in, nb::object out, const Counts& counts, int round) {
            std::vector<nb::object> keep;
            Memory from, to;
            Collective what{.kind = Collective::Kind::gather};
            what.in = span_of(in, false, "gather", keep, &from);
            what.out = span_of(out, true, "gather", keep, &to);
            check_types(from, to, out, "gather");
            what.type = from.code();
            what.root = root;
            what.out_bytes = bytes_of(counts, what.in.size(), from.item, r.list->size);
            if (out.is_none()) what.out_bytes.clear();
            return add(r, std::move(what), round, std::move(keep));
          },
          nb::arg("root"), nb::arg("data"), nb::arg("result").none(), nb::arg("counts") = nb::none(), Kw(),
          nb::arg("round") = 0,
          R"(Gather ``counts[r]`` elements of each rank r on the root, in the order of ranks; None: as many as here of
every rank. Elsewhere ``result`` may be None.

Returns
-------
CollectivePart)")
      .def(
          "all_gather",
          [](const PyRequests& r, nb::object in, nb::object out, const Counts& counts, int round) {
            std::vector<nb::object> keep;
            Memory from, to;
            Collective what{.kind = Collective::Kind::all_gather};
            what.in = span_of(in, false, "all_gather", keep, &from);
            what.out = span_of(out, true, "all_gather", keep, &to);
            check_types(from, to, out, "all_gather");
            what.type = from.code();
            what.out_bytes = bytes_of(counts, what.in.size(), from.item, r.list->size);
            return add(r, std::move(what), round, std::move(keep));
          },
          nb::arg("data"), nb::arg("result"), nb::arg("counts") = nb::none(), Kw(), nb::arg("round") = 0,
          R"(Gather ``counts[r]`` elements of each rank r on every rank, in the order of ranks; None: as many as here of
every rank.

Returns
-------
CollectivePart)")
      .def(
          "all_to_all",
          [](const PyRequests& r, nb::object in, nb::object out, const Counts& in_counts, const Counts& out_counts,
             int round) {
            std::vector<nb::object> keep;
            Memory from, to;
            Collective what{.kind = Collective::Kind::all_to_all};
            what.in = span_of(in, false, "all_to_all", keep, &from);
            what.out = span_of(out, true, "all_to_all", keep, &to);
            check_types(from, to, out, "all_to_all");
            what.type = from.code();
            const int size = r.list->size;
            what.in_bytes = bytes_of(in_counts, equal_share(from, in_counts, size, "data"), from.item, size);
            what.out_bytes = bytes_of(out_counts, equal_share(to, out_counts, size, "result"), to.item, size);
            return add(r, std::move(what), round, std::move(keep));
          },
          nb::arg("data"), nb::arg("result"), nb::arg("counts") = nb::none(), nb::arg("result_counts") = nb::none(),
          Kw(), nb::arg("round") = 0,
          R"(Send ``counts[r]`` elements to each rank r and receive ``result_counts[r]`` from it, in the order of ranks;
None: the same number for every rank, of which the array must have a multiple. Both arrays have one dtype.

Returns
-------
CollectivePart)")
      .def(
          "barrier", [](const PyRequests& r, int round) { return add(r, Collective{}, round, {}); }, Kw(),
          nb::arg("round") = 0, "Add a barrier, complete when every rank has marked it ready.")
      .def_prop_ro(
          "rounds", [](const PyRequests& r) { return open(r).all_rounds(); }, "The number of rounds, at least 1.")
      .def("__len__", [](const PyRequests& r) { return open(r).list().size(); })
      .def(Repr([](const PyRequests& r) {
        return r.list->requests == nullptr ? "closed" : counted(r.list->requests->list().size(), "part");
      }));
}

}  // namespace weft::python
