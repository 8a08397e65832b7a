// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>

namespace weft::device {

/// Which memory of the host is pinned. Drivers pin whole pages, each once; but buffers that are pinned may share pages,
/// or lie in another one. So each piece that was registered counts its buffers, and pages that a buffer has only in
/// part are pieces of their own: they alone may outlive the buffer.
class PinnedPages {
 public:
  struct Functions {
    std::function<bool(std::byte*, std::size_t)> add;  ///< registers; false: the program has done that already
    std::function<void(std::byte*)> remove;            ///< must not throw
    std::function<std::byte*(std::byte*)> address;     ///< for kernels
  };
  PinnedPages(std::size_t page_bytes, Functions functions) : page_(page_bytes), functions_(std::move(functions)) {}

  /// Registers the pages of this memory that are not registered. If it throws, nothing has changed.
  void pin(std::span<const std::byte> host);
  /// Ends one pin(), and the registration of pages that no other one needs.
  void unpin(std::span<const std::byte> host);
  /// The address by which kernels access memory of the host. Other addresses are returned as they are.
  std::byte* inside(const std::byte* address) const;

 private:
  struct Piece {
    std::uintptr_t end;
    std::size_t buffers;
    std::ptrdiff_t shift;  // from the host's address to the kernels'
    bool is_own;
  };
  using Pieces = std::map<std::uintptr_t, Piece>;
  void add(std::uintptr_t first, std::uintptr_t end);
  void release(std::uintptr_t first, std::uintptr_t end);

  std::size_t page_;
  Functions functions_;
  Pieces pieces_;
};

}  // namespace weft::device
