// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/site_arrays.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "lattice/detail/axis_velocities.hpp"
#include "lattice/detail/entropy.hpp"
#include "lattice/detail/instruction_set.hpp"
#include "lattice/detail/populations.hpp"
#include "lattice/detail/rates.hpp"

namespace weft::lattice::detail {
namespace {

template <class Number>
class Arrays final : public SiteArrays {
 public:
  using Scalar = Arithmetic<Number>;
  static constexpr std::size_t width = group_width<Number>;
  static constexpr std::size_t most_in_part =
      8 * width;  // sites, which stay in the first-level cache until they are read again

  // A cache line before the first value and one after the last: a piece's vector may reach there, where it is
  // read, and written unchanged.
  Arrays(const Parameters& p, const Links& links, std::size_t values)
      : links_(links), kernels_(&row_kernels<Number>(p.instruction_set)), used_{.instruction_set = p.instruction_set},
        set_(static_cast<std::size_t>(p.velocities)),
        memory_((values * sizeof(Number) + line_bytes + sizeof(double) - 1) / sizeof(double), 1),
        data_(static_cast<Number*>(static_cast<void*>(memory_.data()))), relaxation_(Relaxation::of(p)) {
    if (p.viscosity) table_.emplace(p.viscosity);
    if (p.advection == Advection::corrected) advection_.emplace(links, width);
    for (std::size_t j = 1; j < links.directions; ++j)
      even_offsets_[j - 1] = static_cast<std::int32_t>(opposite(j) * links.stride);
    set(relaxation_);
  }

  void set(const Relaxation& relaxation) override {
    relaxation_ = relaxation;
    rates_ = rates_of<Scalar>(relaxation);
    const auto form = static_cast<std::size_t>(relaxation.form());
    kernel_ = kernels_->of[set_][form];
    group_kernel_ = table_ || advection_ ? nullptr : kernels_->groups[set_][form];
    if (!table_) return;
    local_rates_ = table_->rates<Scalar>(relaxation);
    local_kernel_ = kernels_->local[set_][form];
  }

  void use(const Kernel& kernel) override {
    kernels_ = &row_kernels<Number>(kernel.instruction_set);
    used_ = kernel;
    set(relaxation_);
  }

  void update(std::size_t first, std::size_t last, std::size_t sites_end, const DiagnosticsTask* diagnostics,
              OpeningSites* openings) override;
  void read(std::size_t first, Arriving& out) const override;
  void excess(std::size_t first, std::array<double, most_lanes>& out) const override {
    const Run* const run = is_odd ? &run_at(first) : nullptr;
    if (is_odd) take(run);
    kernels_->excess(data_ + first, offsets_of(run), links_.directions, out.data());
  }
  void prefetch(std::size_t first) const override {
    const auto* const offsets = offsets_of(is_odd ? &run_at(first) : nullptr);
    for (std::size_t i = 1; i < links_.directions; ++i) __builtin_prefetch(data_ + first + offsets[i - 1], 0, 3);
  }
  void put(std::size_t slot, std::size_t i, double value) override {
    data_[i * links_.stride + slot] = static_cast<Number>(value);
  }

  // After an even step the populations for the peer are with the sites, after an odd one with the ghosts.
  void fill_outgoing(const Links::Peer& peer, std::span<const LinkOffsets> of_walls, std::byte* out) const override {
    auto* to = reinterpret_cast<Number*>(out);
    if (is_odd) {
      std::memcpy(out, ghosts(peer), peer.near.size() * sizeof(Number));
      to += peer.near.size();
    } else {
      for (const auto place : peer.near) *to++ = data_[place];
    }
    for (const auto& places : of_walls) *to++ = data_[places[is_odd ? 0 : 1]];
    if (advection_) advection_->fill_outgoing(peer, is_odd, to);
  }
  void take_incoming(const Links::Peer& peer, const WallLinks::Peer* of_walls, const std::byte* in) override {
    const auto* from = reinterpret_cast<const Number*>(in);
    if (!is_odd) {
      std::memcpy(data_ + (ghosts(peer) - data_), in, peer.near.size() * sizeof(Number));
      from += peer.near.size();
    } else {
      for (const auto place : peer.near) data_[place] = *from++;
    }
    if (of_walls != nullptr) {
      std::copy_n(from, of_walls->asked.size(), data_ + of_walls->first);
      from += of_walls->asked.size();
    }
    if (advection_) advection_->take_incoming(peer, is_odd, from);
  }

