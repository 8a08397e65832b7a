// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/failure.hpp"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/warning.hpp"
#include "weft/yield.hpp"

namespace weft {
namespace {

// A message of the protocol: this, then the text of the first error.
struct Words {
  std::int32_t kind = 0;  // a notice, or a step of the barrier
  std::int32_t first_rank = 0;
};
constexpr std::int32_t notice = -1;

thread_local Failure::Watching* watching = nullptr;

void let_others_run() {
#if defined(WEFT_SIMULATED)
  simulated::idle();
#else
  sched_yield();
#endif
}

}  // namespace

// The failures that a thread serves. Other threads add to them.
struct Failure::Served {
  static const std::shared_ptr<Served>& here() {
    static thread_local const auto of_thread = std::make_shared<Served>();
    return of_thread;
  }
  void add(std::shared_ptr<Failure> failure) {
    const std::lock_guard lock(mutex);
    if (std::ranges::find(all, failure) == all.end()) all.push_back(std::move(failure));
    count = all.size();
  }
  void remove(const std::shared_ptr<Failure>& failure) {
    const std::lock_guard lock(mutex);
    std::erase(all, failure);
    count = all.size();
  }
  bool has(const Failure* failure) {
    const std::lock_guard lock(mutex);
    return std::ranges::any_of(all, [failure](const auto& one) { return one.get() == failure; });
  }
  std::shared_ptr<Failure> at(std::size_t i) {
    const std::lock_guard lock(mutex);
    return i < all.size() ? all[i] : nullptr;
  }
  std::mutex mutex;
  std::vector<std::shared_ptr<Failure>> all;
  std::atomic<std::size_t> count{0};
};

double seconds_before_end() { return timeout().limit() > 0 ? timeout().limit() : 600; }

std::string text_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of unknown type";
  }
}

Failure::Failure(std::shared_ptr<Transport> transport, std::string who)
    : transport_(std::move(transport)), served_by_(Served::here()), tells_(transport_->has(Ability::probe)),
      who_(std::move(who)), has_token_(static_cast<std::size_t>(steps()), 0) {}

Failure::~Failure() {
  if (!has_failed()) return;
  for (auto* transfers : {&sent_, &discarded_})
    for (auto& one : *transfers)
      if (transport_->has_ended() || !one.operation->abandon())
        leak_until_exit(std::make_shared<Transfer>(std::move(one)));
  for (auto& other : kept_) leak_until_exit(std::move(other));
  leak_until_exit(std::move(transport_));
}

// Of a dissemination barrier: in step k each rank sends a token to the rank 2^k behind it.
int Failure::steps() const { return std::bit_width(static_cast<unsigned>(transport_->size() - 1)); }

void Failure::add(Member& member) {
  const std::lock_guard lock(mutex_);
  members_.push_back(&member);
}

void Failure::remove(Member& member) {
  const std::lock_guard lock(mutex_);
  std::erase(members_, &member);
}

void Failure::add(const std::shared_ptr<Transport>& transport) {
  const std::lock_guard lock(mutex_);
  std::erase_if(others_, [](const auto& other) { return other.expired(); });
  if (transport != transport_) others_.push_back(transport);
}

std::string Failure::sentence() const {
  return who_ + " has failed (rank " + std::to_string(first_rank_) + ": " + why_ + ")";
}

void Failure::throw_error() const {
  const auto text = sentence() + ". Make a new one.";
  if (first_rank_ != transport_->rank()) throw PeerError(text);
  throw Error(text);
}

void Failure::mark(int rank, const std::string& why) {
  if (marked_.exchange(true, std::memory_order_acq_rel)) return;
  first_rank_ = rank;
  why_ = why;
  failed_.store(true, std::memory_order_release);
}

void Failure::fail(const std::string& why) noexcept {
  mark(transport_->rank(), why);
  wind_down();
}

void Failure::fail(const std::exception_ptr& why) noexcept { fail(text_of(why)); }

bool Failure::is_everywhere(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& e) {
    return e.everywhere();
  } catch (...) {
    return false;
  }
}

void Failure::look() {
  if (!has_failed() && tells_ && !transport_->has_ended()) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) try {
        while (const auto arrival = transport_->probe(tag())) take_own(*arrival);
      } catch (...) {
        fail(std::current_exception());
        throw;
      }
  }
  if (!has_failed()) return;
  wind_down();
  throw_error();
}

namespace {

// The time of the system's last tick: to read it costs a third of now_seconds(), which each start would notice.
double coarse_seconds() {
#if defined(CLOCK_MONOTONIC_COARSE)
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#else
  return now_seconds();
#endif
}

}  // namespace

void Failure::look_seldom() {
  const double now = coarse_seconds();
  if (now - looked_.load(std::memory_order_relaxed) < 1e-3) return;
  looked_.store(now, std::memory_order_relaxed);
  look();
}

void Failure::send(int rank, std::int32_t kind) {
  const Words words{kind, first_rank_};
  constexpr std::size_t most = 2000;  // of the text, so that the message is eager
  const auto text = std::min(why_.size(), most);
  auto& sent = sent_.emplace_back();
  sent.bytes.resize(sizeof words + text);
  std::memcpy(sent.bytes.data(), &words, sizeof words);
  std::memcpy(sent.bytes.data() + sizeof words, why_.data(), text);
  sent.operation = transport_->send(sent.bytes, rank, tag());
  sent.operation->start();
}

void Failure::send_token() {
  if (step_ < steps()) send((transport_->rank() + (1 << step_)) % transport_->size(), step_);
}

