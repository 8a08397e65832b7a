// SPDX-License-Identifier: BSD-3-Clause
#include "fft/tune.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace weft::fft {
namespace {

using Kind = ProgressOptions::Kind;

template <class Value>
std::string problem(const Size3& size, const Fft<Value>& fft, const std::string& what) {
  const auto bits = 8 * sizeof(Value);
  return std::string("fft ") + (Fft<Value>::is_complex ? "c" : "f") + std::to_string(bits) + " " + text_of(size) +
         what + (fft.sends_field() ? " boxes" : "") + (fft.sends_spectrum() ? " to boxes" : "") +
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

template <class Value>
std::vector<Setting> grid_candidates(Transport& transport, const Size3& size, const Options& options,
                                     std::size_t most) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  const auto z = Fft<Value>::is_complex ? size[2] : size[2] / 2 + 1;
  std::vector<std::size_t> rows;
  for (std::size_t r = 1; r <= ranks; ++r)
    if (ranks % r == 0 && r <= std::min(size[0], size[1]) && ranks / r <= std::min(size[1], z)) rows.push_back(r);
  const auto is_slabs = [&](std::size_t r) { return r == ranks; };
  const auto sides = [&](std::size_t r) { return std::max(r, ranks / r); };
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return std::pair(!is_slabs(a), sides(a)) < std::pair(!is_slabs(b), sides(b));
  });
  const auto first = make_grid(size, transport.size(), 0, options.decomposition, options.rows).rows;
  std::erase(rows, first);
  rows.insert(rows.begin(), first);
  if (options.decomposition == Decomposition::slabs || options.rows == first) rows.resize(1);
  if (options.decomposition == Decomposition::pencils)
    std::erase_if(rows, [&](auto r) { return r != first && is_slabs(r); });
  if (rows.size() > most) rows.resize(std::max<std::size_t>(most, 1));

  std::vector<Setting> all;
  for (const auto r : rows) {
    Setting setting{
        {"decomposition", decomposition_names.of(is_slabs(r) ? Decomposition::slabs : Decomposition::pencils)},
        {"rows", std::to_string(r)},
        {"rank_order", rank_order_names.of(RankOrder::row_major)}};
    all.push_back(setting);
    setting["rank_order"] = rank_order_names.of(RankOrder::by_node);
    auto with = options;
    apply(setting, transport, with);
    if (Fft<Value>(transport, size, with).is_placed()) all.push_back(std::move(setting));
  }
  return all;
}

void apply(const Setting& setting, Transport& transport, Options& options) {
  options.decomposition =
      decomposition_names.named(value_of(setting, "decomposition", decomposition_names.of(options.decomposition)));
  options.rows = number_of(setting, "rows", options.rows);
  options.rank_order = rank_order_names.named(value_of(setting, "rank_order", rank_order_names.of(options.rank_order)));
  options.tile = number_of(setting, "tile", options.tile);
  options.window = number_of(setting, "window", options.window);
  options.carrier = carrier_names.named(value_of(setting, "carrier", carrier_names.of(options.carrier)));
  if (!setting.contains("progress")) return;
  ProgressOptions progress;
  weft::apply(setting, progress);
  options.progress = std::make_shared<Progress>(transport, progress);
}

template <class Value>
std::string tune_grid(Transport& transport, const Size3& size, Options& options, const Tuning::Options& how) {
  auto text = problem(size, Fft<Value>(transport, size, options), " grid");
  if (options.decomposition != Decomposition::automatic)
    text += std::string(" ") + decomposition_names.of(options.decomposition);
  if (options.rows > 0) text += " " + std::to_string(options.rows) + " rows";
  if (options.transposed) text += " transposed";
  Tuning tuning(transport, text, grid_candidates<Value>(transport, size, options), how);
  std::unique_ptr<Fft<Value>> fft;
  std::vector<Value> field;
  std::vector<typename Fft<Value>::Complex> spectrum;
  tuning.dry_run(
      [&](const Setting& setting) {
        fft.reset();
        if (tuning.settled()) return;
        auto with = options;
        apply(setting, transport, with);
        fft = std::make_unique<Fft<Value>>(transport, size, with);
        field.assign(fft->field_size(), {});
        spectrum.assign(fft->spectrum_size(), {});
        fft->plan(true);
        fft->plan(false);
      },
      [&] {
        fft->forward(field, spectrum);
        fft->inverse(spectrum, field);
      });
  if (tuning.chosen()) apply(*tuning.chosen(), transport, options);
  return tuning.text();
}

template <class Value>
std::string tune(Transport& transport, const Size3& size, Options& options, bool forward, const void* in, void* out,
                 const Tuning::Options& how) {
  const Fft<Value> fft(transport, size, options);
  const auto& grid = fft.grid();
  const auto text =
      problem(size, fft,
              std::string(forward ? " forward " : " inverse ") + std::to_string(grid.rows) + "x" +
                  std::to_string(grid.columns) + (options.rank_order == RankOrder::row_major ? "" : " by node"));
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

#define WEFT_TUNED(Value)                                                                                      \
  template std::vector<Setting> candidates<Value>(Transport&, const Size3&, const Options&);                   \
  template std::vector<Setting> grid_candidates<Value>(Transport&, const Size3&, const Options&, std::size_t); \
  template std::string tune_grid<Value>(Transport&, const Size3&, Options&, const Tuning::Options&);           \
  template std::string tune<Value>(Transport&, const Size3&, Options&, bool, const void*, void*, const Tuning::Options&)
WEFT_TUNED(double);
WEFT_TUNED(float);
WEFT_TUNED(std::complex<double>);
WEFT_TUNED(std::complex<float>);
#undef WEFT_TUNED

}  // namespace weft::fft
