// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/cancellation.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft::inside {
namespace {

// The kinds of lists.
enum Kind : std::uint64_t { is_cancelled, is_done };
// Then: the number of the start; for is_cancelled also its buffer index, the number of collectives started, one flag
// per round (whether its neighbourhood was started), and one per message to the receiving rank (whether it was sent).
constexpr std::size_t kind = 0, number = 1, buffer_of_start = 2, collectives = 3, rounds = 4;

}  // namespace

Cancellation::Cancellation(const Layout& layout, Messages& messages, Transport& transport, int tag)
    : layout_(layout), messages_(messages), transport_(transport), tag_(tag) {
  // A collective needs every rank to end.
  const bool all_meet = !layout.plan.collectives.empty() || layout.options.messages.carrier == Carrier::neighbourhood;
  for (int rank = 0; rank < layout.size && all_meet; ++rank) peers_[rank];
  for (const auto& message : layout.plan.messages) peers_[message.peer];
  peers_.erase(layout.rank);
  std::map<std::pair<Message::Kind, int>, std::size_t> next;
  for (const auto& message : messages.all) place_.push_back(next[{message->kind, message->peer}]++);
}

void Cancellation::send(int rank, Words words) {
  auto& sent = sent_.emplace_back(Sent{std::move(words), nullptr});
  sent.operation = transport_.send(std::as_bytes(std::span(sent.words)), rank, tag_);
  sent.operation->start();
}

void Cancellation::receive() {
  while (const auto arrival = transport_.probe(tag_)) {
    Words words(arrival->bytes / sizeof(std::uint64_t));
    const auto operation = transport_.receive(std::as_writable_bytes(std::span(words)), arrival->source, tag_);
    complete(*operation);  // it has arrived
    peers_[arrival->source].inbox.push_back(std::move(words));
  }
}

std::uint64_t Cancellation::started_collectives() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(messages_.collectives, [](const Message* m) { return !m->is_in(Message::State::idle); }));
}

Cancellation::Words Cancellation::words_for(int rank) const {
  Words words(rounds + static_cast<std::size_t>(layout_.all_rounds), 0);
  words[kind] = is_cancelled;
  words[number] = start_;
  words[buffer_of_start] = buffer_index_;
  words[collectives] = started_collectives();
  for (const auto& message : messages_.all)
    if (message->kind == Message::Kind::neighbourhood && !message->is_in(Message::State::idle))
      words[rounds + static_cast<std::size_t>(message->round)] = 1;
  for (std::size_t i = 0; i < messages_.all.size(); ++i)
    if (messages_.all[i]->kind == Message::Kind::send && messages_.all[i]->peer == rank)
      words.push_back(static_cast<std::uint64_t>(left_[i]));
  return words;
}

// A receive that can't be cancelled (of MPI's partitions) gets its message, with any content.
void Cancellation::begin(std::uint64_t start, std::size_t buffer_index) {
  start_ = start;
  buffer_index_ = buffer_index;
  has_said_done_ = false;
  left_.clear();
  for (const auto& message : messages_.all) {
    // A part that waits for accept() in its buffer is not unpacked any more.
    if (message->is_to_self()) message->state.store(Message::State::done, std::memory_order_release);
    left_.push_back(message->kind == Message::Kind::send &&
                    (message->has_begun() || message->is_in(Message::State::done) || !message->can_be_taken_back));
  }
  for (auto& [rank, peer] : peers_) {
    peer.told.clear();
    peer.is_ahead = peer.is_done = false;
  }
  for (const auto& [rank, peer] : peers_) send(rank, words_for(rank));
}

bool Cancellation::all_are_known() const {
  return std::ranges::all_of(peers_, [](const auto& p) { return p.second.is_known(); });
}

void Cancellation::take_words() {
  for (auto& [rank, peer] : peers_)
    for (auto& inbox = peer.inbox; !inbox.empty() && !peer.is_done;) {
      auto& words = inbox.front();
      if (words[number] > start_) {  // which stays in the inbox until then
        peer.is_ahead = peer.is_done = true;
        break;
      }
      if (words[number] == start_ && words[kind] == is_cancelled)
        peer.told = std::move(words);
      else if (words[number] == start_)
        peer.is_done = true;
      inbox.pop_front();  // older lists belong to a rank that follows
    }
}

