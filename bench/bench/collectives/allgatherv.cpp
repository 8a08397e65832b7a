// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Allgatherv final : public WithBuffers {
 public:
  Allgatherv(const Group& group, std::size_t count)
      : WithBuffers(group, count), all_(group.size, [&](int r) { return uneven(count_, r); }) {
    in_ = room(own());
    out_ = room(all_.total);
  }
  void fill() override {
    put(in_, 0, own(), group_.rank, 0);
    forget(out_);
  }
  bool right() const override {
    for (int r = 0; r < group_.size; ++r) {
      const auto k = static_cast<std::size_t>(r);
      if (!has(out_, all_.offsets[k], all_.counts[k], r, 0)) return false;
    }
    return true;
  }
  WEFT_BENCH_CALLS(Allgatherv, Iallgatherv)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), own(), MPI_DOUBLE, out_.data(), all_.counts.data(), all_.offsets.data(), MPI_DOUBLE,
                    group_.comm, more...);
  }
  int own() const { return all_.counts[static_cast<std::size_t>(group_.rank)]; }
  Parts all_;
};

}  // namespace

Entry allgatherv_entry() { return entry<Allgatherv>("allgatherv"); }

}  // namespace weft::bench::collectives
