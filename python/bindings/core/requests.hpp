// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/memory.hpp"
#include "weft/exchange/requests.hpp"

namespace weft::python {

namespace nb = nanobind;

/// What the Python objects of one list of requests share. The arrays of the list are kept alive here.
struct List {
  std::uint64_t id = next_id();                                      ///< of this list, in this process
  Requests* requests = nullptr;                                      ///< null: the list is closed
  int size = 1;                                                      ///< ranks
  const Transport* transport = nullptr;                              ///< of the exchange, or of the step manager
  std::map<std::uint32_t, std::vector<nb::object>> kept;             ///< by the index of the part
  std::map<std::uint32_t, nb::object> lent;                          ///< in place of those for one start
  std::shared_ptr<device::Device> device;                            ///< of the first array in memory of one
  std::map<std::uint32_t, std::shared_ptr<device::Device>> devices;  ///< of such parts, by their index
  std::vector<nb::object> replaced, replaced_before;                 ///< arrays of a device, which it may still write

  /// Another array takes the place of a part's; those of a device are kept until the next start is over.
  void replace(std::uint32_t index, nb::object array);
  /// A start begins: the last one is over.
  void begin_start();
  /// What ready() and accept() wait for: the stream; if it is None, the array's own, and that of the start.
  device::Queue queue_of_part(std::uint32_t index, nb::handle stream, const device::Queue& of_start) const;
  device::Queue queue_of_array(std::uint32_t index, nb::handle array, nb::handle stream,
                               const device::Queue& of_start) const;
  /// What a start waits for: the stream; if it is None, that of an array.
  device::Queue queue_of_start(nb::handle stream) const;

  static std::uint64_t next_id();
};

/// weft.Requests. Valid until its list is closed; keeps the exchange alive.
struct PyRequests {
  std::shared_ptr<List> list;
  std::shared_ptr<void> owner{};  ///< of the list: the exchange, or nothing
};

/// A handle of a part, which knows its list: a part of another exchange is refused.
template <class P>
struct PyPart {
  P part;
  std::uint64_t list;
};

/// Whether it is a ReceivePart; otherwise it is a SendPart. Throws a TypeError for anything else.
bool is_receive(nb::handle part);

/// Throws an Error unless the part belongs to this list.
void check_part(std::uint64_t of_part, std::uint64_t list);

/// The memory of a part: an array, several (one per buffer index), or a number of bytes (its address is set later), in
/// memory where the array `like` is. Adds what has to stay alive to `keep`.
Buffers buffers_of(nb::handle arrays, bool writes, char order, const char* what, std::vector<nb::object>& keep,
                   Where where = Where::host, nb::handle like = nb::none());

/// The reduction ("sum", "minimum", "maximum") of elements of this type.
ReductionOfBytes reduction_of(const std::string& name, Kind kind, std::size_t item);
/// How received data are combined with an array.
Combine combine_of(const std::string& name, const Memory& memory);

}  // namespace weft::python
