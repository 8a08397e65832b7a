// SPDX-License-Identifier: BSD-3-Clause
#include "core/tests/weft/exchange/property_model.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <variant>

#include "tests/support/core_random.hpp"

namespace weft::testing {
namespace {

using Element = std::uint64_t;
using Kind = Collective::Kind;

constexpr Element guard = 0xfefefefefefefefe;   // around every region: must not change
constexpr Element poison = 0xdeaddeaddeaddead;  // in sent and received regions between steps: must not be received
constexpr int steps_in_a_run = 5;

// Composition of affine maps: associative, but not commutative.
struct Affine {
  Element a, b;
};
constexpr auto compose = [](const Affine& f, const Affine& g) { return Affine{f.a * g.a, f.a * g.b + f.b}; };

std::uint64_t name_number(const std::string& name) {
  return hash({name.size(), static_cast<std::uint64_t>(name.back())});
}

Element expected_element(std::int64_t step, const std::string& client, std::uint64_t key, int source, std::size_t i) {
  return hash({static_cast<std::uint64_t>(step), name_number(client), key, static_cast<std::uint64_t>(source), i});
}

// An array of which a region of a random kind is used. It has the region's elements in order.
class Place {
 public:
  Place(std::size_t elements, bool is_run, Random& random) {
    if (elements == 0 && random.chance(2)) return;
    const int kind = is_run ? 0 : random.below(3);
    if (kind == 0) {
      const auto before = random.size_below(3);
      array_.assign(before + elements + 1, guard);
      for (std::size_t i = 0; i < elements; ++i) index_.push_back(before + i);
      region_ = contiguous(std::span(array_).subspan(before, elements));
    } else if (kind == 1) {
      array_.assign(2 * elements + 3, guard);
      index_.resize(array_.size());
      std::iota(index_.begin(), index_.end(), std::size_t{0});
      random.shuffle(index_);
      index_.resize(elements);
      region_ = indexed(array_.data(), index_);
    } else {
      make_box(elements, random);
    }
  }

  const Region& region() const { return region_; }
  Element& operator[](std::size_t i) { return array_[index_[i]]; }
  std::size_t size() const { return index_.size(); }
  void fill(Element value) {
    for (const auto i : index_) array_[i] = value;
  }
  bool guards_are_whole() const {
    auto copy = array_;
    for (const auto i : index_) copy[i] = guard;
    return std::all_of(copy.begin(), copy.end(), [](Element e) { return e == guard; });
  }

 private:
  void make_box(std::size_t elements, Random& random) {
    // Sizes whose product is the number of elements: its factors, distributed over one to four dimensions.
    std::vector<std::size_t> count(1 + random.size_below(4), 1), first, extent;
    auto rest = elements;
    for (std::size_t f = 2; rest > 1; ++f)
      for (; rest % f == 0; rest /= f) count[random.size_below(count.size())] *= f;
    if (elements == 0) count.back() = 0;
    for (const auto c : count) {
      first.push_back(random.size_below(2));
      extent.push_back(first.back() + c + random.size_below(2));
    }
    index_.push_back(0);
    for (std::size_t d = 0; d < count.size(); ++d) {
      std::vector<std::size_t> finer;
      for (const auto outer : index_)
        for (std::size_t i = 0; i < count[d]; ++i) finer.push_back(outer * extent[d] + first[d] + i);
      index_ = finer;
    }
    array_.assign(std::accumulate(extent.begin(), extent.end(), std::size_t{1}, std::multiplies<>()), guard);
    region_ = box(array_.data(), extent, first, count);
  }

  std::vector<Element> array_;
  std::vector<std::size_t> index_;
  Region region_;
};

// Memory of a client into which several parts are combined.
class Pool {
 public:
  // A region of so many elements, which may overlap others.
  Region region(std::size_t elements, std::vector<std::size_t>& index, Random& random) {
    const auto values = elements / in_value;
    index.clear();
    const auto first = random.size_below(values_.size() - std::min(values, values_.size() - 1));
    const bool is_run = random.chance(3) && first + values <= values_.size();
    for (std::size_t i = 0; i < values; ++i) index.push_back(is_run ? first + i : random.size_below(values_.size()));
    if (is_run) return contiguous(std::span(values_).subspan(first, values));
    return indexed(values_.data(), index);
  }
  void prepare(std::int64_t step, const std::string& client) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto h = expected_element(step, client, 77, 0, i);
      values_[i] = {h | 1, mix(h)};
    }
    expected_ = values_;
  }
  template <class Incoming>
  void expect(const std::vector<std::size_t>& index, bool sums, const Incoming& incoming) {
    for (std::size_t k = 0; k < index.size(); ++k) {
      auto& value = expected_[index[k]];
      const Affine received{incoming(in_value * k), incoming(in_value * k + 1)};
      value = sums ? add(value, received) : compose(value, received);
    }
  }
  bool is_as_expected() const {
    return std::ranges::equal(values_, expected_,
                              [](const Affine& a, const Affine& b) { return a.a == b.a && a.b == b.b; });
  }

