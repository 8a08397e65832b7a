// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "weft/step/client.hpp"

namespace weft::insitu {

/// Bytes of which only the sender knows how many, to peers that are always the same: a client with one part of up to
/// `chunk_bytes` a step and peer, so that what is large rides with the step's messages over several steps.
///
/// It is active for as many steps as the longest list of any rank needs, which the ranks have to agree on.
class Stream final : public Client {
 public:
  Stream(std::vector<int> to, std::vector<int> from, std::size_t chunk_bytes);

  /// What goes to the i-th peer next. Between two uses of the stream.
  void load(std::size_t i, std::vector<std::byte> bytes);
  /// Steps that this rank needs for what is loaded.
  std::int64_t steps() const;
  /// All that came from the i-th peer since it was last asked.
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
