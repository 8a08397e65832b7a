// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Scatterv final : public WithBuffers {
 public:
  Scatterv(const Group& group, std::size_t count)
      : WithBuffers(group, count), all_(group.size, [&](int r) { return uneven(count_, r); }) {
    if (root()) in_ = room(all_.total);
    out_ = room(own());
  }
  void fill() override {
    forget(out_);
    if (!root()) return;
    for (int r = 0; r < group_.size; ++r) {
      const auto k = static_cast<std::size_t>(r);
      put(in_, all_.offsets[k], all_.counts[k], 0, r);
    }
  }
  bool right() const override { return has(out_, 0, own(), 0, group_.rank); }
  WEFT_BENCH_CALLS(Scatterv, Iscatterv)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), all_.counts.data(), all_.offsets.data(), MPI_DOUBLE, out_.data(), own(), MPI_DOUBLE, 0,
                    group_.comm, more...);
  }
  int own() const { return all_.counts[static_cast<std::size_t>(group_.rank)]; }
  Parts all_;
};

}  // namespace

Entry scatterv_entry() { return entry<Scatterv>("scatterv"); }

}  // namespace weft::bench::collectives
