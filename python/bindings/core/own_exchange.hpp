// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/exchange.hpp"

namespace weft::python {

namespace nb = nanobind;

/// The exchange of an object that sends all its parts at each start: of weft.Halo and weft.GraphExchange.
class OwnExchange {
 public:
  /// `what` begins messages: "A halo". `name`: a variable's.
  OwnExchange(const char* what, const char* name) : what_(what), name_(name) {}
  ~OwnExchange();
  OwnExchange(const OwnExchange&) = delete;
  OwnExchange& operator=(const OwnExchange&) = delete;

  /// Takes the exchange, and commits it. Needed before start() and repeat().
  void commit(std::shared_ptr<ExchangeCore> core);
  bool has_exchange() const { return core_ != nullptr; }
  /// `stream`: of the program, or None; see Exchange.start().
  void start(std::uint64_t buffer_index, nb::object stream);
  void progress();
  bool test();
  void finish(nb::handle stream);
  /// Seconds of `count` starts and finishes in C++, with which `python -m weft.bench` compares those from Python.
  double repeat(std::size_t count);
  void fail(const std::string& why);
  bool has_failed() const { return core_ && !core_->is_closed() && core_->get().has_failed(); }
  bool is_active() const { return !handle_.is_over() && !has_failed(); }
  void close();
  /// Empty if there is none, or it was closed.
  std::string describe() const { return core_ && !core_->is_closed() ? core_->get().describe() : std::string(); }

  /// Of a `with` statement. `error`: the exception that leaves it, or None.
  void enter() const;
  void exit(nb::handle error);

 private:
  void start_without_gil(std::uint64_t buffer_index, const device::Queue& queue);
  void finish_without_gil(const device::Queue& queue);

  const char *what_, *name_;
  std::shared_ptr<ExchangeCore> core_;
  StartedExchange handle_;
  nb::object stream_ = nb::none();  // of the last start: it must exist as long
  int rounds_ = 1;
};

/// `.def(OwnExchangeMethods{"def __enter__(self) -> Halo"})` adds the methods to a class that is derived from it.
class OwnExchangeMethods : public nb::def_visitor<OwnExchangeMethods> {
 public:
  explicit OwnExchangeMethods(const char* enter) : enter_(enter) {}

  template <class Class>
  void execute(Class& c) const {
    c.def("progress", &OwnExchange::progress, "As ``StartedExchange.progress()``.")
        .def(
            "test", &OwnExchange::test,
            R"(Make MPI progress, and return whether ``finish()`` would return at once. With several rounds: only whether
nothing is in flight.)")
        .def("finish", &OwnExchange::finish, nb::kw_only(), nb::arg("stream") = nb::none(),
             nb::sig("def finish(self, *, " WEFT_STREAM ") -> None"),
             "Wait until all values have arrived, without the GIL; with a stream, it waits for those of a device.")
        .def("fail", &OwnExchange::fail, nb::arg("why"), "As ``Exchange.fail()``.")
        .def_prop_ro("has_failed", &OwnExchange::has_failed, "As ``Exchange.has_failed``.")
        .def_prop_ro("is_active", &OwnExchange::is_active, "Whether a start was not finished yet.")
        .def("close", &OwnExchange::close, "Destroy the exchange now, and release the arrays from it. Collective.")
        .def(
            "__enter__",
            [](nb::handle_t<typename Class::Type> self) {
              nb::cast<const typename Class::Type&>(self).enter();
              return nb::borrow(self);
            },
            nb::sig(enter_))
        .def(
            "__exit__", [](typename Class::Type& own, nb::object, nb::object value, nb::object) { own.exit(value); },
            nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none());
  }

 private:
  const char* enter_;
};

}  // namespace weft::python
