// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tests/support/scratch.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::test {

/// A folder that all ranks use, removed after all have finished.
class SharedScratch {
 public:
  explicit SharedScratch(Transport& transport) : transport_(transport) {
    if (transport.rank() == 0) mine_ = std::make_unique<Scratch>();
    path = broadcast(transport, mine_ ? mine_->path().string() : std::string());
  }
  ~SharedScratch() { barrier(transport_); }
  SharedScratch(const SharedScratch&) = delete;
  SharedScratch& operator=(const SharedScratch&) = delete;

  std::filesystem::path path;

 private:
  Transport& transport_;
  std::unique_ptr<Scratch> mine_;
};

}  // namespace weft::test
