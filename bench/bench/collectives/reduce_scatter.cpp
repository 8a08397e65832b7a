// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class ReduceScatter final : public WithBuffers {
 public:
  ReduceScatter(const Group& group, std::size_t count)
      : WithBuffers(group, count), all_(group.size, [&](int r) { return uneven(count_, r); }) {
    in_ = room(all_.total);
    out_ = room(own());
  }
  void fill() override {
    put(in_, 0, all_.total, group_.rank, 0);
    forget(out_);
  }
  bool right() const override {
    const auto skip = all_.offsets[static_cast<std::size_t>(group_.rank)];
    return has_sums(out_, own(), skip, group_.size, 0);
  }
  WEFT_BENCH_CALLS(Reduce_scatter, Ireduce_scatter)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), out_.data(), all_.counts.data(), MPI_DOUBLE, MPI_SUM, group_.comm, more...);
  }
  int own() const { return all_.counts[static_cast<std::size_t>(group_.rank)]; }
  Parts all_;
};

}  // namespace

Entry reduce_scatter_entry() { return entry<ReduceScatter>("reduce_scatter"); }

}  // namespace weft::bench::collectives
