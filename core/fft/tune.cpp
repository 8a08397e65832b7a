// SPDX-License-Identifier: BSD-3-Clause
#include "fft/tune.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace weft::fft {
namespace {

using Kind = ProgressOptions::Kind;

template <class Value>
std::string problem(const Size3& size, const Fft<Value>& fft, bool forward) {
  const auto bits = 8 * sizeof(Value);
  const auto& g = fft.grid();
  return std::string("fft ") + (Fft<Value>::is_complex ? "c" : "f") + std::to_string(bits) + " " + text_of(size) +
         (forward ? " forward " : " inverse ") + std::to_string(g.rows) + "x" + std::to_string(g.columns) +
         (fft.options().carrier == Carrier::messages ? ""
                                                     : std::string(" ") + carrier_names.of(fft.options().carrier)) +
         (fft.backend() == Backend::fftw ? "" : std::string(" ") + backend_names.of(fft.backend())) +
         (fft.options().batch > 1 ? " batch " + std::to_string(fft.options().batch) : std::string());
}

// Transforms for the settings of a dry run. Small ones are kept, since their measurements are interleaved.
template <class Value>
class Transforms {
 public:
  Transforms(Transport& transport, const Size3& size, const Options& options)
      : transport_(transport), size_(size), options_(options) {
    constexpr std::size_t few = std::size_t{1} << 20;
    keeps_ = options.batch * size[0] * size[1] * size[2] / static_cast<std::size_t>(transport.size()) < few;
  }

  Fft<Value>& of(const Setting& setting) {
    if (!keeps_) kept_.clear();
    auto& fft = kept_[setting];
    if (fft) return *fft;
    auto options = options_;
    apply(setting, transport_, options);
    auto& progress = progress_[value_of(setting, "progress", "")];
    if (progress) options.progress = progress;  // one progress thread per transform would be too many
    progress = options.progress;
    fft = std::make_unique<Fft<Value>>(transport_, size_, options);
    return *fft;
  }

 private:
  Transport& transport_;
  Size3 size_;
  Options options_;
  bool keeps_ = false;
  std::map<std::string, std::shared_ptr<Progress>> progress_;
  std::map<Setting, std::unique_ptr<Fft<Value>>> kept_;
};

}  // namespace

template <class Value>
std::vector<Setting> candidates(Transport& transport, const Size3& size, const Options& options) {
  const Fft<Value> chosen(transport, size, options);
  const auto planes = std::max(size[0], size[1]), tile = chosen.tile();
  const auto setting = [](std::size_t of_tile, std::size_t window, Kind kind) {
    return Setting{{"tile", std::to_string(of_tile)}, {"window", std::to_string(window)}, {"progress", name_of(kind)}};
  };
  std::vector<Setting> all{setting(planes, 0, Kind::passive), setting(tile, 0, Kind::passive)};
  const auto window = std::max<std::size_t>(1, chosen.window());
  for (const auto kind : progress_kinds_of(transport)) {
    if (kind == Kind::send_receive_threads) continue;  // a pipeline's tiles have one side
    for (const auto w : {window, 2 * window})
      for (const auto t : {tile, std::max<std::size_t>(1, tile / 2), 2 * tile}) {
        const auto next = setting(t, w, kind);
        if (kind == Kind::passive && (t != tile || w != window)) continue;
        if (t <= planes && std::find(all.begin(), all.end(), next) == all.end()) all.push_back(next);
      }
  }
  if (options.carrier == Carrier::messages && shares_memory(transport)) {
    for (const auto w : {std::size_t{0}, window}) {
      auto next = setting(tile, w, Kind::passive);
      next["carrier"] = carrier_names.of(Carrier::shared_memory);
      all.push_back(std::move(next));
    }
  }
  return all;
}

void apply(const Setting& setting, Transport& transport, Options& options) {
  options.tile = number_of(setting, "tile", options.tile);
  options.window = number_of(setting, "window", options.window);
  options.carrier = carrier_names.named(value_of(setting, "carrier", carrier_names.of(options.carrier)));
  ProgressOptions progress;
  weft::apply(setting, progress);
  options.progress = std::make_shared<Progress>(transport, progress);
}

template <class Value>
std::string tune(Transport& transport, const Size3& size, Options& options, bool forward, const void* in, void* out,
                 const Tuning::Options& how) {
  const auto text = problem(size, Fft<Value>(transport, size, options), forward);
  Tuning tuning(transport, text, candidates<Value>(transport, size, options), how);
  Transforms<Value> transforms(transport, size, options);
  Fft<Value>* now = nullptr;
  tuning.dry_run(
      [&](const Setting& setting) {
        if (tuning.settled()) return;
        now = &transforms.of(setting);
        now->plan(forward);
      },
      [&] { now->run_part(forward, in, out, true, true); });
  if (tuning.chosen()) apply(*tuning.chosen(), transport, options);
  return tuning.text();
}

#define WEFT_TUNED(Value)                                                                    \
  template std::vector<Setting> candidates<Value>(Transport&, const Size3&, const Options&); \
  template std::string tune<Value>(Transport&, const Size3&, Options&, bool, const void*, void*, const Tuning::Options&)
WEFT_TUNED(double);
WEFT_TUNED(float);
WEFT_TUNED(std::complex<double>);
WEFT_TUNED(std::complex<float>);
#undef WEFT_TUNED

}  // namespace weft::fft
