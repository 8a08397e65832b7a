// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace [[gnu::visibility("default")]] weft {
namespace fft {

/// Uninitialised memory, aligned to cache lines. Large buffers request large pages: a transposition jumps through them,
/// and would miss the TLB at each jump.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t count) : size_(count) {
    const std::size_t page = std::size_t{2} << 20;
    const std::size_t align = count * sizeof(T) >= 2 * page ? page : 64;
    const std::size_t bytes = (count * sizeof(T) + align - 1) / align * align;
    if (bytes == 0) return;
    data_.reset(static_cast<T*>(std::aligned_alloc(align, bytes)));
    if (!data_) throw std::bad_alloc();
    if (align == page) madvise(data_.get(), bytes, MADV_HUGEPAGE);
  }

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace fft
}  // namespace weft
