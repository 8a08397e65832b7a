// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <type_traits>

#include "core/bind.hpp"
#include "weft/exchange/options.hpp"
#include "weft/progress/progress.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"
#include "weft/tune/setting.hpp"

namespace weft::python {

namespace nb = nanobind;

/// weft.Progress: shared by all exchanges that are given it.
struct PyProgress {
  std::shared_ptr<Progress> progress;
};

/// weft.Timeline.
struct PyTimeline {
  std::shared_ptr<Timeline> timeline;
};

/// The options of an exchange and of a step, by keyword.
struct Options {
  MessageOptions messages;
  ProgressOptions progress;
  std::shared_ptr<Progress> shared;     ///< given as an object
  std::shared_ptr<Timeline> timeline;   ///< may be null
  bool coalesce = true;                 ///< steps only
  bool compares_buffer_indices = true;  ///< exchanges only

  /// Takes the values of all keywords. Throws a TypeError or an InputError if a value is wrong, and a TypeError that
  /// names `function` if a keyword is unknown.
  void take(const nb::dict& keywords, const char* function);
  /// The options of an exchange; creates the progress threads.
  ExchangeOptions of_exchange(const Transport& transport) const;
  StepOptions of_step() const;
};

/// A flag: a bool of Python or numpy, or 0 or 1; nothing for any other object.
std::optional<bool> flag_of(nb::handle value);
/// The value of a flag called `name`. Throws a TypeError if it is none.
bool flag(nb::handle value, const char* name);

/// Takes one keyword, if it is there; its value replaces `value`.
template <class T>
void take(nb::dict& keywords, const char* name, T& value) {
  if (!keywords.contains(name)) return;
  nb::object given = keywords[name];
  bool is_taken = false;
  if constexpr (std::is_same_v<T, bool>) {
    const auto flag = flag_of(given);
    is_taken = flag.has_value();
    value = flag.value_or(value);
  } else {
    is_taken = nb::try_cast(given, value);
  }
  if (!is_taken)
    throw nb::type_error(
        ("The value of '" + std::string(name) + "' has a wrong type (" + nb::cast<std::string>(nb::repr(given)) + ").")
            .c_str());
  PyDict_DelItemString(keywords.ptr(), name);
}

/// A setting from a dictionary of words.
Setting setting_of(nb::handle words);
/// A dictionary of words.
nb::dict words_of(const Setting& setting);
nb::list words_of(const std::vector<Setting>& settings);

/// The keywords of Options for a signature, with their defaults.
#define WEFT_OPTIONS                                                                             \
  "progress: " WEFT_PROGRESS " | Progress = 'polling', grouping: " WEFT_GROUPING                 \
  " = 'per_peer', carrier: " WEFT_CARRIER                                                        \
  " = 'messages', "                                                                              \
  "shared_memory: bool = False, defer_unpacking: bool = False, packed_limit_bytes: int = 0, "    \
  "by_size_bytes: int = 0, piece_bytes: int | None = None, most_requests: int = 0, "             \
  "watchdog_seconds: float = 0, "                                                                \
  "interval_seconds: float = 5e-05, threads: int = 2, pin: collections.abc.Sequence[int] = (), " \
  "timeline: Timeline | None = None"

}  // namespace weft::python
