// SPDX-License-Identifier: BSD-3-Clause
#include "weft/pipeline/pipeline.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/bind.hpp"
#include "core/exchange.hpp"
#include "core/raised.hpp"
#include "core/repr.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/transport/failure.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"

namespace weft::python {
namespace {

/// weft.Tile.
struct PyTile {
  Tile tile;
  std::shared_ptr<bool> is_running;  // false once the pipeline is over
};

using Exchanges = std::vector<std::shared_ptr<ExchangeCore>>;  // each once

// What communicate() has returned: handles of weft, requests of mpi4py (or any object with Test or test), a sequence of
// these, or None. Only the thread of the pipeline tests it: progress threads never touch Python. (An exchange with a
// progress thread makes its progress itself.) Moving it takes no GIL.
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : items_(std::exchange(other.items_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(items_, other.items_);
    return *this;
  }
  ~Handle() {
    if (items_ == nullptr) return;
    const nb::gil_scoped_acquire gil;
    delete items_;
  }

  // If something that was returned is no handle, `error` is set, and the rest is waited for. The exchanges are added to
  // `exchanges`.
  static Handle of(const nb::object& returned, std::exception_ptr& error, Exchanges& exchanges) {
    Handle handle;
    handle.items_ = new std::vector<Item>;
    handle.add(returned, error);
    for (const auto& item : *handle.items_)
      if (item.started != nullptr && std::ranges::find(exchanges, item.started->core) == exchanges.end())
        exchanges.push_back(item.started->core);
    return handle;
  }

  bool test() {
    if (items_ == nullptr) return true;
    bool all = true;
    for (auto& item : *items_) all = item.test() && all;
    return all;
  }
  void wait() {
    if (items_ == nullptr) return;
    for (auto& item : *items_)
      if (item.started != nullptr && !item.started->handle.is_over()) item.started->handle.wait();
  }
  void check_ready() const {
    if (items_ == nullptr) return;
    for (const auto& item : *items_)
      if (item.started != nullptr) item.started->handle.check_ready();
  }
  void watch() {
    if (items_ == nullptr) return;
    for (auto& item : *items_)
      if (item.started != nullptr) item.started->handle.watch();
  }
  // Called while an exception is handled. Exchanges fail; the rest is tested. True if nothing is in flight any more.
  bool abandon() noexcept {
    if (items_ == nullptr) return true;
    const auto why = weft::text_of(std::current_exception());
    bool all = true;
    for (auto& item : *items_) {
      if (item.started != nullptr)
        item.started->handle.fail(why);
      else
        all = item.is_free() && all;
    }
    return all;
  }

 private:
  struct Item {
    nb::object object;
    PyStarted* started = nullptr;           // null: another object
    std::unique_ptr<InUse::Call> in_use{};  // of its exchange
    nb::object test_method{};               // of another object
    bool is_done = false;

    bool test() {
      if (started != nullptr) return started->handle.test();
      if (is_done) return true;
      const nb::gil_scoped_acquire gil;
      of_program([this] {
        nb::object result = test_method();
        if (nb::isinstance<nb::tuple>(result)) result = nb::borrow(result[0]);  // mpi4py's test(): (flag, message)
        is_done = PyObject_IsTrue(result.ptr()) == 1;
      });
      timeout().tested(is_done);
      return is_done;
    }
    // If its test raises, nothing more is known about it.
    bool is_free() noexcept {
      try {
        return test();
      } catch (const std::exception&) {
        return is_done = true;
      }
    }
  };

  void add(const nb::object& object, std::exception_ptr& error) {
    if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {
      for (const auto one : object) add(nb::borrow(one), error);
    } else if (!object.is_none()) {
      try {
        items_->push_back(item_of(object));
      } catch (...) {
        error = std::current_exception();
      }
    }
  }

  static Item item_of(const nb::object& object) {
    Item item{.object = object};
    if (PyStarted* started = nullptr; nb::try_cast(object, started, false) && started != nullptr) {
      item.started = started;
      item.in_use = std::make_unique<InUse::Call>(started->core->use);
      return item;
    }
    for (const char* name : {"Test", "test"})
      if (!item.test_method.is_valid() && nb::hasattr(object, name)) item.test_method = object.attr(name);
    if (!item.test_method.is_valid())
      throw nb::type_error(
          "communicate() of a pipeline has returned an object that can't be tested. Return a StartedExchange, a "
          "request of mpi4py, a list of these, or None.");
    return item;
  }

  std::vector<Item>* items_ = nullptr;
};

// As weft._case.is_false: False of Python, or a bool of numpy that is false; other values mean nothing.
bool is_false(const nb::object& answer) {
  if (answer.ptr() == Py_False) return true;
  if (answer.is_none() || answer.ptr() == Py_True) return false;
  if (!nb::object(answer.type().attr("__module__")).equal(nb::str("numpy")) || !nb::hasattr(answer, "dtype"))
    return false;
  return nb::cast<std::size_t>(answer.attr("ndim")) == 0 &&
         nb::cast<std::string>(answer.attr("dtype").attr("kind")) == "b" && PyObject_IsTrue(answer.ptr()) == 0;
}

void run(std::optional<std::size_t> iterations, const nb::object& compute, const nb::object& communicate,
         const nb::object& consume, std::size_t tile, std::size_t window, const nb::object& buffers, std::size_t tiles,
         nb::handle comm, const nb::object& timeline, const std::string& client) {
  const auto transport = transport_of(comm);
  std::vector<nb::object> held;
  if (buffers.is_none())
    held.assign(detail::slots_of({.window = window}, held.max_size()), nb::none());
  else
    for (const auto buffer : buffers) held.push_back(nb::borrow(buffer));
  std::vector<nb::object*> places;
  for (auto& buffer : held) places.push_back(&buffer);
  PipelineOptions options{.tile = tile, .window = window, .tiles = iterations ? tiles : endless};
  options.client = client.c_str();
  PyTimeline* of_python = nullptr;
  if (!timeline.is_none() && nb::try_cast(timeline, of_python, false)) options.timeline = of_python->timeline.get();
  const auto is_running = std::make_shared<bool>(true);
  struct End {
    bool& running;
    ~End() { running = false; }
  } end{*is_running};
  Exchanges exchanges;       // that communicate has started
  std::exception_ptr error;  // of what communicate has returned: thrown when its other handles are in flight
  const auto call = [&](const nb::object& function, const Tile& t, nb::object* buffer) {
    if (error) std::rethrow_exception(error);
    return of_program([&] { return function(PyTile{t, is_running}, *buffer); });
  };
  const nb::gil_scoped_release released;
  try {
    pipeline(
        *transport, iterations.value_or(endless), options, std::span<nb::object*>(places),
        [&](const Tile& t, nb::object*& buffer) -> bool {
          const nb::gil_scoped_acquire gil;
          const nb::object result = call(compute, t, buffer);
          return !is_false(result);
        },
        [&](const Tile& t, nb::object*& buffer) {
          const nb::gil_scoped_acquire gil;
          return Handle::of(call(communicate, t, buffer), error, exchanges);
        },
        [&](const Tile& t, nb::object*& buffer) {
          const nb::gil_scoped_acquire gil;
          call(consume, t, buffer);
        });
  } catch (...) {  // those that are not in flight here may be in flight on other ranks
    const auto why = weft::text_of(std::current_exception());
    for (const auto& exchange : exchanges)
      if (!exchange->is_closed() && !exchange->get().has_failed()) exchange->get().fail(why);
    throw;
  }
}

}  // namespace

void bind_pipeline(nb::module_& m) {
  nb::class_<PyTile>(m, "Tile", R"(Iterations ``first`` to ``end - 1`` of this rank's loop, in a pipeline.)")
      .def_prop_ro(
          "index", [](const PyTile& t) { return t.tile.index; },
          "The number of the tile, from 0; tiles of the same number on all ranks belong together.")
      .def_prop_ro(
          "first", [](const PyTile& t) { return t.tile.first; }, "The first iteration.")
      .def_prop_ro(
          "count", [](const PyTile& t) { return t.tile.count; }, "The number of iterations; 0: an empty tile.")
      .def_prop_ro(
          "end", [](const PyTile& t) { return t.tile.end(); }, "One past the last iteration.")
      .def_prop_ro(
          "slot", [](const PyTile& t) { return t.tile.slot; }, "The buffer index: index modulo (window + 1).")
      .def_prop_ro(
          "empty", [](const PyTile& t) { return t.tile.empty(); }, "Whether there is nothing to compute.")
      .def(
          "progress",
          [](const PyTile& t) {
            if (!*t.is_running)
              throw Error("A tile is used after its pipeline has ended. Use it only in the callbacks.");
            const nb::gil_scoped_release released;
            t.tile.progress();
          },
          "Make progress on the tiles in flight, if a call is due; 4 to 16 calls per tile are enough.")
      .def(Repr([](const PyTile& t) {
        return std::to_string(t.tile.index) + ", iterations " + std::to_string(t.tile.first) + " to " +
               std::to_string(t.tile.end());
      }));

  m.def("pipeline", &run, nb::arg("iterations").none(), nb::arg("compute"), nb::arg("communicate"), nb::arg("consume"),
        nb::kw_only(), nb::arg("tile") = 1, nb::arg("window") = 1, nb::arg("buffers") = nb::none(),
        nb::arg("tiles") = 0, nb::arg("comm") = nb::none(), nb::arg("timeline") = nb::none(), nb::arg("client") = "",
        nb::sig("def pipeline(iterations: int | None, compute: collections.abc.Callable[[Tile, typing.Any], object], "
                "communicate: collections.abc.Callable[[Tile, typing.Any], object], consume: "
                "collections.abc.Callable[[Tile, typing.Any], object], *, tile: int = 1, window: int = 1, buffers: "
                "collections.abc.Iterable[typing.Any] | None = None, tiles: int = 0, comm: object | None = None, "
                "timeline: Timeline | None = None, client: str = '') -> None"),
        R"(Overlap the communication of a loop's tiles with the computation of the next tiles.

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
    their arrays.)");
}

}  // namespace weft::python
