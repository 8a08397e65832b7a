// SPDX-License-Identifier: BSD-3-Clause
//
// The library fft: the distributed 3-D Fourier transform of real and complex fields in slabs or pencils. Planes are
// sent in tiles, with a window of tiles in flight while the next ones are transformed (weft's pipeline; source: paper
// 001, LibNBC). Serial transforms are FFTW's or pocketfft's (see backend.hpp). Fft<Value> is its one class; Options are
// its settings.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "fft/layout.hpp"
#include "fft/pass.hpp"
#include "fft/serial_transform.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/halo/rank_order.hpp"
#include "weft/names.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace fft {

class Reshape;
struct Shape;

/// The factor of a transform; N is the number of points of the grid.
enum class Normalisation : std::uint8_t {
  none,     ///< nothing: forward and inverse give N times the data
  inverse,  ///< inverse by 1/N
  unitary,  ///< both by 1/sqrt(N)
  forward,  ///< forward by 1/N: the spectrum's first value is the mean
};

inline constexpr Names<Normalisation> normalisation_names("normalisation", {{Normalisation::none, "none"},
                                                                            {Normalisation::inverse, "inverse"},
                                                                            {Normalisation::unitary, "unitary"},
                                                                            {Normalisation::forward, "forward"}});

struct Options {
  Decomposition decomposition = Decomposition::automatic;
  std::size_t rows = 0;                         ///< rows of the process grid of pencils; 0: as square as possible
  RankOrder rank_order = RankOrder::row_major;  ///< which rank has which row and column of the process grid
  std::size_t batch = 1;                        ///< number of fields, one after the other in memory, each as a box
  bool transposed = false;  ///< leave the spectrum in the layout after the last transform: less to send
  bool padded = false;      ///< real rows are padded to 2 (n/2 + 1) values: needed to transform in place
  /// The program's own box of the field on this rank, and of the spectrum (of a real field nx x ny x (nz/2 + 1)
  /// complex numbers). Any disjoint boxes that cover the grid, in any order of axes; empty where a rank has no points;
  /// a row of 0 is not padded. Given on all ranks or on none, each for itself. Values are sent to weft's own layout and
  /// from there, unless the boxes are weft's layout; `decomposition` automatic takes one for which they are. A field's
  /// box says itself whether rows are padded, a spectrum's whether it is transposed.
  std::optional<Box> field_box{}, spectrum_box{};
  Normalisation normalisation = Normalisation::inverse;
  Effort effort = Effort::measure;
  std::optional<Backend> backend{};  ///< of the serial transforms; none: default_backend()
  std::size_t tile = 0;              ///< planes per tile (sent together); 0: chosen by the planes' size
  static constexpr std::size_t chosen = ~std::size_t{0};
  /// Tiles in flight while the next is transformed; 0: each is waited for (blocking). `chosen`: 2, on a network up to
  /// 16.
  std::size_t window = chosen;
  Carrier carrier = Carrier::messages;
  std::shared_ptr<Progress> progress{};  ///< makes MPI progress; null: passive
  /// Records the transforms: computation as "transform", everything else as "planes". Borrowed, may be null.
  Timeline* timeline = nullptr;
};

/// A 3-D discrete Fourier transform of a field that is distributed over all ranks of a transport, of any size and over
/// any number of ranks. Value is the type of the field: double, float (real; the spectrum then has the first nz/2 + 1
/// of z), or std::complex of these.
///
///     Fft<double> fft(world, {128, 128, 128}, {.progress = progress});
///     std::vector<double> field(fft.field_size());                    // fft.field(): which points
///     std::vector<std::complex<double>> spectrum(fft.spectrum_size());
///     fft.forward(std::span<const double>(field), std::span(spectrum));
///
/// forward: sum over x of f(x) exp(-2 pi i k x / n), inverse with the other sign, each times the normalisation's
/// factor. The input is unchanged unless it is the output: in place, both begin at the same address (real fields:
/// padded).
///
/// Planes are transformed and sent while the next is transformed, with a window of tiles in flight (Hoefler,
/// Gottschling, Lumsdaine: "Leveraging Non-Blocking Collective Communication in High-Performance Applications", SPAA
/// 2008). Results are bitwise independent of tile, window, progress and carrier (on the same transport); they may
/// depend on the effort and the backend, since other plans and libraries round differently.
///
/// Construction, plan(), transforms and destruction are collective. One transform of an object at a time; objects of
/// different threads need their own transports. Throws Error if sizes don't match, on all ranks if all made the same
/// mistake.
///
/// A failure is final: if a transform throws on one rank, the object has failed on all ranks, as a StepManager. The
/// running or the next transform of the other ranks throws a PeerError. To go on, make a new one.
template <class Value>
class Fft {
 public:
  static constexpr bool is_complex = !std::is_floating_point_v<Value>;
  using Real = typename std::conditional_t<is_complex, Value, std::complex<Value>>::value_type;
  using Complex = std::complex<Real>;

