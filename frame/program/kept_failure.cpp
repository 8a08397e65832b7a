// SPDX-License-Identifier: BSD-3-Clause
#include "program/kept_failure.hpp"

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

void KeptFailure::keep(const std::function<void()>& write) {
  try {
    write();
  } catch (const InputError& e) {
    if (e.everywhere()) throw;
    if (text_.empty()) text_ = e.what();
  }
}

void KeptFailure::check() const {
  if (!is_known_) return;
  throw InputError(
      text_.empty()
          ? "Another rank could not write its files. Check the space and the permissions of the output folder."
          : text_,
      true);
}

void KeptFailure::agree(Transport& transport) const {
  together(transport, [&] {
    if (any()) throw InputError(text_);
  });
}

}  // namespace weft::program