  void bounce(const WallLinks& walls) override {
    const std::size_t parity = is_odd ? 1 : 0;
    auto* copy = data_ + walls.first_copy;
    for (const auto& from : walls.copied) *copy++ = data_[from[parity]];
    std::size_t first = 0;
    for (const std::size_t end : walls.block_end) {
      kernels_->bounce(data_, walls.links.data() + first, end - first, parity);
      first = end;
    }
  }

  std::size_t extra_numbers(const Links::Peer& peer) const override { return advection_ ? peer.along_axes : 0; }
  void read_corrections(std::size_t first, Corrections& out) const override {
    out = {};
    if (!advection_) return;
    const Run* run = &run_at(first);
    float corrections[3][most_in_part];
    correct(run, first, width, corrections);
    for (std::size_t a = 0; a < 3; ++a) std::copy_n(corrections[a], width, out[a].begin());
  }
  void put_correction(std::size_t slot, const std::array<double, 3>& correction) override {
    if (advection_) advection_->give(slot, is_odd, correction);
  }

  // A population and its opposite have the same weight.
  Entropy entropy(std::size_t first, std::size_t end) const override {
    EntropySum<Number> sum(used_.instruction_set);
    const auto& weight = table_of(static_cast<VelocitySet>(set_)).weight;
    for (std::size_t i = 0; i < links_.directions; ++i)
      sum.add(data_ + i * links_.stride + first, end - first, weight[i]);
    return sum.sum();
  }

  std::size_t element_bytes() const override { return sizeof(Number); }
  std::size_t bytes() const override { return memory_.bytes() + (advection_ ? advection_->bytes() : 0); }

 private:
  const Number* ghosts(const Links::Peer& peer) const {
    return data_ + links_.directions * links_.stride + peer.first_ghost;
  }
  void update_row(Row<Number>& row, const Run* run, std::size_t slot, std::size_t count, std::size_t sites_end,
                  const DiagnosticsTask* diagnostics);
  void correct(const Run*& run, std::size_t slot, std::size_t count, float (&to)[3][most_in_part]) const;
  const Run& run_at(std::size_t slot) const { return links_.runs[links_.run_of(slot / width)]; }
  void update_even(std::size_t first, std::size_t last, std::size_t sites_end, const DiagnosticsTask* diagnostics);
  void update_odd(std::size_t first, std::size_t last, std::size_t sites_end, const DiagnosticsTask* diagnostics);
  void update_at_openings(std::size_t slot, std::size_t sites_end, const DiagnosticsTask* diagnostics,
                          OpeningSites& openings);
  void take(const Run* run) const {
    kernels_->take(data_, links_.pieces.data() + run->pieces, run[1].pieces - run->pieces, run->begun,
                   data_ + links_.first_line + run->lines * width);
  }
  void put(const Run* run) const {
    kernels_->put(data_, links_.pieces.data() + run->pieces, run[1].pieces - run->pieces,
                  data_ + links_.first_line + run->lines * width);
  }
  // Where the populations of a group go, relative to it; those of the opposite direction come from there.
  const std::int32_t* offsets_of(const Run* run) const {
    return run != nullptr ? links_.offsets.data() + run->start : even_offsets_.data();
  }
  // A run's location of direction j, from a slot on.
  Number* at(const Run& run, std::size_t slot, std::size_t j) const {
    return data_ + (static_cast<std::ptrdiff_t>(slot) + links_.offsets[run.start + j - 1]);
  }
  std::size_t ahead() const { return used_.prefetch / sizeof(Number); }
  // Whether the group kernel makes the sample, if any.
  bool looks_at_totals(const DiagnosticsTask* task) const {
    return task == nullptr || (kernels_->samples_groups && task->density == nullptr && task->coarse[0] == nullptr);
  }
  // The watched groups from a slot on. Mostly the next ones, since groups are updated in their order.
  Watch watch_from(std::size_t slot) {
    if (next_watched_ > 0 && watched[next_watched_ - 1] >= slot)
      next_watched_ = static_cast<std::size_t>(std::ranges::lower_bound(watched, slot) - watched.begin());
    while (watched[next_watched_] < slot) ++next_watched_;
    return {watched.data() + next_watched_, watched_excess.data() + next_watched_ * width};
  }
  void find_bad(const Row<Number>& row, std::size_t slot, std::size_t count);
  template <class Function>
  void for_each_line(std::size_t slot, const Run* run, const Function& f) const;
  void gather(std::size_t slot, const Run* run, SiteGroup<Number>& group) const;
  void scatter(std::size_t slot, const Run* run, const SiteGroup<Number>& group) const;