  /// Makes no plans yet: the first transform of each direction does, or plan().
  Fft(Transport& transport, const Size3& size, const Options& options = {});
  ~Fft();

  const Size3& size() const { return size_; }
  std::size_t points() const { return size_[0] * size_[1] * size_[2]; }
  const Grid& grid() const { return grid_; }
  bool is_placed() const { return !ranks_.empty(); }  ///< whether the order of ranks is not that of their numbers
  Box field() const { return field_; }                ///< this rank's share of the field
  Box spectrum() const { return spectrum_; }          ///< this rank's share of the spectrum, in complex numbers
  bool sends_field() const { return !field_boxes_.empty(); }        ///< whether its own boxes are not weft's layout
  bool sends_spectrum() const { return !spectrum_boxes_.empty(); }  ///< the same of the spectrum
  std::size_t field_size() const { return options_.batch * field().size(); }
  std::size_t spectrum_size() const { return options_.batch * spectrum().size(); }
  const Options& options() const { return options_; }
  std::size_t tile() const { return tile_; }  ///< planes per tile, as given or chosen
  std::size_t window() const { return options_.window; }
  Backend backend() const { return *options_.backend; }  ///< as given or chosen

  void forward(std::span<const Value> field, std::span<Complex> spectrum);
  void inverse(std::span<const Complex> spectrum, std::span<Value> field);

  /// Makes plans and creates messages, which otherwise the first transform does. Collective.
  void plan(bool forward);

  /// As StepManager::fail().
  void fail(const std::string& why) noexcept;
  /// As StepManager::has_failed().
  bool has_failed() const { return space_.failure()->has_failed(); }

  /// Time of this rank in transforms, by activity; the caller resets it.
  Seconds seconds;

  /// For measuring: only the computation, or only the communication, of a transform. The result is wrong.
  void run_part(bool forward, const void* in, void* out, bool compute, bool communicate);

 private:
  using Passes = std::vector<std::unique_ptr<Pass<Real>>>;
  void run(bool forward, const void* in, void* out, bool compute, bool communicate);
  void transform(bool forward, const void* in, void* out, bool compute, bool communicate);
  void make_scratch(const Shape& shape);
  void choose_layout();
  Size3 waves() const;
  void place_ranks(const std::vector<int>& nodes);
  Grid grid_of(std::size_t rank) const;
  Box own_box(bool spectrum, std::size_t rank) const;
  std::unique_ptr<Reshape> make_reshape(bool spectrum, bool inwards);

  MessageSpace space_;
  Transport& transport_;  // its own duplicate: a failure leaves nothing in the middle of a collective of the program's
  Size3 size_;
  Options options_;
  std::vector<int> ranks_, positions_;  // at each position of the grid, and the reverse; none: in order
  Grid grid_;
  bool transposed_ = false;                            // weft's own layout of the spectrum
  Box field_, spectrum_;                               // as the program has them
  std::vector<Box> field_boxes_, spectrum_boxes_;      // of all ranks; none: weft's own layout
  std::unique_ptr<Reshape> arriving_[2], leaving_[2];  // by `forward`; null: weft's own layout
  std::size_t tile_ = 1;
  Passes forward_, inverse_;
  Buffer<Complex> scratch_[2], staged_;
};

}  // namespace fft
}  // namespace weft
