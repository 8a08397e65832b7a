// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

/// Converts an opening's <condition> to weft's condition, with the disc's radius if the condition has one. Elements
/// without a counterpart in weft go to `c.not_carried`; a condition of a kind that weft lacks becomes a pressure of 0.
void read_condition(XmlReader& xml, pugi::xml_node condition, HemelbCase& c, HemelbOpening& opening);

/// Reads the disc's radius, or computes it from the disc's area, if a condition has one of them.
void take_disc(XmlReader& xml, pugi::xml_node condition, const HemelbCase& c, HemelbOpening& opening);

/// Mean velocity over the cross-section of a long tube in which a pressure gradient (divided by the density) A cos(2 pi
/// t / period) drives the flow (Womersley 1955): the real part of e^(i w t) A / (i w) (1 - 2 J1(z) / (z J0(z))), z =
/// i^1.5 alpha; returned without e^(i w t).
std::complex<double> womersley_mean(double gradient, double period, double alpha);

}  // namespace weft::hemelb
