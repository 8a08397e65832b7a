// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "weft/exchange/options.hpp"
#include "weft/progress/progress.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// One way for a program to communicate: values by name, such as tile, window, progress, grouping, coalesce, carrier,
/// scheme. Names and values are words (letters, digits, - and _). Plain data.
using Setting = std::map<std::string, std::string>;

/// "grouping per_peer, progress thread": for a person.
std::string text_of(const Setting& setting);
/// The value of that name, or `otherwise`.
std::string value_of(const Setting& setting, const std::string& name, const std::string& otherwise);
/// The same as a whole number; an InputError if it is none.
std::size_t number_of(const Setting& setting, const std::string& name, std::size_t otherwise);

/// What a setting says of progress, grouping, carrier, shared_memory and coalesce; what it does not name stays as it
/// is. An InputError that lists what there is, if a value is unknown.
void apply(const Setting& setting, ProgressOptions& options);
/// The same.
void apply(const Setting& setting, MessageOptions& options);
/// The same. `options.progress` is left to the caller, who makes it.
void apply(const Setting& setting, ExchangeOptions& options);
/// The same.
void apply(const Setting& setting, StepOptions& options);

/// The kinds of progress that the transport can have, passive first.
std::vector<ProgressOptions::Kind> progress_kinds_of(const Transport& transport);

/// Ways to run a step, for Tuning: first as a program without weft would (each client by itself, nobody drives), then
/// all clients in one exchange, by all who can drive it, in the groupings that suit them.
std::vector<Setting> step_candidates(const Transport& transport);
/// The same for a single exchange.
std::vector<Setting> exchange_candidates(const Transport& transport);

}  // namespace weft
