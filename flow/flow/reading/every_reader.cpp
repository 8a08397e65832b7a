// SPDX-License-Identifier: BSD-3-Clause
#include "flow/reading/every_reader.hpp"

namespace weft::flow {

using program::Dimension;
using program::Range;

Every read_every(const program::SectionReader& in) {
  Every result;
  const auto* every = in.find("every");
  if (every == nullptr) return result;
  if (std::holds_alternative<std::int64_t>(every->data)) {
    if (const auto steps = in.whole_number("every", 0); steps > 0) result.every_steps = steps;
  } else if (const auto seconds = in.quantity("every", Dimension::time, Range::not_negative); seconds > 0) {
    result.every_seconds = seconds;
  }
  return result;
}

}  // namespace weft::flow
