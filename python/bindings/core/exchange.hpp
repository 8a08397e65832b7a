// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/end.hpp"
#include "core/options.hpp"
#include "core/requests.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::python {

namespace nb = nanobind;

/// An exchange with all that must live as long: its transport, timeline and arrays. Shared by weft.Exchange and the
/// handle of its start.
class ExchangeCore final : public Live {
 public:
  ExchangeCore(std::shared_ptr<mpi::Communicator> transport, const Options& options);
  ~ExchangeCore() override { close(); }

  /// The list of a new client.
  const std::shared_ptr<List>& client(const std::string& name);
  /// The exchange. Throws an Error if it was closed.
  Exchange& get() const;
  /// Throws the Error of a failure, if the exchange has failed.
  void check_alive() const;
  /// Fails, without the GIL. Nothing if it was closed.
  void fail(const std::string& why);
  /// Posts all receives, without the GIL.
  StartedExchange start(std::uint64_t buffer_index, const device::Queue& queue);
  /// Of a stream of the program, or None, in which case a start may have that of an array.
  device::Queue queue_of(nb::handle stream, bool starts) const;
  /// Sets the array of a part.
  void rebind(Part part, Region region, nb::object array);
  bool is_closed() const { return exchange_ == nullptr; }
  /// Throws an Error unless the part is of this exchange.
  template <class P>
  P check(const PyPart<P>& part) const {
    if (part.part.client >= lists_.size()) check_part(part.list, 0);
    check_part(part.list, lists_[part.part.client]->id);
    return part.part;
  }
  List& list(std::uint32_t client) const { return *lists_[client]; }
  const std::shared_ptr<mpi::Communicator>& transport() const { return transport_; }
  Timeline* timeline() const { return timeline_.get(); }

  void end_start(const std::string& why, bool has_raised) override;
  void close() override;
  bool is_in_use() const override { return static_cast<bool>(use); }

  InUse use;
  StartedExchange* started = nullptr;  ///< the handle of the last start; null: it was dropped

 private:
  std::shared_ptr<mpi::Communicator> transport_;
  std::shared_ptr<Timeline> timeline_;
  std::unique_ptr<Exchange> exchange_;
  std::vector<std::shared_ptr<List>> lists_;  // by client number
};

/// weft.Exchange.
struct PyExchange {
  std::shared_ptr<ExchangeCore> core;
};

/// weft.StartedExchange: the handle of a start, which keeps the exchange alive.
struct PyStarted {
  PyStarted(std::shared_ptr<ExchangeCore> of, StartedExchange of_start, device::Queue of_stream, nb::object given)
      : core(std::move(of)), handle(std::move(of_start)), queue(std::move(of_stream)), stream(std::move(given)) {
    core->started = &handle;
  }
  PyStarted(const PyStarted&) = delete;
  PyStarted& operator=(const PyStarted&) = delete;
  /// Waits if all sends are ready, and fails otherwise.
  ~PyStarted() { drop(); }
  void drop();
  /// Fails, without the GIL, unless the start is over.
  void fail(const std::string& why);

  std::shared_ptr<ExchangeCore> core;
  StartedExchange handle;
  device::Queue queue;  ///< of start()
  nb::object stream;    ///< given to start(), which must exist as long
};

}  // namespace weft::python