  static constexpr std::size_t in_value = 2;  // elements
  static constexpr auto add = [](const Affine& a, const Affine& b) { return Affine{a.a + b.a, a.b + b.b}; };

 private:
  std::vector<Affine> values_ = std::vector<Affine>(50), expected_;
};

struct MovingPart {
  MovingPart(const PartWish& of, Random& random)
      : wish(&of), is_given(random.chance(3)), place(of.elements, of.varies, random) {}
  const PartWish* wish;
  bool is_given;  // its memory is set in each step
  Place place;
  std::vector<std::size_t> in_pool{};  // the values with which it is combined
  std::variant<SendPart, ReceivePart> part{};
};

struct MovingCollective {
  const CollectiveWish* wish;
  std::uint64_t number;
  std::vector<Element> in, out;
  std::vector<Affine> affine_in, affine_out;
  CollectivePart part{};
};

// One rank's part of a client of a scenario.
class Mover : public Client {
 public:
  Mover(const Scenario& scenario, const ClientWish& wish, int rank, bool deferred, std::string& problems)
      : wish_(wish), rank_(rank), deferred_(deferred), ranks_(scenario.ranks),
        random_(hash({scenario.seed, static_cast<std::uint64_t>(rank), name_number(wish.name)})), problems_(problems) {
    for (const auto& part : wish.parts) {
      if (part.source == rank) sends_.emplace_back(part, random_);
      if (part.target == rank) receives_.emplace_back(part, random_);
      if (part.target == rank && part.combines) last_combined_ = std::max(last_combined_, part.round);
    }
    for (const auto& collective : wish.collectives) collectives_.push_back(make(collective, collectives_.size()));
    for (auto& r : receives_) r.place.fill(poison);
  }

  void request(Requests& requests) override {
    // Each rank lists the parts in an order of its own.
    std::vector<std::pair<bool, MovingPart*>> order;
    for (auto& s : sends_) order.emplace_back(true, &s);
    for (auto& r : receives_) order.emplace_back(false, &r);
    random_.shuffle(order);
    for (auto& [sends, moving] : order) {
      const auto& w = *moving->wish;
      const bool combines = w.combines && !sends;
      const auto places = moving->is_given ? given(w.elements * sizeof(Element))
                          : combines       ? Buffers(pool_.region(w.elements, moving->in_pool, random_))
                                           : Buffers(moving->place.region());
      if (combines)
        moving->part = requests.receive(
            w.source, w.key, places,
            {.combine = wish_.in_any_order ? reduction<Affine>(Pool::add) : reduction<Affine>(compose, false),
             .round = w.round,
             .in_any_order = wish_.in_any_order});
      else if (sends)
        moving->part = w.varies ? requests.send_up_to(w.target, w.key, places, w.round)
                                : requests.send(w.target, w.key, places, w.round);
      else
        moving->part = w.varies ? requests.receive_up_to(w.source, w.key, places, w.round)
                                : requests.receive(w.source, w.key, places, w.round);
    }
    for (auto& c : collectives_) c.part = request(requests, c);
  }

  // Before a step.
  void wander(StepManager& steps) {
    pool_.prepare(next_++, wish_.name);
    for (auto* side : {&sends_, &receives_})
      for (auto& moving : *side) {
        if (!moving.is_given) continue;
        if (moving.wish->combines && side == &receives_) {
          const auto region = pool_.region(moving.wish->elements, moving.in_pool, random_);
          steps.rebind(*this, std::get<ReceivePart>(moving.part), region);
          continue;
        }
        moving.place = Place(moving.wish->elements, moving.wish->varies, random_);
        moving.place.fill(poison);
        std::visit([&](const auto& part) { steps.rebind(*this, part, moving.place.region()); }, moving.part);
      }
  }