// Finds the collectives and neighbourhoods that some rank has started: all ranks must complete them.
void Cancellation::find_what_ends() {
  collectives_to_end_ = started_collectives();
  rounds_to_end_.assign(static_cast<std::size_t>(layout_.all_rounds), 0);
  for (const auto& message : messages_.all)
    if (message->kind == Message::Kind::neighbourhood && !message->is_in(Message::State::idle))
      rounds_to_end_[static_cast<std::size_t>(message->round)] = 1;
  for (const auto& [rank, peer] : peers_) {
    collectives_to_end_ = std::max<std::uint64_t>(
        collectives_to_end_, peer.is_ahead ? messages_.collectives.size() : peer.told[collectives]);
    for (std::size_t r = 0; r < rounds_to_end_.size(); ++r)
      if (peer.is_ahead || peer.told[rounds + r] != 0) rounds_to_end_[r] = 1;
  }
}

// This rank is behind: it also cancels the next start, of which it has sent nothing.
void Cancellation::follow() {
  const auto ahead = std::ranges::find_if(peers_, [](const auto& p) { return p.second.is_ahead; });
  const auto& words = ahead->second.inbox.front();
  const auto buffer_index = static_cast<std::size_t>(words[number] == start_ + 1 ? words[buffer_of_start] : 0);
  for (auto& message : messages_.all) message->prepare(buffer_index);
  begin(start_ + 1, buffer_index);
}

// Returns whether nothing of this message is left.
bool Cancellation::finish(Message& message, std::size_t index) {
  using K = Message::Kind;
  if (message.is_to_self() || message.is_in(Message::State::done)) return true;
  switch (message.kind) {
    case K::send:
      if (left_[index] == 0) return true;
      // A rank that has not cancelled would use the rest of the message, whose data are not ready.
      if (message.is_in(Message::State::idle) && !peers_.at(message.peer).is_known()) return false;
      return message.finish_quietly();
    case K::receive: {
      const auto& peer = peers_.at(message.peer);
      if (!peer.is_known()) return false;
      const auto flag = rounds + static_cast<std::size_t>(layout_.all_rounds) + place_[index];
      if (peer.is_ahead || peer.told.at(flag) != 0) return message.finish_quietly();
      if (!message.take_back()) throw Error("A receive can't be cancelled.");
      return true;
    }
    case K::collective: {
      if (!all_are_known()) return false;
      const auto at = std::ranges::find(messages_.collectives, &message) - messages_.collectives.begin();
      return static_cast<std::uint64_t>(at) >= collectives_to_end_ || message.finish_quietly();
    }
    case K::neighbourhood:
      if (!all_are_known()) return false;
      return rounds_to_end_[static_cast<std::size_t>(message.round)] == 0 || message.finish_quietly();
  }
  return true;
}

bool Cancellation::advance() {
  receive();
  take_words();
  if (all_are_known()) find_what_ends();
  bool all = true;
  for (std::size_t i = 0; i < messages_.all.size(); ++i) all = finish(*messages_.all[i], i) && all;
  if (all && !has_said_done_) {
    for (const auto& [rank, peer] : peers_) send(rank, {is_done, start_});
    has_said_done_ = true;
  }
  while (!sent_.empty() && sent_.front().operation->test()) sent_.pop_front();
  if (!has_said_done_ || !sent_.empty() || !std::ranges::all_of(peers_, [](const auto& p) { return p.second.is_done; }))
    return false;
  if (std::ranges::none_of(peers_, [](const auto& p) { return p.second.is_ahead; })) return true;
  follow();
  return false;
}

void Cancellation::look(std::uint64_t start) {
  receive();
  for (const auto& [rank, peer] : peers_)
    for (const auto& words : peer.inbox)
      if (words[kind] == is_cancelled && words[number] <= start) {
        std::string names;
        for (const auto& client : layout_.clients) names += (names.empty() ? "'" : ", '") + client.client() + "'";
        throw PeerError("Rank " + std::to_string(rank) + " has cancelled start " + std::to_string(words[number]) +
                        " of the exchange of " + names +
                        " (an error occurred there, or it did not wait). See the error message of that rank.");
      }
}

std::string Cancellation::missing() const {
  std::string text;
  for (const auto& [rank, peer] : peers_)
    if (!peer.is_done) text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
  return text;
}

void Cancellation::give_up() noexcept {
  for (auto& sent : sent_)
    if (sent.operation && !sent.operation->abandon()) leak_until_exit(std::make_shared<Sent>(std::move(sent)));
  sent_.clear();
}

}  // namespace weft::inside