  void collide(const Row<Number>& row, std::size_t count) const {
    if (local_kernel_ != nullptr)
      local_kernel_(row, count, local_rates_);
    else
      kernel_(row, count, rates_);
  }

  double lowest_tau() const { return table_ ? table_->lowest_tau() : relaxation_.tau; }
  StressFactor<Scalar> stress_factor() const {
    const auto half = [&](std::size_t d) { return static_cast<Scalar>(relaxation_.force[d] / 2); };
    return {{half(0), half(1), half(2)},
            static_cast<Scalar>(relaxation_.compressible()),
            static_cast<Scalar>(0.5 / relaxation_.tau - 1),
            table_ ? &local_rates_ : nullptr};
  }

  const Links& links_;
  const RowKernels<Number>* kernels_;
  Kernel used_;
  const std::size_t set_;
  Populations memory_;
  Number* const data_;
  Relaxation relaxation_;
  Rates<Scalar> rates_{};
  RowKernel<Number> kernel_ = nullptr;
  GroupKernel<Number> group_kernel_ = nullptr;  // none where each row needs more
  std::size_t next_watched_ = 0;
  std::array<std::int32_t, 26> even_offsets_{};  // as Links::offsets, in an even step
  std::optional<RateTable> table_{};             // if the viscosity depends on the shear rate; then:
  LocalRates<Scalar> local_rates_{};
  LocalRowKernel<Number> local_kernel_ = nullptr;
  std::optional<AxisVelocities> advection_{};  // if advection is corrected
};

// `run` contains the first slot's group; on return it contains the last one's.
template <class Number>
void Arrays<Number>::correct(const Run*& run, std::size_t slot, std::size_t count, float (&to)[3][most_in_part]) const {
  if (corrections_given) return advection_->take_given(slot, is_odd, count, {to[0], to[1], to[2]});
  for (std::size_t x = 0; x < count;) {
    while ((run + 1)->first * width <= slot + x) ++run;
    const std::size_t n = std::min(count, (run + 1)->first * width - slot) - x;
    const auto number = static_cast<std::size_t>(run - links_.runs.data());
    if (Links::has_pieces(run)) advection_->prefetch(std::min(number + 2, links_.runs.size() - 2), is_odd);
    kernels_->correct(advection_->near(number, is_odd), slot + x, n, {to[0] + x, to[1] + x, to[2] + x});
    x += n;
  }
}

// `slot` is that of the row's first site, whose links are the run's; sites end before `sites_end`. Without a correction
// no run is needed.
template <class Number>
void Arrays<Number>::update_row(Row<Number>& row, const Run* run, std::size_t slot, std::size_t count,
                                std::size_t sites_end, const DiagnosticsTask* diagnostics) {
  if (diagnostics == nullptr && !advection_) return collide(row, count);
  constexpr std::size_t most = most_in_part;
  float corrections[3][most];
  DiagnosticsTask task{};
  if (diagnostics != nullptr) task = *diagnostics;
  const auto advance = [&task](std::size_t n) {
    if (task.density != nullptr) task.density += n;
    for (auto*& v : task.velocity)
      if (v != nullptr) v += n;
    for (auto*& v : task.coarse)
      if (v != nullptr) v += n;
    for (auto*& v : task.stress)
      if (v != nullptr) v += n;
  };
  advance(slot);
  for (std::size_t x = 0; x < count; x += most) {
    const std::size_t n = std::min(most, count - x);
    if (advection_) {
      correct(run, slot + x, n, corrections);
      for (std::size_t a = 0; a < 3; ++a) {
        row.correction[a] = corrections[a];
        row.velocity[a] = advection_->left_by(a, slot + x, is_odd);
      }
    }
    if (diagnostics != nullptr && slot + x < sites_end) {
      const auto seen = std::min(n, sites_end - slot - x);
      bool is_bad = false;
      task.is_bad = &is_bad;
      task.slot = slot + x;
      task.watch = watch_from(slot + x);
      kernels_->diagnostics[set_](row, seen, task);
      if (is_bad) find_bad(row, slot + x, seen);
      if (task.stress[0] != nullptr) kernels_->stress[set_](row, seen, stress_factor(), task.stress);
    }
    collide(row, n);
    for (std::size_t i = 0; i < links_.directions; ++i) {
      row.from[i] += n;
      row.into[i] += n;
    }
    advance(n);
  }
}

template <class Number>
void Arrays<Number>::find_bad(const Row<Number>& row, std::size_t slot, std::size_t count) {
  const auto& weight = table_of(static_cast<VelocitySet>(set_)).weight;
  for (std::size_t x = 0; x < count; ++x)
    for (std::size_t i = 0; i < links_.directions; ++i) {
      if (static_cast<Scalar>(row.from[i][x]) + static_cast<Scalar>(weight[i]) >= 0) continue;
      bad_slots.push_back(static_cast<std::uint32_t>(slot + x));
      break;
    }
}

template <class Number>
void Arrays<Number>::update_even(std::size_t first, std::size_t last, std::size_t sites_end,
                                 const DiagnosticsTask* diagnostics) {
  if (group_kernel_ != nullptr && looks_at_totals(diagnostics)) {
    static constexpr Run all[2] = {{}, {.first = std::numeric_limits<std::uint32_t>::max()}};
    return group_kernel_({data_, first, last, all, even_offsets_.data(), ahead(), {}, watch_from(first)}, rates_,
                         diagnostics, sites_end);
  }
  Row<Number> row;
  row.ahead = ahead();
  for (std::size_t i = 0; i < links_.directions; ++i) {
    row.from[i] = data_ + i * links_.stride + first;
    row.into[i] = data_ + opposite(i) * links_.stride + first;
  }
  update_row(row, advection_ ? &run_at(first) : nullptr, first, last - first, sites_end, diagnostics);
}

// Some runs at a time: what their groups have in pieces is copied to lines before, and back after, since a vector that
// was just written in part is slow to read.
template <class Number>
void Arrays<Number>::update_odd(std::size_t first, std::size_t last, std::size_t sites_end,
                                const DiagnosticsTask* diagnostics) {
  constexpr std::size_t most_sites = 64;  // about a row, so that their data stay in the first-level cache
  struct Part {
    const Run* run;
    std::size_t slot;
  };
  const auto after = [&](Part part) {
    const std::size_t begin = part.slot;
    for (std::size_t assembled = 0;
         part.slot < last && part.slot < begin + most_sites && assembled < Links::most_assembled; ++part.run) {
      assembled += Links::has_pieces(part.run) ? 1 : 0;
      part.slot = std::min<std::size_t>(last, part.run[1].first * width);
    }
    return part;
  };
  Part part{&run_at(first), first}, next = after(part);
  while (part.slot < last) {
    const Part then = after(next);
    for (const Run* run = part.run; run != next.run; ++run)
      if (Links::has_pieces(run)) take(run);
    if (group_kernel_ != nullptr && looks_at_totals(diagnostics))
      group_kernel_({data_, part.slot, next.slot, part.run, links_.offsets.data(), ahead(),
                     std::span(links_.pieces).subspan(next.run->pieces, then.run->pieces - next.run->pieces),
                     watch_from(part.slot)},
                    rates_, diagnostics, sites_end);
    else
      for (const Run* run = part.run; run != next.run; ++run) {
        const std::size_t slot = std::max<std::size_t>(part.slot, run->first * width);
        Row<Number> row;
        row.ahead = ahead();
        row.from[0] = row.into[0] = data_ + slot;
        for (std::size_t j = 1; j < links_.directions; ++j) row.from[opposite(j)] = row.into[j] = at(*run, slot, j);
        update_row(row, run, slot, std::min<std::size_t>(next.slot, run[1].first * width) - slot, sites_end,
                   diagnostics);
      }
    for (const Run* run = part.run; run != next.run; ++run)
      if (Links::has_pieces(run)) put(run);
    part = next;
    next = then;
  }
}

// f(i, the group's populations arriving along i).
template <class Number>
template <class Function>
void Arrays<Number>::for_each_line(std::size_t slot, const Run* run, const Function& f) const {
  f(0, data_ + slot);
  if (run == nullptr) {
    for (std::size_t i = 1; i < links_.directions; ++i) f(i, data_ + i * links_.stride + slot);
  } else {
    take(run);
    for (std::size_t j = 1; j < links_.directions; ++j) f(opposite(j), at(*run, slot, j));
  }
}

template <class Number>
void Arrays<Number>::gather(std::size_t slot, const Run* run, SiteGroup<Number>& group) const {
  for_each_line(slot, run,
                [&](std::size_t i, const Number* from) { std::memcpy(group.f[i], from, width * sizeof *from); });
}

template <class Number>
void Arrays<Number>::scatter(std::size_t slot, const Run* run, const SiteGroup<Number>& group) const {
  const auto line = [&](std::size_t i, Number* to) { std::memcpy(to, group.f[i], width * sizeof *to); };
  line(0, data_ + slot);
  if (run == nullptr) {
    for (std::size_t i = 1; i < links_.directions; ++i) line(i, data_ + opposite(i) * links_.stride + slot);
  } else {
    for (std::size_t j = 1; j < links_.directions; ++j) line(j, at(*run, slot, j));
    put(run);
  }
}

template <class Number>
void Arrays<Number>::update_at_openings(std::size_t slot, std::size_t sites_end, const DiagnosticsTask* diagnostics,
                                        OpeningSites& openings) {
  const Run& at = run_at(slot);
  const Run* const run = is_odd ? &at : nullptr;
  SiteGroup<Number> group;
  for (std::size_t i = 0; i < links_.directions; ++i)
    __builtin_prefetch(data_ + i * links_.stride + slot + 2 * width, 1, 3);
  gather(slot, run, group);
  const auto enter = [&](SiteGroup<Scalar>& sites) {
    openings.enter(slot, std::min(width, sites_end - slot), sites, relaxation_.force, (lowest_tau() - 0.5) / 3);
  };
  if constexpr (is_sixteen_bits<Number>) {
    SiteGroup<Scalar> wide;
    for (std::size_t i = 0; i < links_.directions; ++i)
      for (std::size_t l = 0; l < width; ++l) wide.f[i][l] = static_cast<Scalar>(group.f[i][l]);
    enter(wide);
    for (std::size_t i = 0; i < links_.directions; ++i)
      for (std::size_t l = 0; l < width; ++l) group.f[i][l] = static_cast<Number>(wide.f[i][l]);
  } else {
    enter(group);
  }
  Row<Number> row;
  for (std::size_t i = 0; i < links_.directions; ++i) row.from[i] = row.into[i] = group.f[i];
  update_row(row, &at, slot, width, sites_end, diagnostics);
  scatter(slot, run, group);
}

template <class Number>
void Arrays<Number>::update(std::size_t first, std::size_t last, std::size_t sites_end,
                            const DiagnosticsTask* diagnostics, OpeningSites* openings) {
  if (first >= last) return;
  if (openings != nullptr) {
    for (std::size_t x = first; x < last; x += width) update_at_openings(x, sites_end, diagnostics, *openings);
  } else if (is_odd) {
    update_odd(first, last, sites_end, diagnostics);
  } else {
    update_even(first, last, sites_end, diagnostics);
  }
}

template <class Number>
void Arrays<Number>::read(std::size_t first, Arriving& out) const {
  for_each_line(first, is_odd ? &run_at(first) : nullptr, [&](std::size_t i, const Number* from) {
    for (std::size_t l = 0; l < width; ++l) out[i][l] = static_cast<double>(from[l]);
  });
}

}  // namespace

std::unique_ptr<SiteArrays> make_site_arrays(const Parameters& parameters, const Links& links, std::size_t values) {
  if (parameters.storage == Storage::fp16) return std::make_unique<Arrays<Fp16>>(parameters, links, values);
  if (parameters.storage == Storage::fp16c) return std::make_unique<Arrays<Fp16c>>(parameters, links, values);
  if (parameters.precision == Precision::fp32) return std::make_unique<Arrays<float>>(parameters, links, values);
  return std::make_unique<Arrays<double>>(parameters, links, values);
}

}  // namespace weft::lattice::detail