  void before(Step& step) override {
    std::vector<std::variant<SendPart, CollectivePart>> parts;
    for (auto& s : sends_) {
      if (s.wish->round != step.round()) continue;
      for (std::size_t i = 0; i < s.place.size(); ++i)
        s.place[i] = expected_element(step.number(), wish_.name, s.wish->key, rank_, i);
      if (s.wish->varies)
        step.ready(std::get<SendPart>(s.part), elements_of(*s.wish, step.number()) * sizeof(Element));
      else
        parts.emplace_back(std::get<SendPart>(s.part));
    }
    for (auto& c : collectives_) {
      if (c.wish->round != step.round()) continue;
      fill(c, step.number());
      parts.emplace_back(c.part);
    }
    // Some parts are marked early, in any order.
    random_.shuffle(parts);
    parts.resize(random_.size_below(parts.size() + 1));
    for (const auto& part : parts) {
      std::visit([&](const auto& one) { step.ready(one); }, part);
      if (random_.chance(3)) step.progress();
    }
  }

  void during(Step& step) override {
    for (int i = random_.below(4); i > 0; --i) step.progress();
    if (!deferred_) return;
    // Targets may be read until they are accepted; some are accepted early, in any order.
    std::vector<MovingPart*> targets;
    for (auto& r : receives_)
      if (r.wish->round == step.round()) targets.push_back(&r);
    random_.shuffle(targets);
    for (auto* r : targets) {
      for (std::size_t i = 0; i < r->place.size() && !r->wish->combines; ++i)
        check(step, "held key " + std::to_string(r->wish->key), i, r->place[i], poison);
      if (random_.chance(4)) continue;
      step.accept(std::get<ReceivePart>(r->part));
      if (random_.chance(3)) step.progress();
    }
  }

  void after(Step& step) override {
    for (auto& r : receives_) {
      if (r.wish->round != step.round() || r.wish->combines) continue;
      const auto elements = elements_of(*r.wish, step.number());
      for (std::size_t i = 0; i < r.place.size(); ++i)
        check(step, "key " + std::to_string(r.wish->key), i, r.place[i],
              i < elements ? expected_element(step.number(), wish_.name, r.wish->key, r.wish->source, i) : poison);
      if (step.received_bytes(std::get<ReceivePart>(r.part)) != elements * sizeof(Element))
        problems_ += "key " + std::to_string(r.wish->key) + " has come with another size\n";
      if (!r.place.guards_are_whole())
        problems_ += "beside key " + std::to_string(r.wish->key) + " something was overwritten\n";
      r.place.fill(poison);
    }
    if (step.round() == last_combined_) check_pool(step);
    for (auto& c : collectives_)
      if (c.wish->round == step.round()) check(c, step);
    for (auto& s : sends_)
      if (s.wish->round == step.round()) s.place.fill(poison);
  }

 private:
  static std::size_t elements_of(const PartWish& w, std::int64_t step) {
    if (!w.varies) return w.elements;
    const auto drawn = hash({static_cast<std::uint64_t>(step), w.key, 5});
    return drawn % 3 == 0 ? w.elements : static_cast<std::size_t>(drawn / 3 % (w.elements + 1));
  }
  static std::uint64_t collective_key(std::uint64_t number) { return hash({number, 99}); }
  std::size_t at(int rank) const { return static_cast<std::size_t>(rank); }

  static bool is_per_rank(Kind kind) {
    return kind == Kind::gather || kind == Kind::all_gather || kind == Kind::all_to_all;
  }
  static bool is_reduction(Kind kind) { return kind == Kind::reduce || kind == Kind::all_reduce; }
  // The elements from a source to a target.
  static std::size_t share(const CollectiveWish& w, int source, int target) {
    const auto s = static_cast<std::size_t>(source), t = static_cast<std::size_t>(target);
    if (w.kind == Kind::all_to_all) return w.counts[s][t];
    return is_per_rank(w.kind) ? w.counts[s][0] : w.counts[0][0];
  }
  bool has_output(const CollectiveWish& w) const {
    return (w.kind != Kind::reduce && w.kind != Kind::gather) || w.root == rank_;
  }