// A message of the protocol, which has arrived.
void Failure::take_own(const Arrival& arrival) {
  std::vector<std::byte> bytes(arrival.bytes);
  const auto operation = transport_->receive(bytes, arrival.source, tag());
  operation->start();
  while (!operation->test()) let_others_run();
  Words words;
  std::memcpy(&words, bytes.data(), sizeof words);
  if (words.kind != notice) has_token_.at(static_cast<std::size_t>(words.kind)) = 1;
  mark(words.first_rank,
       std::string(reinterpret_cast<const char*>(bytes.data()) + sizeof words, bytes.size() - sizeof words));
}

// Discards messages of members. Never waits: a sender may make no progress for long. Only a few at a time: a rank that
// does not know of the failure yet may send faster than they are discarded.
void Failure::take_messages(Transport& transport) {
  for (int taken = 0; taken < 64; ++taken) {
    const auto arrival = transport.probe(any_tag);
    if (!arrival) return;
    if (&transport == transport_.get() && arrival->tag == tag()) {
      take_own(*arrival);
      continue;
    }
    auto& one = discarded_.emplace_back();
    one.bytes.resize(arrival->bytes);
    one.operation = transport.receive(one.bytes, arrival->source, arrival->tag);
    one.operation->start();
    if (!one.operation->test()) return;
    discarded_.pop_back();
  }
}

// Never freed: a rank may have sent in a collective that another has not started. If all ranks freed the communicator,
// the MPI library could give its number to a new one, whose collectives would receive that.
void Failure::keep_transports() {
  for (const auto& other : std::exchange(others_, {}))
    if (auto transport = other.lock()) kept_.push_back(std::move(transport));
}

void Failure::advance() {
  if (is_over_) return;
  if (!std::exchange(has_told_, true) && first_rank_ == transport_->rank())
    for (int k = 1; k < transport_->size(); ++k) send((transport_->rank() + k) % transport_->size(), notice);
  take_messages(*transport_);
  for (const auto& other : kept_) take_messages(*other);
  left_ = Left::nothing;
  for (auto* member : members_) left_ = std::max(left_, member->stop());
  // A rank enters the barrier when its messages are complete. When it is over, no rank needs another any more.
  if (step_ < 0 && left_ <= Left::collectives) {
    step_ = 0;
    send_token();
  }
  while (step_ >= 0 && step_ < steps() && has_token_[static_cast<std::size_t>(step_)] != 0) {
    ++step_;
    send_token();
  }
  for (auto* transfers : {&sent_, &discarded_})
    std::erase_if(*transfers, [](const Transfer& one) { return one.operation->test(); });
  is_over_ = step_ == steps() && sent_.empty();
}

void Failure::wind_down() noexcept {
  // Not if another thread does: it may wait for a continuation that this thread is in.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  if (const auto by = served_by_.lock(); by && by->has(this)) return;  // it has thrown before
  keep_transports();
  const double from = now_seconds();
  const double limit = seconds_before_end(), say_after = std::min(5.0, limit / 2);
  bool has_said = false, is_broken = !tells_ || transport_->has_ended();
  while (!is_over_) {
    try {
      if (!is_broken) advance();
    } catch (...) {  // the transport has failed, too
      is_broken = true;
    }
    if (is_broken) {
      left_ = Left::nothing;
      for (auto* member : members_) left_ = std::max(left_, member->stop());
      is_over_ = left_ < Left::memory_of_program || transport_->has_ended();
    }
    if (is_over_) return;
    const double waited = now_seconds() - from;
    if (left_ <= Left::collectives && waited > transport_->seconds_to_arrive()) break;
    if (waited > limit && left_ < Left::memory_of_program) break;
    if (waited > limit)
      transport_->end_job(sentence() + ", and for " + std::to_string(static_cast<int>(waited)) +
                          " s another rank has not received what was sent to it, so MPI may still use memory of the "
                          "program. After an error call weft on all ranks, or end the job.");
    if (waited > say_after && !has_said) {
      warn("Rank " + std::to_string(transport_->rank()) +
           " has failed, and waits until another rank has received what was sent to it.");
      has_said = true;
    }
    serve();
    try {
      detail::interrupt();
    } catch (...) {
      transport_->end_job(sentence() +
                          ", and was interrupted while another rank had not received what was sent to it.");
    }
    let_others_run();
  }
  try {
    if (const auto by = served_by_.lock()) by->add(shared_from_this());
  } catch (...) {  // no memory: then nothing is served
  }
}

// Whether nothing is left to do.
bool Failure::is_served() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  try {
    if (!transport_->has_ended()) advance();
  } catch (...) {
    return true;
  }
  return is_over_ || transport_->has_ended();
}

void Failure::serve() noexcept {
  static thread_local bool is_serving = false;
  auto& here = *Served::here();
  if (simulated::here || here.count == 0 || is_serving) return;
  is_serving = true;
  for (std::size_t i = 0; const auto failure = here.at(i);) failure->is_served() ? here.remove(failure) : void(++i);
  is_serving = false;
}

bool Failure::serve_for(double seconds) noexcept {
  if constexpr (simulated::here) return true;
  const auto& here = *Served::here();
  for (const double until = now_seconds() + seconds; here.count > 0 && now_seconds() < until; serve()) let_others_run();
  return here.count == 0;
}

// On a simulated machine all ranks are one thread, so nothing may be kept by thread.
Failure::Watching::Watching(Failure& failure) : failure_(failure), outer_(watching) {
  if constexpr (!simulated::here) watching = this;
}
Failure::Watching::~Watching() {
  if constexpr (!simulated::here) watching = outer_;
}
bool Failure::Watching::any() { return watching != nullptr; }
void Failure::Watching::look() {
  for (auto* one = watching; one != nullptr; one = one->outer_) one->failure_.look();
}

}  // namespace weft
