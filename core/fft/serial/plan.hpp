// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "fft/serial_transform.hpp"

namespace weft::fft::serial {

/// A planned transform of one backend. Immutable, so any threads may execute it at once.
class Plan {
 public:
  Plan() = default;
  virtual ~Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  /// As SerialTransform::execute.
  virtual void execute(const void* in, void* out) const = 0;
};

/// What SerialTransform's constructor gets. No axis is empty.
struct Request {
  TransformKind kind = TransformKind::forward;
  std::vector<Axis> transformed, repeated;
  Effort effort = Effort::estimate;
};

}  // namespace weft::fft::serial
