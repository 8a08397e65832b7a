// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// What this rank could not write, kept until all ranks can learn of it at the same place. So one rank writes its rows
/// inside a step, and a full disk costs no synchronisation of its own.
class KeptFailure {
 public:
  /// Writes something on this rank. An InputError that no other rank knows of is kept (the first one); others pass.
  void keep(const std::function<void()>& write);
  /// Whether this rank keeps one.
  bool any() const { return !text_.empty(); }
  /// Throws it as an error of all ranks: for every rank, once they have learnt that one keeps one.
  [[noreturn]] void fail() const;
  /// Throws on every rank what one of them keeps. Collective.
  void agree(Transport& transport) const;

 private:
  std::string text_{};
};

}  // namespace weft::program
