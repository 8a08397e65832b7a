// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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
  /// Every rank, of the same step, once a reduction told how many of all ranks keep one. Does not throw: who leaves a
  /// step in its middle lets go of messages that others still wait for.
  void learn(std::int64_t ranks) { is_known_ = is_known_ || ranks > 0; }
  /// Throws it as an error of all ranks if they have learnt of one. Between steps.
  void check() const;
  /// Throws on every rank what one of them keeps. Collective.
  void agree(Transport& transport) const;

 private:
  std::string text_{};
  bool is_known_ = false;  // by all ranks: one keeps one
};

}  // namespace weft::program
