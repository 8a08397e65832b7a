// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "weft/step/client.hpp"

namespace weft::insitu {

/// Data of a size that only the sender knows, for fixed peers: a client with one part of up to `chunk_bytes` per step
/// and peer, so that large data are sent with the step's messages over several steps.
///
/// It is active for the number of steps that the longest list of any rank needs; the ranks must agree on it.
class Stream final : public Client {
 public:
  Stream(std::vector<int> to, std::vector<int> from, std::size_t chunk_bytes);

  /// Sets the next data for the i-th peer. Between two uses of the stream.
  void load(std::size_t i, std::vector<std::byte> bytes);
  /// The number of steps that this rank needs for the loaded data.
  std::int64_t steps() const;
  /// All data received from the i-th peer since the last call.
  std::vector<std::byte> take(std::size_t i);

  void request(Requests& requests) override;
  void before(Step& step) override;
  void after(Step& step) override;

 private:
  std::vector<int> to_, from_;
  std::size_t chunk_bytes_;
  std::vector<std::vector<std::byte>> out_, in_;  // all
  std::vector<std::size_t> sent_;                 // of out_
  std::vector<SendPart> sends_;
  std::vector<ReceivePart> receives_;
};

}  // namespace weft::insitu
