// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Gatherv final : public WithBuffers {
 public:
  Gatherv(const Group& group, std::size_t count)
      : WithBuffers(group, count), all_(group.size, [&](int r) { return uneven(count_, r); }) {
    in_ = room(own());
    if (root()) out_ = room(all_.total);
  }
  void fill() override {
    put(in_, 0, own(), group_.rank, 0);
    forget(out_);
  }
  bool right() const override {
    if (!root()) return true;
    for (int r = 0; r < group_.size; ++r) {
      const auto k = static_cast<std::size_t>(r);
      if (!has(out_, all_.offsets[k], all_.counts[k], r, 0)) return false;
    }
    return true;
  }
  WEFT_BENCH_CALLS(Gatherv, Igatherv)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), own(), MPI_DOUBLE, out_.data(), all_.counts.data(), all_.offsets.data(), MPI_DOUBLE, 0,
                    group_.comm, more...);
  }
  int own() const { return all_.counts[static_cast<std::size_t>(group_.rank)]; }
  Parts all_;
};

}  // namespace

Entry gatherv_entry() { return entry<Gatherv>("gatherv"); }

}  // namespace weft::bench::collectives
