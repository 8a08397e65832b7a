// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/collectives.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/failure.hpp"

namespace weft {

const char* name_of(Collective::Kind kind) {
  switch (kind) {
    case Collective::Kind::barrier: return "barrier";
    case Collective::Kind::broadcast: return "broadcast";
    case Collective::Kind::reduce: return "reduce";
    case Collective::Kind::all_reduce: return "all_reduce";
    case Collective::Kind::gather: return "gather";
    case Collective::Kind::all_gather: return "all_gather";
    case Collective::Kind::all_to_all: return "all_to_all";
  }
  return "?";
}

std::string misfit_of(const Collective& what, int rank) {
  using K = Collective::Kind;
  if (what.kind != K::reduce && what.kind != K::all_reduce) return {};
  const auto bytes = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); };
  const auto element = what.reduction.element_bytes;
  if (what.reduction.combine == nullptr || element == 0) return "has no reduction. Give one of the elements' type.";
  if ((what.kind == K::all_reduce || rank == what.root) && what.in.size() != what.out.size())
    return "reduces " + bytes(what.in.size()) + " into " + bytes(what.out.size()) + ". Give both the same size.";
  if (what.in.size() % element != 0)
    return "reduces " + bytes(what.in.size()) + " in elements of " + bytes(element) +
           " (the rest would be ignored). Give whole elements of the reduction's type.";
  return {};
}

void check_fit(const Collective& what, int rank) {
  if (const auto misfit = misfit_of(what, rank); !misfit.empty())
    throw Error("A collective (" + std::string(name_of(what.kind)) + ") on rank " + std::to_string(rank) + " " +
                misfit);
}

namespace {

class Buffered final : public Operation {
 public:
  Buffered(Transport& transport, const Collective& what)
      : out_of_program_(what.out), in_of_program_(what.in), is_broadcast_(what.kind == Collective::Kind::broadcast),
        gets_result_(transport.rank() == what.root ||
                     (what.kind != Collective::Kind::reduce && what.kind != Collective::Kind::gather)),
        in_(what.in.size()), out_(what.out.size()) {
    auto own = what;
    own.owner = nullptr;
    own.in = in_;
    own.out = out_;
    operation_ = transport.collective(own);
  }
  void start() override {
    std::ranges::copy(in_of_program_, in_.begin());
    if (is_broadcast_) std::ranges::copy(out_of_program_, out_.begin());
    operation_->start();
    is_copied_ = false;
  }
  bool test() override {
    if (!operation_->test()) return false;
    if (!std::exchange(is_copied_, true) && gets_result_) std::ranges::copy(out_, out_of_program_.begin());
    return true;
  }
  bool abandon() noexcept override { return operation_->abandon(); }

 private:
  std::span<std::byte> out_of_program_;
  std::span<const std::byte> in_of_program_;
  bool is_broadcast_, gets_result_, is_copied_ = true;
  std::vector<std::byte> in_, out_;
  std::unique_ptr<Operation> operation_;
};

}  // namespace

std::unique_ptr<Operation> buffered(Transport& transport, const Collective& what) {
  return std::make_unique<Buffered>(transport, what);
}

#if !defined(WEFT_SIMULATED)  // otherwise it is in core/simgrid/set_up.cpp
// The caller's memory may be on its stack.
void detail::run_collective(Transport& transport, const Collective& what) {
  if (!Failure::Watching::any()) return complete(*transport.collective(what));
  std::shared_ptr<Operation> operation = buffered(transport, what);
  try {
    complete(*operation);
  } catch (...) {
    if (!operation->abandon()) leak_until_exit(std::move(operation));
    throw;
  }
}
#endif

void barrier(Transport& transport) { detail::run_collective(transport, {}); }

std::string broadcast(Transport& transport, const std::string& text, int root) {
  const auto all = broadcast(transport, std::vector<char>(text.begin(), text.end()), root);
  return {all.begin(), all.end()};
}

std::vector<std::string> all_gather(Transport& transport, const std::string& text) {
  const auto counts = all_gather(transport, text.size());
  const auto joined = all_gather(transport, std::vector<char>(text.begin(), text.end()));
  std::vector<std::string> result;
  auto from = joined.begin();
  for (const auto n : counts) {
    result.emplace_back(from, from + static_cast<std::ptrdiff_t>(n));
    from += static_cast<std::ptrdiff_t>(n);
  }
  return result;
}

void gather_text(Transport& transport, const std::string& text, const std::function<void(const std::string&)>& use,
                 std::size_t piece_bytes) {
  const auto sizes = all_gather(transport, text.size());
  const auto me = static_cast<std::size_t>(transport.rank());
  const bool root = me == 0;
  // Of a text that begins at `first` of all texts: the part between `from` and `until`.
  const auto share = [](std::size_t first, std::size_t size, std::size_t from, std::size_t until) {
    const auto begin = std::clamp(from, first, first + size), end = std::clamp(until, first, first + size);
    return std::pair(begin - first, end - begin);
  };
  const auto mine_from = std::accumulate(sizes.begin(), sizes.begin() + transport.rank(), std::size_t{0});
  const auto all = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  std::string piece;
  std::vector<std::size_t> shares;
  for (std::size_t from = 0; from < all; from += piece_bytes) {
    const auto until = std::min(all, from + piece_bytes);
    const auto [at, bytes] = share(mine_from, text.size(), from, until);
    if (root) {
      piece.resize(until - from);
      shares.clear();
      for (std::size_t first = 0; const auto size : sizes) {
        shares.push_back(share(first, size, from, until).second);
        first += size;
      }
    }
    detail::run_collective(transport, {.kind = Collective::Kind::gather,
                                       .in = std::as_bytes(std::span(text)).subspan(at, bytes),
                                       .out = std::as_writable_bytes(std::span(piece)),
                                       .out_bytes = shares});
    if (root) use(piece);
  }
}

namespace {

// An error as text to be sent: its kind in the first letter ('i': InputError, 'p': PeerError, 'o': other), then its
// message.
std::string caught(const std::function<int()>& action, int& number) {
  try {
    number = action();
  } catch (const InputError& e) {
    return std::string("i") + e.what();
  } catch (const PeerError& e) {
    return std::string("p") + e.what();
  } catch (const std::filesystem::filesystem_error& e) {  // of a path that the user gave
    return "i" + e.path1().string() + ": This path can't be used (" + e.code().message() + "). Give another path.";
  } catch (const std::exception& e) {
    return std::string("o") + e.what();
  }
  return {};
}

void rethrow(const std::string& travelled) {
  if (travelled.empty()) return;
  const auto text = travelled.substr(1);
  if (travelled.front() == 'i') throw InputError(text, true);
  throw Error(text, true);
}

}  // namespace

int largest_together(Transport& transport, const std::function<int()>& action) {
  constexpr int failed = std::numeric_limits<int>::max();
  int number = 0;
  const auto mine = caught(action, number);
  // One small reduction if there is no error; texts are sent only if there is one.
  number = all_reduce(transport, mine.empty() ? number : failed, maximum<int>());
  if (number == failed) {
    auto texts = all_gather(transport, mine);
    // The rank that cancelled has the cause.
    std::ranges::stable_partition(texts, [](const auto& text) { return !text.starts_with('p'); });
    for (const auto& text : texts) rethrow(text);
  }
  return number;
}

void together(Transport& transport, const std::function<void()>& action) {
  largest_together(transport, [&] {
    action();
    return 0;
  });
}

void on_root(Transport& transport, const std::function<void()>& action) {
  together(transport, [&] {
    if (transport.rank() == 0) action();
  });
}

}  // namespace weft
