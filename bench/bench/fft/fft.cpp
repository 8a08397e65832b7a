// SPDX-License-Identifier: BSD-3-Clause
#include "bench/fft/fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/fft/fft_baseline.hpp"
#include "bench/shared/rotation.hpp"
#include "fft/tune.hpp"
#include "weft/error.hpp"
#include "weft/timeline/overlap_fraction.hpp"
#include "weft/transport/collectives.hpp"

#if defined(WEFT_HAVE_FFTW_MPI)
#include <fftw3-mpi.h>
#endif

namespace weft::bench {
namespace {

using Complex = std::complex<double>;
using Transform = fft::Fft<Complex>;

// The same by FFTW's own MPI transform, in FFTW's distribution of x (equal to weft's if x is divisible by the ranks).
// Empty if weft was built without it. Collective, as is each call of the function.
std::function<void()> fftw_mpi_forward([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] const fft::Size3& size,
                                       [[maybe_unused]] fft::Effort effort) {
#if defined(WEFT_HAVE_FFTW_MPI)
  static const bool ready = (fftw_mpi_init(), true);
  (void)ready;
  const auto n = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(size[k]); };
  std::ptrdiff_t planes = 0, first = 0;
  const auto count = static_cast<std::size_t>(fftw_mpi_local_size_3d(n(0), n(1), n(2), comm, &planes, &first));
  const std::shared_ptr<double> in(fftw_alloc_real(2 * count), fftw_free), out(fftw_alloc_real(2 * count), fftw_free);
  const auto complex = [](const auto& numbers) { return reinterpret_cast<fftw_complex*>(numbers.get()); };
  const unsigned flag = effort == fft::Effort::estimate  ? FFTW_ESTIMATE
                        : effort == fft::Effort::measure ? FFTW_MEASURE
                                                         : FFTW_PATIENT;
  const std::shared_ptr<fftw_plan_s> plan(
      fftw_mpi_plan_dft_3d(n(0), n(1), n(2), complex(in), complex(out), comm, FFTW_FORWARD, flag), fftw_destroy_plan);
  if (!plan) throw Error("FFTW-MPI has no plan for this size. Give another of --sizes.", true);
  for (std::size_t i = 0; i < count; ++i) {
    complex(in)[i][0] = static_cast<double>(i % 17) - 8;
    complex(in)[i][1] = static_cast<double>(i % 13) - 6;
  }
  return [in, out, plan] { fftw_execute(plan.get()); };
#else
  return {};
#endif
}

// All ways to transform one size, on the same arrays.
class Ways {
 public:
  Ways(mpi::Communicator& world, const fft::Size3& size, const FftBenchOptions& o)
      : world_(world), size_(size), options_(o) {
    const auto planes = std::max(size[0], size[1]);
    pipelined_ = add("pipelined, passive", o.tile, o.window, ProgressOptions::Kind::passive);
    for (const auto kind : o.progress) {
      if (kind == ProgressOptions::Kind::passive) continue;
      if (kind == ProgressOptions::Kind::thread && !world.thread_multiple()) continue;
      add(fmt::format("pipelined, {}", name_of(kind)), o.tile, o.window, kind);
    }
    const bool shares = o.carrier == fft::Carrier::messages && fft::shares_memory(world);
    auto shared = options_of(o.tile, o.window);
    shared.carrier = fft::Carrier::shared_memory;
    if (shares) add("pipelined, shared memory", shared);
    first_blocking_ = timed.size();
    shared.window = 0;
    if (shares) add("blocking, shared memory", shared);
    add("blocking, tiles", o.tile, 0, ProgressOptions::Kind::passive);
    add("blocking, at once", planes, 0, ProgressOptions::Kind::passive);
    auto& t = *transforms_[pipelined_];
    in_ = fft::Buffer<Complex>(t.field_size());
    out_ = fft::Buffer<Complex>(t.spectrum_size());
    for (std::size_t i = 0; i < in_.size(); ++i)
      in_.data()[i] = {static_cast<double>(i % 17) - 8, static_cast<double>(i % 13) - 6};
    transforms_of_ours_ = timed.size();
    if (t.grid().columns == 1) {
      baseline_ = std::make_unique<FftBaseline>(world.handle(), size, o.effort);
      timed.push_back({"plain MPI", [this] { baseline_->forward(in_.data(), out_.data()); }});
    }
    last_blocking_ = timed.size();
    timed.push_back({"computation alone", [this, &t] { t.run_part(true, in_.data(), out_.data(), true, false); }});
    timed.push_back({"communication alone", [this, &t] { t.run_part(true, in_.data(), out_.data(), false, true); }});
    if (o.tune) {
      auto options = options_of(o.tile, o.window);
      tuned_text = fft::tune<Complex>(world, size, options, true, in_.data(), out_.data(), *o.tune);
      tuned_ = timed.size();
      add("tuned", options);
    }
    const auto other = t.backend() == fft::Backend::fftw ? fft::Backend::pocketfft : fft::Backend::fftw;
    if (fft::is_available(other)) {
      other_backend_ = timed.size();
      auto options = options_of(o.tile, o.window);
      options.backend = other;
      auto& u = *transforms_.emplace_back(std::make_unique<Transform>(world, size, options));
      u.plan(true);
      timed.push_back({fmt::format("computation alone, {}", fft::backend_names.of(other)),
                       [this, &u] { u.run_part(true, in_.data(), out_.data(), true, false); }});
    }
    if (auto forward = fftw_mpi_forward(world.handle(), size, o.effort)) {
      has_fftw = true;
      timed.push_back({"FFTW-MPI", std::move(forward)});
    }
  }

