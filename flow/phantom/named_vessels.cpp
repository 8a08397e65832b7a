// SPDX-License-Identifier: BSD-3-Clause
#include "phantom/made_vessel.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "phantom/tree_builder.hpp"
#include "weft/error.hpp"

namespace weft::phantom {

namespace {

// Radius of a circle with this area in mm^2.
double radius_of(double area_mm2) { return std::sqrt(area_mm2 / std::numbers::pi); }

// `reynolds`: mean and highest.
MadeVessel finished(const TreeBuilder& tree, const char* name, const std::array<double, 2>& reynolds, double period,
                    MadeVessel::Pulse pulse, double voxel) {
  auto vessel = tree.finish(name, 13000);
  vessel.mean_reynolds = reynolds[0];
  vessel.highest_reynolds = reynolds[1];
  vessel.period = period;
  vessel.pulse = pulse;
  vessel.voxel = voxel;
  return vessel;
}

}  // namespace

MadeVessel make_aorta() {
  const double inlet = radius_of(182), outlet = radius_of(64);
  TreeBuilder tree(2.5);
  tree.branch({{{2, 6, 108}, inlet}, {{4, 4, 82}, 7.4}, {{-1, -2, 52}, 7.0}, {{-3, -3, 24}, 6.8}, {{0, 0, 0}, 6.4}},
              "inlet", "");
  tree.branch(
      {{{-1, -1, 8}, 5.6}, {{5, 0, -8}, 5.4}, {{16, -3, -30}, 5.0}, {{24, -9, -52}, 4.7}, {{29, -11, -72}, outlet}}, "",
      "left_iliac");
  tree.branch(
      {{{-1, -1, 8}, 5.6}, {{-6, 0, -8}, 5.4}, {{-18, -2, -28}, 5.1}, {{-27, -9, -47}, 4.8}, {{-31, -14, -68}, outlet}},
      "", "right_iliac");
  return finished(tree, "aorta", {350, 1400}, 0.85, MadeVessel::Pulse::aortic, 0.55e-3);
}

MadeVessel make_carotid() {
  TreeBuilder tree(1.0);
  // The common carotid has two bends; the internal carotid widens into the bulb, then has a kink.
  tree.branch({{{0, 0, -52}, 3.15},
               {{4, 1.5, -42}, 3.1},
               {{1, 4, -31}, 3.1},
               {{-4, 2, -21}, 3.05},
               {{-2, -1, -10}, 3.1},
               {{0, 0, 0}, 3.2}},
              "common", "");
  tree.branch({{{-0.5, -0.2, -3}, 3.0},
               {{2.2, 0.3, 4}, 3.9},
               {{5, 0.6, 10}, 3.3},
               {{7, 0.5, 16}, 2.45},
               {{5.2, 2.5, 23}, 2.35},
               {{8.6, 4.6, 29}, 2.3},
               {{8.8, 3, 37}, 2.3},
               {{7.5, 2, 46}, 2.25}},
              "", "internal");
  tree.branch({{{-0.5, -0.2, -3}, 2.4},
               {{-2.8, -0.8, 4}, 2.0},
               {{-6, -1.4, 12}, 1.9},
               {{-9.5, -0.6, 21}, 1.85},
               {{-11, 1, 31}, 1.8},
               {{-12, 1.5, 40}, 1.75}},
              "", "external");
  return finished(tree, "carotid", {380, 860}, 0.9, MadeVessel::Pulse::carotid, 0.3e-3);
}

MadeVessel make_six_openings() {
  TreeBuilder tree(1.2);
  tree.branch({{{0, 0, 0}, 4.5},
               {{1.5, 1, 14}, 4.4},
               {{0, 2, 28}, 4.1},
               {{-2, 1, 42}, 3.6},
               {{-1.5, -1, 56}, 3.1},
               {{0, 0, 70}, 2.6}},
              "inlet", "trunk");
  tree.branch({{{1.4, 1, 13}, 2.4}, {{9, 1.5, 19}, 2.2}, {{18, 0, 25}, 2.0}, {{25, -3, 34}, 1.9}}, "", "first");
  tree.branch({{{0.5, 1.8, 24}, 2.3}, {{-6, 6, 30}, 2.1}, {{-12, 12, 35}, 2.0}, {{-17, 16, 44}, 1.8}}, "", "second");
  tree.branch({{{-1.6, 1.3, 38}, 2.1}, {{-6, -5, 44}, 1.9}, {{-9, -13, 50}, 1.8}, {{-10, -19, 59}, 1.7}}, "", "third");
  tree.branch({{{-1.6, -0.7, 53}, 2.0}, {{7, 2.5, 58.5}, 1.8}, {{14, 6, 65}, 1.7}, {{18, 8, 74}, 1.6}}, "", "fourth");
  return finished(tree, "six", {300, 900}, 0.8, MadeVessel::Pulse::aortic, 0.3e-3);
}

MadeVessel make_vessel_named(std::string_view name, std::uint64_t seed) {
  if (name == "aorta") return make_aorta();
  if (name == "carotid") return make_carotid();
  if (name == "six") return make_six_openings();
  if (name == "random") return make_random_vessel(seed);
  throw InputError(std::string("\"").append(name) +
                   "\" is not a vessel that weft can generate. Choose aorta, carotid, six or random.");
}

}  // namespace weft::phantom
