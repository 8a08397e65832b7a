// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Alltoallv final : public WithBuffers {
 public:
  Alltoallv(const Group& group, std::size_t count)
      : WithBuffers(group, count), all_(group.size, [&](int r) { return uneven(count_, r + group.rank); }) {
    in_ = room(all_.total);
    out_ = room(all_.total);
  }
  void fill() override {
    for (int r = 0; r < group_.size; ++r) {
      const auto k = static_cast<std::size_t>(r);
      put(in_, all_.offsets[k], all_.counts[k], group_.rank, r);
    }
    forget(out_);
  }
  bool right() const override {
    for (int r = 0; r < group_.size; ++r) {
      const auto k = static_cast<std::size_t>(r);
      if (!has(out_, all_.offsets[k], all_.counts[k], r, group_.rank)) return false;
    }
    return true;
  }
  WEFT_BENCH_CALLS(Alltoallv, Ialltoallv)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), all_.counts.data(), all_.offsets.data(), MPI_DOUBLE, out_.data(), all_.counts.data(),
                    all_.offsets.data(), MPI_DOUBLE, group_.comm, more...);
  }

  Parts all_;  // a rank receives from each rank as many numbers as it sends to it
};

}  // namespace

Entry alltoallv_entry() { return entry<Alltoallv>("alltoallv"); }

}  // namespace weft::bench::collectives
