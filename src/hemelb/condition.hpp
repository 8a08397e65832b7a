// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

/// Reads an opening's <condition> into what weft prescribes, with the disc's radius where the condition has one.
/// What has no match in weft goes to `c.not_carried`; a condition of a kind that weft does not have becomes a pressure
/// of 0.
void read_condition(XmlReader& xml, pugi::xml_node condition, HemelbCase& c, HemelbOpening& opening);

/// Mean velocity over a disc of flow that a pressure gradient A cos(2 pi t / period) drives in a long tube (Womersley
/// 1955), in lattice units, at `points` times of one period: Re(A / (i w) (1 - 2 J1(z) / (z J0(z))) e^(i w t)), z =
/// i^1.5 alpha.
std::vector<double> womersley_means(double amplitude, double period, double alpha, int points);

}  // namespace weft::hemelb
