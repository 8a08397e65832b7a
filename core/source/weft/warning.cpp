// SPDX-License-Identifier: BSD-3-Clause
#include "weft/warning.hpp"

#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

namespace weft {
namespace {

using Handler = std::function<void(const std::string&)>;

struct Current {
  std::mutex mutex;
  std::shared_ptr<const Handler> handler;
};

Current& current() {
  static auto& one = *new Current;  // never destroyed: a thread may warn while the process ends
  return one;
}

}  // namespace

void set_warning_handler(Handler handler) {
  auto other = handler ? std::make_shared<const Handler>(std::move(handler)) : nullptr;  // destroyed after the lock
  const std::lock_guard lock(current().mutex);
  std::swap(current().handler, other);
}

void warn(const std::string& text) noexcept {
  std::shared_ptr<const Handler> handler;
  {
    const std::lock_guard lock(current().mutex);
    handler = current().handler;
  }
  if (handler) try {  // without the lock: the handler may take a lock whose owner warns
      (*handler)(text);
      return;
    } catch (...) {  // a warning never ends the program
    }
  std::fprintf(stderr, "weft: %s\n", text.c_str());
  std::fflush(stderr);
}

}  // namespace weft
