// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// A write error of this rank, kept until all ranks can learn of it at the same place. So one rank can write its rows
/// inside a step, and a full disk costs no extra synchronisation.
class KeptFailure {
 public:
  /// Runs `write` on this rank. Keeps an InputError that no other rank knows of (the first one); other exceptions pass.
  void keep(const std::function<void()>& write);
  /// Whether this rank keeps an error.
  bool any() const { return !text_.empty(); }
  /// To be called on every rank in the same step, after a reduction gave the number of ranks that keep an error. Does
  /// not throw: a rank that leaves a step early would cancel messages that other ranks still wait for.
  void learn(std::int64_t ranks) { is_known_ = is_known_ || ranks > 0; }
  /// Throws the error on all ranks if they have learnt of one. To be called between steps.
  void check() const;
  /// Throws on every rank an error that one of them keeps. Collective.
  void agree(Transport& transport) const;

 private:
  std::string text_{};
  bool is_known_ = false;  // all ranks know that one keeps an error
};

}  // namespace weft::program