  std::size_t best_pipelined() const { return best(0, first_blocking_); }
  std::size_t best_blocking() const { return best(first_blocking_, last_blocking_); }
  std::size_t best_of_ours() const { return best(0, transforms_of_ours_); }
  double computation() const { return timed[last_blocking_].spread().median; }
  double communication() const { return timed[last_blocking_ + 1].spread().median; }
  std::size_t tile() const { return transforms_[pipelined_]->tile(); }
  std::size_t window() const { return transforms_[pipelined_]->window(); }

  std::optional<std::size_t> tuned() const { return tuned_; }
  // Of the computation, if both backends are available.
  std::optional<double> pocketfft_over_fftw() const {
    if (!other_backend_) return {};
    const auto &own = timed[last_blocking_], &other = timed[*other_backend_];
    const bool is_fftw = transforms_[pipelined_]->backend() == fft::Backend::fftw;
    return ratio(is_fftw ? other : own, is_fftw ? own : other).median;
  }

  std::vector<Timed> timed;
  std::string tuned_text;
  bool has_fftw = false;  // it is the last one

 private:
  fft::Options options_of(std::size_t tile, std::size_t window) const {
    return {.decomposition = options_.decomposition,
            .effort = options_.effort,
            .tile = tile,
            .window = window,
            .carrier = options_.carrier};
  }
  std::size_t add(std::string name, std::size_t tile, std::size_t window, ProgressOptions::Kind kind) {
    auto options = options_of(tile, window);
    options.progress = std::make_shared<Progress>(world_, ProgressOptions{.kind = kind});
    return add(std::move(name), options);
  }
  std::size_t add(std::string name, const fft::Options& options) {
    auto& t = *transforms_.emplace_back(std::make_unique<Transform>(world_, size_, options));
    t.plan(true);
    timed.push_back({std::move(name), [this, &t] { t.forward({in_.data(), in_.size()}, {out_.data(), out_.size()}); }});
    return transforms_.size() - 1;
  }
  std::size_t best(std::size_t first, std::size_t last) const {
    std::size_t found = first;
    for (auto k = first; k < last; ++k)
      if (timed[k].spread().median < timed[found].spread().median) found = k;
    return found;
  }

  mpi::Communicator& world_;
  fft::Size3 size_;
  const FftBenchOptions& options_;
  std::vector<std::unique_ptr<Transform>> transforms_;
  std::unique_ptr<FftBaseline> baseline_;
  fft::Buffer<Complex> in_, out_;
  std::optional<std::size_t> tuned_, other_backend_;
  std::size_t pipelined_ = 0, first_blocking_ = 0, last_blocking_ = 0, transforms_of_ours_ = 0;
};

}  // namespace

void fft_transforms(mpi::Communicator& world, const FftBenchOptions& options) {
  together(world, [] { fft::default_backend(); });  // throws for an invalid WEFT_FFT_BACKEND
  Report report("fft", world, options);
  auto sizes = options.sizes;
  if (sizes.empty()) sizes = {{64, 64, 64}, {128, 128, 128}};
  if (options.sizes.empty() && !options.quick) sizes.push_back({256, 256, 256});
  report.setting("backend", std::string(fft::backend_names.of(fft::default_backend())));
  report.setting("effort", fft::effort_names.of(options.effort));
  report.setting("carrier", fft::carrier_names.of(options.carrier));
  const double seconds = options.seconds_or(20, 120);
  const double budget = seconds / static_cast<double>(sizes.size());
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    Ways ways(world, sizes[s], options);
    time_in_turns(world, ways.timed, {.seconds = budget});
    const auto label = fft::text_of(sizes[s]) + ": ";
    for (const auto& t : ways.timed) report.result(label + t.name, scaled(t.spread(), 1e3), "ms");
    const auto &ours = ways.timed[ways.best_pipelined()], &blocking = ways.timed[ways.best_blocking()];
    report.note(fmt::format("{}tile {}, window {}; fastest pipelined: '{}', fastest without overlap: '{}'", label,
                            ways.tile(), ways.window(), ours.name, blocking.name));
    if (const auto tuned = ways.tuned()) {
      report.note(label + ways.tuned_text);
      report.figure(fmt::format("tuned_speedup_{}", sizes[s][0]), ratio(blocking, ways.timed[*tuned]));
    }
    if (ways.has_fftw) {
      const auto& fastest = ways.timed[ways.best_of_ours()];
      report.figure(fmt::format("over_fftw_mpi_{}", sizes[s][0]), ratio(fastest, ways.timed.back()));
    }
    if (const auto backends = ways.pocketfft_over_fftw())
      report.figure(fmt::format("pocketfft_over_fftw_{}", sizes[s][0]), *backends);
    if (s + 1 < sizes.size()) continue;
    if (!ways.has_fftw) report.note("There are no ratios to FFTW-MPI (weft was built without it).");
    report.figure("communication_over_computation", ways.communication() / ways.computation());
    report.figure("pipelined_overlap_fraction",
                  overlap_fraction(ways.communication(), ways.computation(), ours.spread().median));
    report.figure("pipelined_speedup", ratio(blocking, ours));
  }
  report.note("Serial transforms by " + fft::text_of(fft::default_backend()) + ".");
  report.note(
      "pipelined_overlap_fraction is the overlap fraction and pipelined_speedup the speed-up over the fastest way "
      "without "
      "overlap, both at the largest size.");
  report.finish(world);
}

}  // namespace weft::bench