  MovingCollective make(const CollectiveWish& w, std::size_t number) const {
    MovingCollective c{&w, number, {}, {}, {}, {}};
    std::size_t in = 0, out = 0;
    if (w.kind == Kind::all_to_all)
      for (int r = 0; r < ranks_; ++r) in += share(w, rank_, r);
    else if (w.kind != Kind::barrier && w.kind != Kind::broadcast)
      in = share(w, rank_, 0);
    if (is_per_rank(w.kind))
      for (int r = 0; r < ranks_; ++r) out += share(w, r, rank_);
    else if (w.kind != Kind::barrier)
      out = share(w, 0, 0);
    if (!has_output(w)) out = 0;
    c.in.resize(in);
    c.out.resize(out, poison);
    c.affine_in.resize(in);
    c.affine_out.resize(out);
    return c;
  }

  CollectivePart request(Requests& requests, MovingCollective& c) const {
    const auto& w = *c.wish;
    const std::span<const Element> in(c.in);
    const std::span<Element> out(c.out);
    std::vector<std::size_t> from, to;
    for (int r = 0; r < ranks_ && is_per_rank(w.kind); ++r) {
      from.push_back(share(w, r, rank_));
      to.push_back(share(w, rank_, r));
    }
    using Operation = CollectiveWish::Operation;
    const auto op = w.operation == Operation::add        ? sum<Element>()
                    : w.operation == Operation::smallest ? minimum<Element>()
                                                         : maximum<Element>();
    const bool affine = w.operation == Operation::compose;
    switch (w.kind) {
      case Kind::barrier: return requests.barrier(w.round);
      case Kind::broadcast: return requests.broadcast(w.root, out, w.round);
      case Kind::gather:
        return requests.gather(w.root, in, out, has_output(w) ? from : std::vector<std::size_t>{}, w.round);
      case Kind::all_gather: return requests.all_gather(in, out, from, w.round);
      case Kind::all_to_all: return requests.all_to_all(in, to, out, from, w.round);
      case Kind::reduce:
        if (affine)
          return requests.reduce(w.root, std::span<const Affine>(c.affine_in), std::span(c.affine_out),
                                 reduction<Affine>(compose, false), w.round);
        return requests.reduce(w.root, in, out, op, w.round);
      case Kind::all_reduce:
        if (affine)
          return requests.all_reduce(std::span<const Affine>(c.affine_in), std::span(c.affine_out),
                                     reduction<Affine>(compose, false), w.round);
        return requests.all_reduce(in, out, op, w.round);
    }
    return {};
  }

  // The input of rank `source`; for an all_to_all, element i of its part for `target`.
  Element input(const MovingCollective& c, std::int64_t step, int source, int target, std::size_t i) const {
    const auto share_number = c.wish->kind == Kind::all_to_all ? static_cast<std::uint64_t>(target) : 0;
    return expected_element(step, wish_.name, hash({collective_key(c.number), share_number}), source, i);
  }
  Affine affine_input(const MovingCollective& c, std::int64_t step, int source, std::size_t i) const {
    const auto h = input(c, step, source, 0, i);
    return {h | 1, mix(h)};
  }

  void fill(MovingCollective& c, std::int64_t step) const {
    const auto& w = *c.wish;
    if (w.kind == Kind::broadcast) {
      for (std::size_t i = 0; i < c.out.size(); ++i) c.out[i] = rank_ == w.root ? input(c, step, rank_, 0, i) : poison;
      return;
    }
    std::size_t next = 0;
    for (int target = 0; target < ranks_ && w.kind == Kind::all_to_all; ++target)
      for (std::size_t i = 0; i < share(w, rank_, target); ++i) c.in[next++] = input(c, step, rank_, target, i);
    if (w.kind == Kind::all_to_all) return;
    for (std::size_t i = 0; i < c.in.size(); ++i) {
      c.in[i] = input(c, step, rank_, 0, i);
      c.affine_in[i] = affine_input(c, step, rank_, i);
    }
  }

  // The reference implementation of a collective: in the order of the ranks.
  std::vector<Element> expected_output(const MovingCollective& c, std::int64_t step) const {
    const auto& w = *c.wish;
    std::vector<Element> result;
    if (!has_output(w) || w.kind == Kind::barrier) return result;
    if (is_per_rank(w.kind)) {
      for (int source = 0; source < ranks_; ++source)
        for (std::size_t i = 0; i < share(w, source, rank_); ++i) result.push_back(input(c, step, source, rank_, i));
      return result;
    }
    for (std::size_t i = 0; i < c.out.size(); ++i) {
      Element value = input(c, step, w.kind == Kind::broadcast ? w.root : 0, 0, i);
      for (int source = 1; source < ranks_ && is_reduction(w.kind); ++source) {
        const auto other = input(c, step, source, 0, i);
        using Operation = CollectiveWish::Operation;
        value = w.operation == Operation::add        ? value + other
                : w.operation == Operation::smallest ? std::min(value, other)
                                                     : std::max(value, other);
      }
      result.push_back(value);
    }
    return result;
  }

