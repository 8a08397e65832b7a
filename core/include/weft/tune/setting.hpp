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

namespace [[gnu::visibility("default")]] weft {

/// One way for a program to communicate: values by name, such as tile, window, progress, grouping, coalesce, carrier,
/// scheme. Names and values are words (letters, digits, - and _).
using Setting = std::map<std::string, std::string>;

/// A text for the user: "grouping per_peer, progress thread".
std::string text_of(const Setting& setting);
/// The value with this name, or `otherwise`.
std::string value_of(const Setting& setting, const std::string& name, const std::string& otherwise);
/// The same as a whole number. Throws an InputError if the value is none.
std::size_t number_of(const Setting& setting, const std::string& name, std::size_t otherwise);

/// Sets the options that the setting names (progress, grouping, carrier, shared_memory, requests, device, coalesce);
/// others stay as they are. Throws an InputError with the allowed values if a value is unknown.
void apply(const Setting& setting, ProgressOptions& options);
/// The same.
void apply(const Setting& setting, MessageOptions& options);
/// The same, except for `options.progress`, which the caller creates.
void apply(const Setting& setting, ExchangeOptions& options);
/// The same.
void apply(const Setting& setting, StepOptions& options);

/// The progress modes that the transport supports, passive first.
std::vector<ProgressOptions::Kind> progress_kinds_of(const Transport& transport);

/// Candidates for the Tuning of a step: first as without weft (each client separately, passive), then all clients in
/// one exchange, with all progress modes, each in the groupings that suit it; per_node only if there are several nodes
/// of several ranks. `parts`: how many parts a rank sends; with more than some hundred, each also with limits of
/// requests (MessageOptions::most_requests). Collective. The same on all ranks.
std::vector<Setting> step_candidates(Transport& transport, std::size_t parts = 0);
/// The same for a single exchange.
std::vector<Setting> exchange_candidates(Transport& transport, std::size_t parts = 0);
/// For parts in memory of a device: each candidate with messages that are whole ("device whole"), or sent in pieces of
/// 256 KiB while the next piece is packed ("pieces"). If WEFT_DIRECT_FROM_DEVICE=1 on all ranks, which `weft doctor
/// --device` recommends if it has seen that work, also with MessageOptions::direct_from_device ("direct"). Collective.
std::vector<Setting> device_candidates(Transport& transport, const std::vector<Setting>& candidates);

}  // namespace weft
