// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/twice_mapped.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>

#include "weft/error.hpp"

namespace weft::device {

// Addresses, in a list that only grows, since the signal's handler reads it at any time:
// one page, the memory that can't be accessed, one page, the memory, one page.
struct TwiceMapped::Area {
  std::atomic<std::uintptr_t> first = 0;  // 0: unused
  std::atomic<std::size_t> reserved = 0, bytes = 0;
  std::atomic<std::uintptr_t> outside = 0, inside = 0;
  Area* next = nullptr;
};

struct Faults {
  using Area = TwiceMapped::Area;
  static inline std::atomic<Area*> areas = nullptr;
  static inline struct sigaction before {};

  static void install() {
    static std::once_flag once;
    std::call_once(once, [] {
      struct sigaction ours {};
      ours.sa_sigaction = handle;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      ::sigaction(SIGSEGV, &ours, &before);
    });
  }

  // A sentence, made of what a signal's handler may call.
  struct Line {
    char text[400];
    std::size_t length = 0;
    Line& operator<<(const char* more) {
      while (*more != 0 && length < sizeof text) text[length++] = *more++;
      return *this;
    }
    Line& operator<<(std::ptrdiff_t number) {
      char digits[24], *at = digits + sizeof digits;
      *--at = 0;
      auto rest = number < 0 ? 0 - static_cast<std::uintptr_t>(number) : static_cast<std::uintptr_t>(number);
      do *--at = static_cast<char>('0' + rest % 10);
      while ((rest /= 10) > 0);
      if (number < 0) *--at = '-';
      return *this << at;
    }
  };

  static void handle(int signal, siginfo_t* info, void* context) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (const Area* area = areas; area != nullptr; area = area->next)
      if (const std::uintptr_t first = area->first; first != 0 && at - first < area->reserved) end(*area, at);
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
    ::sigaction(signal, &before, nullptr);
    ::raise(signal);
  }

  [[noreturn]] static void end(const Area& area, std::uintptr_t at) {
    const bool by_host = at < area.first + area.reserved / 2;
    Line line;
    line << "weft: " << (by_host ? "The host" : "A kernel") << " accesses byte "
         << static_cast<std::ptrdiff_t>(at - (by_host ? area.outside : area.inside)) << " of an allocation of "
         << static_cast<std::ptrdiff_t>(area.bytes.load()) << " bytes of the test device ("
         << (by_host ? "only kernels can access memory of a device). Give the memory to weft with on(device), or copy "
                       "it in a kernel, which uses inside(address).\n"
                     : "it lies outside). Correct the kernel's index.\n");
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.text, line.length);
    ::signal(SIGABRT, SIG_DFL);
    ::abort();
  }

  // An unused area. The lock keeps two threads from the same one.
  static Area* take() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    for (Area* area = areas; area != nullptr; area = area->next)
      if (area->reserved == 0) return area->reserved = 1, area;
    auto* const area = new Area;  // never freed
    area->reserved = 1;
    area->next = areas;
    areas = area;
    return area;
  }
};

TwiceMapped::TwiceMapped(std::size_t bytes, bool is_open) : bytes_(bytes) {
  constexpr std::size_t alignment = 256;  // as cudaMalloc's
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto mapped = bytes / page * page + (bytes % page > 0 || bytes == 0 ? page : 0);
  const auto reserved = 2 * mapped + 3 * page;
  const auto refuse = [&](const char* call) {
    throw Error("allocate() of the test device failed: " + std::to_string(bytes) + " bytes, " + call + ": " +
                std::generic_category().message(errno) + ".");
  };
  if (bytes > SIZE_MAX / 4) errno = ENOMEM, refuse("mmap");
  const int file = ::memfd_create("weft", MFD_CLOEXEC);
  if (file < 0) refuse("memfd_create");
  void* first = MAP_FAILED;
  const bool ok =
      ::ftruncate(file, static_cast<off_t>(mapped)) == 0 &&
      (first = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) != MAP_FAILED;
  auto* const outside = static_cast<std::byte*>(first) + page;
  auto* const inside = outside + mapped + page;
  const bool all = ok &&
                   ::mmap(outside, mapped, is_open ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED | MAP_FIXED, file,
                          0) != MAP_FAILED &&
                   ::mmap(inside, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  const int error = errno;
  ::close(file);
  if (!all) {
    if (ok) ::munmap(first, reserved);
    errno = error;
    refuse(ok ? "mmap" : "ftruncate or mmap");
  }
  const auto shift = (mapped - bytes) / alignment * alignment;  // to the end, so that most accesses behind it fault
  outside_ = outside + shift;
  inside_ = inside + shift;
  Faults::install();
  area_ = Faults::take();
  area_->bytes = bytes;
  area_->outside = reinterpret_cast<std::uintptr_t>(outside_);
  area_->inside = reinterpret_cast<std::uintptr_t>(inside_);
  area_->reserved = reserved;
  area_->first = reinterpret_cast<std::uintptr_t>(first);
}

TwiceMapped::~TwiceMapped() {
  auto* const first = reinterpret_cast<void*>(area_->first.exchange(0));
  ::munmap(first, area_->reserved);
  area_->reserved = 0;
}

}  // namespace weft::device