  // By round, source and key.
  void check_pool(const Step& step) {
    std::vector<const MovingPart*> order;
    for (const auto& r : receives_)
      if (r.wish->combines) order.push_back(&r);
    std::ranges::sort(order, [](const MovingPart* a, const MovingPart* b) {
      return std::tie(a->wish->round, a->wish->source, a->wish->key) <
             std::tie(b->wish->round, b->wish->source, b->wish->key);
    });
    for (const auto* r : order)
      pool_.expect(r->in_pool, wish_.in_any_order, [&](std::size_t i) {
        return expected_element(step.number(), wish_.name, r->wish->key, r->wish->source, i);
      });
    if (!pool_.is_as_expected())
      problems_ += "step " + std::to_string(step.number()) + ": the pool of '" + wish_.name + "' differs on rank " +
                   std::to_string(rank_) + "\n";
  }

  void check(MovingCollective& c, const Step& step) {
    const auto what = std::string(weft::name_of(c.wish->kind)) + " " + std::to_string(c.number);
    if (is_reduction(c.wish->kind) && c.wish->operation == CollectiveWish::Operation::compose) {
      for (std::size_t i = 0; i < c.affine_out.size(); ++i) {
        auto value = affine_input(c, step.number(), 0, i);
        for (int source = 1; source < ranks_; ++source)
          value = compose(value, affine_input(c, step.number(), source, i));
        check(step, what, i, c.affine_out[i].a, value.a);
        check(step, what, i, c.affine_out[i].b, value.b);
      }
      std::fill(c.affine_out.begin(), c.affine_out.end(), Affine{poison, poison});
      return;
    }
    const auto expected = expected_output(c, step.number());
    if (expected.size() != c.out.size()) problems_ += what + ": the model has another size\n";
    for (std::size_t i = 0; i < std::min(expected.size(), c.out.size()); ++i)
      check(step, what, i, c.out[i], expected[i]);
    std::fill(c.out.begin(), c.out.end(), poison);
    std::fill(c.in.begin(), c.in.end(), poison);
  }

  void check(const Step& step, const std::string& what, std::size_t i, Element found, Element expected) {
    if (found == expected || problems_.size() > 2000) return;
    problems_ += "step " + std::to_string(step.number()) + ", round " + std::to_string(step.round()) + ", client '" +
                 wish_.name + "', " + what + ", element " + std::to_string(i) + " on rank " + std::to_string(rank_) +
                 ": found " + std::to_string(found) + (found == poison ? " (poison)" : "") + ", expected " +
                 std::to_string(expected) + "\n";
  }

  const ClientWish& wish_;
  int rank_;
  bool deferred_;
  int ranks_;
  Random random_;
  std::string& problems_;
  std::deque<MovingPart> sends_, receives_;
  Pool pool_;
  std::int64_t next_ = 0;
  int last_combined_ = -1;
  std::deque<MovingCollective> collectives_;
};

std::size_t random_size(Random& random) {
  if (random.chance(5)) return 0;
  return random.chance(8) ? 600 + random.size_below(600)
                          : 1 + random.size_below(40);  // sometimes above the eager limit
}

CollectiveWish random_collective(Random& random, int ranks, int rounds) {
  CollectiveWish wish{static_cast<Kind>(random.below(7)),
                      random.below(rounds),
                      random.below(ranks),
                      static_cast<CollectiveWish::Operation>(random.below(4)),
                      {}};
  for (int s = 0; s < ranks; ++s) {
    auto& row = wish.counts.emplace_back();
    for (int t = 0; t < ranks; ++t) row.push_back(random.size_below(6));
  }
  if (wish.kind == Kind::broadcast || wish.kind == Kind::reduce || wish.kind == Kind::all_reduce)
    wish.counts[0][0] += 1;
  return wish;
}

}  // namespace

