// SPDX-License-Identifier: BSD-3-Clause
//
// The library lattice: lattice-Boltzmann models on two kinds of storage, a dense block (DenseLattice) and a vessel's
// list of sites (SparseLattice), in one kernel that updates populations in place. Velocity set, collision, precision
// and instruction set are selected at run time. It updates sites and provides the data to be sent; it contains neither
// MPI nor the exchange. Used by the programs flow, box and bench.
//
// The run-time options of a lattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace lattice {

enum class VelocitySet : std::uint8_t { d2q9, d3q15, d3q19, d3q27 };
enum class Precision : std::uint8_t { fp64, fp32 };
/// How populations are stored. Full: in the precision of the computation. fp16 and fp16c: in 16 bits, while single
/// precision computes (Lehmann et al., Phys. Rev. E 106 (2022) 015308): in IEEE's half precision, scaled by 2^15 (11
/// significant bits, fewer below 2^-29), or with one bit more in the mantissa (12 significant bits, fewer below 2^-14).
enum class Storage : std::uint8_t { full, fp16, fp16c };

/// BGK: one rate (Bhatnagar, Gross, Krook). TRT: one rate for the even and one for the odd moments (Ginzburg,
/// Verhaeghe, d'Humieres, Commun. Comput. Phys. 3 (2008) 427). MRT: in addition, separate rates for the trace of the
/// stress, its deviator and the even moments beyond. Regularised: moments beyond the stress are dropped (Latt and
/// Chopard, Math. Comput. Simul. 72 (2006) 165). Cumulant: cumulants beyond the third order vanish in each step (Geier
/// et al., Comput. Math. Appl. 70 (2015) 507); only D3Q19 and D3Q27.
enum class Collision : std::uint8_t { bgk, trt, mrt, regularised, cumulant };
constexpr bool has_cumulants(VelocitySet set) { return set == VelocitySet::d3q19 || set == VelocitySet::d3q27; }
/// Whether the odd moments' rate follows from the magic number.
constexpr bool uses_magic(Collision c) {
  return c == Collision::trt || c == Collision::mrt || c == Collision::cumulant;
}

/// Half-way: outgoing populations return as if the wall cut each link in the middle; first order if it does not.
/// Bouzidi: combined with other populations on the same line according to the position of the cut: quadratic
/// interpolation, second order, with a third or less of the linear one's error (Bouzidi, Firdaouss, Lallemand, Phys.
/// Fluids 13 (2001) 3452; see detail/wall_links.hpp). It takes a pass over the walls' links in each step and 28 bytes
/// for each of them.
enum class Wall : std::uint8_t { half_way, bouzidi };

/// Plain: the equilibrium of the velocity set. Since a velocity component is at most one site per step, the fourth
/// moment of an axis equals its second, so the momentum flux along each axis is too large by 1/12 of the second
/// difference of the squared velocity, which makes a fast flow depend on its orientation to the axes. Corrected: this
/// amount is subtracted from the equilibrium, using the last step's velocities of the two neighbours. (On this defect
/// and its correction by finite differences: Geier, Pasquali, Comput. Fluids 166 (2018) 139.) It takes 24 bytes per
/// site and 35 to 45 % more time; only the cumulant collision of D3Q27 has it.
enum class Advection : std::uint8_t { plain, corrected };
constexpr bool can_correct_advection(VelocitySet set, Collision collision) {
  return set == VelocitySet::d3q27 && collision == Collision::cumulant;
}

/// The instruction set of the hot loop. All give bitwise identical results; `best` is the widest that this processor
/// has. Of Arm's SVE with vectors of 256 or 512 bits; NEON, with 128 bits, is `generic`.
enum class InstructionSet : std::uint8_t { best, generic, avx2, avx512, sve256, sve512 };
bool supported(InstructionSet set);

/// How the hot loop runs: never which bits it gives.
struct Kernel {
  InstructionSet instruction_set = InstructionSet::best;
  std::size_t prefetch = 512;  ///< how many bytes ahead memory is asked for populations
  bool operator==(const Kernel&) const = default;
};
/// The names of those that are worth measuring on this processor ("avx2-512"), the default's first.
std::vector<std::string> kernel_names();
Kernel kernel_named(std::string_view name);  ///< throws an InputError if it is none of these

/// The names in case files.
inline constexpr Names<VelocitySet> velocity_set_names("velocity set", {{VelocitySet::d2q9, "D2Q9"},
                                                                        {VelocitySet::d3q15, "D3Q15"},
                                                                        {VelocitySet::d3q19, "D3Q19"},
                                                                        {VelocitySet::d3q27, "D3Q27"}});
inline constexpr Names<Precision> precision_names("precision", {{Precision::fp64, "fp64"}, {Precision::fp32, "fp32"}});
inline constexpr Names<Storage> storage_names("storage", {{Storage::full, "full"},
                                                          {Storage::fp16, "fp16"},
                                                          {Storage::fp16c, "fp16c"}});
inline constexpr Names<Collision> collision_names("collision", {{Collision::bgk, "bgk"},
                                                                {Collision::trt, "trt"},
                                                                {Collision::mrt, "mrt"},
                                                                {Collision::regularised, "regularised"},
                                                                {Collision::cumulant, "cumulant"}});
inline constexpr Names<Wall> wall_names("wall", {{Wall::half_way, "half-way"}, {Wall::bouzidi, "bouzidi"}});
inline constexpr Names<Advection> advection_names("advection",
                                                  {{Advection::plain, "plain"}, {Advection::corrected, "corrected"}});
inline constexpr Names<InstructionSet> instruction_set_names("instruction set", {{InstructionSet::best, "best"},
                                                                                 {InstructionSet::generic, "generic"},
                                                                                 {InstructionSet::avx2, "avx2"},
                                                                                 {InstructionSet::avx512, "avx512"},
                                                                                 {InstructionSet::sve256, "sve256"},
                                                                                 {InstructionSet::sve512, "sve512"}});

std::string_view name_of(VelocitySet set);
std::string_view name_of(Precision precision);
std::string_view name_of(Storage storage);
/// Of a population. Throws InputError if the storage is not one of the precision.
std::size_t bytes_of(Precision precision, Storage storage);
std::string_view name_of(Collision collision);
std::string_view name_of(Wall wall);
std::string_view name_of(Advection advection);
std::string_view name_of(InstructionSet set);

}  // namespace lattice
}  // namespace weft
