// SPDX-License-Identifier: BSD-3-Clause
#include "advise/step_hint.hpp"

#include <cctype>

namespace weft::advise {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether `part` is in `whole`. Line 8 is not a part of line 88.
bool contains(const std::string& whole, const std::string& part) {
  for (auto at = whole.find(part); at != whole.npos; at = whole.find(part, at + 1)) {
    const auto end = at + part.size();
    if (end == whole.size() || !is_digit(part.back()) || !is_digit(whole[end])) return true;
  }
  return false;
}

}  // namespace

bool names(const std::string& text, const Name& place) {
  if (text.empty()) return false;
  const auto at = place.text.substr(0, place.text.find(' '));
  return contains(place.text, text) || (!place.function.empty() && contains(place.function + " (" + at + ")", text));
}

bool names(const std::string& text, const std::string& call, const Name& place) {
  if (text == call) return true;
  if (!text.starts_with(call + " ")) return names(text, place);
  auto rest = text.substr(call.size() + 1);
  for (const auto* word : {"in ", "at "})
    if (rest.starts_with(word)) rest.erase(0, 3);
  return names(rest, place);
}

StepHint::StepHint(const std::string& text, const Recorder& recorder, const Naming& naming) {
  const auto sites = recorder.sites();
  matches_.resize(sites.size());
  std::vector<CallSite> places;
  for (const auto& site : sites) places.push_back(call_site_of(site.address));
  const auto own = naming.names_of(places);
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (names(text, sites[i].call, own[i])) matches_[i] = any_ = true;
  if (any_) return;
  std::vector<std::size_t> called;  // the site of each place
  places.clear();
  const auto of_sites = recorder.callers(0, 0);
  for (std::size_t i = 0; i < sites.size(); ++i)
    for (const auto& caller : of_sites[i]) {
      called.push_back(i);
      places.push_back(call_site_of(caller.address));
    }
  const auto callers = naming.names_of(places);
  for (std::size_t k = 0; k < called.size(); ++k)
    if (names(text, callers[k])) matches_[called[k]] = any_ = true;
  for (std::size_t k = 0; k < called.size(); ++k)
    if (matches_[called[k]] && !names(text, callers[k])) one_of_callers_ = true;
}

}  // namespace weft::advise
