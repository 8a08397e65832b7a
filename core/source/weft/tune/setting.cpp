// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/setting.hpp"

#include <charconv>
#include <cstdlib>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using ProgressKind = ProgressOptions::Kind;

bool is_on(const std::string& name, const std::string& value) {
  if (value != "on" && value != "off") throw InputError(name + " can't be '" + value + "'. Use on or off.");
  return value == "on";
}

// Whether several ranks of a node have ranks on other nodes, somewhere. The same on all ranks.
bool has_nodes(Transport& transport) {
  if (!transport.has(Ability::shared_memory)) return false;
  int near = 0;
  for (int rank = 0; rank < transport.size(); ++rank)
    if (transport.shares_memory_with(rank)) ++near;
  return all_reduce(transport, near > 1 && near < transport.size() ? 1 : 0, maximum<int>()) > 0;
}

// The groupings worth trying: only send_receive_threads gain by by_size, since their messages may be sent early.
std::vector<Grouping> groupings_for(ProgressKind kind, bool nodes) {
  std::vector<Grouping> groupings{Grouping::per_peer};
  if (kind != ProgressKind::passive)
    groupings.push_back(kind == ProgressKind::send_receive_threads ? Grouping::by_size : Grouping::per_part);
  if (nodes) groupings.push_back(Grouping::per_node);
  return groupings;
}

constexpr const char* whole = "whole";
constexpr const char* pieces = "pieces";
constexpr const char* direct = "direct";

void use_device(const std::string& way, MessageOptions& options) {
  constexpr std::size_t piece = std::size_t{1} << 18;
  if (way != whole && way != pieces && way != direct)
    throw InputError("The setting device can't be '" + way + "'. Use whole, pieces or direct.");
  options.piece_bytes = way == pieces ? piece : 0;
  options.direct_from_device = way == direct;
}

}  // namespace

std::string text_of(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) text += (text.empty() ? "" : ", ") + name + " " + value;
  return text;
}

std::string value_of(const Setting& setting, const std::string& name, const std::string& otherwise) {
  const auto found = setting.find(name);
  return found == setting.end() ? otherwise : found->second;
}

std::size_t number_of(const Setting& setting, const std::string& name, std::size_t otherwise) {
  const auto found = setting.find(name);
  if (found == setting.end()) return otherwise;
  const auto& text = found->second;
  std::size_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    throw InputError(name + " can't be '" + text + "'. Give a whole number.");
  return value;
}

void apply(const Setting& setting, ProgressOptions& options) {
  if (const auto found = setting.find("progress"); found != setting.end()) options.kind = progress_kind(found->second);
}

void apply(const Setting& setting, MessageOptions& options) {
  for (const auto& [name, value] : setting) {
    if (name == "grouping") options.grouping = grouping_names.named(value);
    if (name == "carrier") options.carrier = carrier_names.named(value);
    if (name == "shared_memory") options.shared_memory = is_on(name, value);
    if (name == "device") use_device(value, options);
    if (name == "requests") options.most_requests = number_of(setting, name, 0);
  }
}

void apply(const Setting& setting, ExchangeOptions& options) { apply(setting, options.messages); }

void apply(const Setting& setting, StepOptions& options) {
  apply(setting, options.messages);
  apply(setting, options.progress);
  if (const auto found = setting.find("coalesce"); found != setting.end())
    options.coalesce = is_on("coalesce", found->second);
}

std::vector<ProgressKind> progress_kinds_of(const Transport& transport) {
  std::vector<ProgressKind> kinds{ProgressKind::passive, ProgressKind::polling};
  if (transport.thread_multiple())
    kinds.insert(kinds.end(), {ProgressKind::thread, ProgressKind::send_receive_threads});
  return kinds;
}

std::vector<Setting> exchange_candidates(Transport& transport, std::size_t parts) {
  std::vector<Setting> candidates;
  const bool nodes = has_nodes(transport);
  for (const auto kind : progress_kinds_of(transport))
    for (const auto grouping : groupings_for(kind, nodes)) {
      candidates.push_back({{"progress", name_of(kind)}, {"grouping", name_of(grouping)}});
      const auto plain = candidates.back();
      for (const std::size_t most : {256, 1024, 4096}) {
        if (most >= parts) continue;
        candidates.push_back(plain);
        candidates.back()["requests"] = std::to_string(most);
      }
    }
  return candidates;
}

std::vector<Setting> device_candidates(Transport& transport, const std::vector<Setting>& candidates) {
  const char* const seen = std::getenv("WEFT_DIRECT_FROM_DEVICE");
  const bool may = all_reduce(transport, seen != nullptr && seen == std::string("1") ? 1 : 0, minimum<int>()) == 1;
  std::vector<Setting> all;
  for (const auto* way : {whole, pieces, direct})
    for (auto candidate : candidates) {
      if (way == direct && !may) continue;
      candidate["device"] = way;
      all.push_back(std::move(candidate));
    }
  return all;
}

std::vector<Setting> step_candidates(Transport& transport, std::size_t parts) {
  auto candidates = exchange_candidates(transport, parts);
  for (auto& candidate : candidates) candidate["coalesce"] = "on";
  auto plain = candidates.front();
  plain["coalesce"] = "off";
  candidates.insert(candidates.begin(), std::move(plain));
  return candidates;
}

}  // namespace weft