Scenario random_scenario(std::uint64_t seed, int ranks) {
  Random random(hash({seed, static_cast<std::uint64_t>(ranks)}));
  Scenario scenario{seed, ranks, {}};
  const int clients = 1 + random.below(3);
  for (int c = 0; c < clients; ++c) {
    ClientWish client{"client " + std::to_string(c), {}, 1 + random.below(3), random.chance(4), {}, {}};
    client.schedule.every = 1 + random.below(2);
    client.schedule.offset = random.below(2);
    const int parts = random.below(4 * ranks + 2);
    for (int p = 0; p < parts; ++p) {
      auto& part = client.parts.emplace_back(
          PartWish{random.below(ranks), random.below(ranks), random.below(client.rounds),
                   hash({seed, static_cast<std::uint64_t>(p)}) >> random.below(60) << 6 | static_cast<Key>(p),
                   random_size(random), random.chance(4), random.chance(3)});
      if (part.combines) part.varies = false;
      if (part.combines) part.elements -= part.elements % Pool::in_value;
    }
    for (int i = random.below(4); i > 0; --i)
      client.collectives.push_back(random_collective(random, ranks, client.rounds));
    scenario.clients.push_back(client);
  }
  return scenario;
}

std::string name_of(const Setting& setting) {
  return std::string(setting.grouping == Grouping::per_part
                         ? "per_part"
                         : weft::name_of(setting.grouping) + (" up to " + std::to_string(setting.packed_limit_bytes))) +
         (setting.piece_bytes > 0 ? " in pieces of " + std::to_string(setting.piece_bytes) : "") + ", " +
         weft::name_of(setting.progress) + (setting.coalesce ? ", coalesced" : ", each client alone") + ", " +
         weft::name_of(setting.carrier) + (setting.shared_memory ? ", shared memory" : "") +
         (setting.defer_unpacking ? ", held" : "") +
         (setting.most_requests > 0 ? ", at most " + std::to_string(setting.most_requests) + " requests" : "");
}

std::vector<Setting> all_settings(const Transport& transport) {
  using P = ProgressOptions::Kind;
  std::vector<Setting> result;
  for (const auto progress : {P::passive, P::polling, P::thread, P::send_receive_threads})
    for (const auto carrier : carriers_of(transport))
      for (const bool shared : {false, true}) {
        for (const std::size_t limit : {1u, 100u, 0u, 1u << 20})
          result.push_back(
              {Grouping::per_peer, limit, limit < 100 ? 0 : limit / 30 + 1, progress, true, carrier, shared});
        result.push_back({Grouping::per_part, 0, 0, progress, true, carrier, shared});
        result.push_back({Grouping::per_part, 0, 0, progress, true, carrier, shared, true});
        result.push_back({Grouping::per_peer, 100, 40, progress, true, carrier, shared, true});
        result.push_back({Grouping::per_peer, 1u << 20, 0, progress, false, carrier, shared, true});
        result.push_back(
            {Grouping::by_size, 200, 0, progress, true, carrier, shared, progress == P::send_receive_threads});
        for (const bool large : {false, true})
          result.push_back({Grouping::per_node, large ? 1u << 20 : 150u, large ? 0u : 40u, progress, true, carrier,
                            shared, large && progress != P::passive});
        for (const std::size_t most : {1u, 2u, 5u})
          result.push_back({most == 2 ? Grouping::per_peer : Grouping::per_part, 100, 40, progress, most < 5, carrier,
                            shared, most == 5 && progress != P::thread, most});
        result.push_back({Grouping::per_peer, 0, 0, progress, false, carrier, shared});
        result.push_back({Grouping::per_part, 0, 0, progress, false, carrier, shared});
      }
  return result;
}

std::string run_scenario(Transport& world, const Scenario& scenario, const Setting& setting) {
  std::string problems;
  std::deque<Mover> movers;
  StepManager steps(world, {.coalesce = setting.coalesce,
                            .messages = {.grouping = setting.grouping,
                                         .packed_limit_bytes = setting.packed_limit_bytes,
                                         .by_size_bytes = setting.packed_limit_bytes,
                                         .piece_bytes = setting.piece_bytes,
                                         .most_requests = setting.most_requests,
                                         .carrier = setting.carrier,
                                         .shared_memory = setting.shared_memory,
                                         .defer_unpacking = setting.defer_unpacking},
                            .progress = {.kind = setting.progress, .interval_seconds = 1e-6}});
  for (const auto& client : scenario.clients)
    steps.add(client.name, movers.emplace_back(scenario, client, world.rank(), setting.defer_unpacking, problems),
              client.schedule);
  for (int i = 0; i < steps_in_a_run; ++i) {
    for (auto& mover : movers) mover.wander(steps);
    steps.run_step();
  }
  return problems;
}

}  // namespace weft::testing
