// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Alltoall final : public WithBuffers {
 public:
  Alltoall(const Group& group, std::size_t count) : WithBuffers(group, count) {
    in_ = room(count_ * group_.size);
    out_ = room(count_ * group_.size);
  }
  void fill() override {
    for (int r = 0; r < group_.size; ++r) {
      put(in_, r * count_, count_, group_.rank, r);
    }
    forget(out_);
  }
  bool right() const override {
    for (int r = 0; r < group_.size; ++r) {
      if (!has(out_, r * count_, count_, r, group_.rank)) return false;
    }
    return true;
  }
  std::optional<Collective> collective() override {
    return Collective{.kind = Collective::Kind::all_to_all,
                      .in = std::as_bytes(std::span(in_)),
                      .out = std::as_writable_bytes(std::span(out_))};
  }
  WEFT_BENCH_CALLS(Alltoall, Ialltoall)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), count_, MPI_DOUBLE, out_.data(), count_, MPI_DOUBLE, group_.comm, more...);
  }
};

}  // namespace

Entry alltoall_entry() { return entry<Alltoall>("alltoall", true, false, true); }

}  // namespace weft::bench::collectives
