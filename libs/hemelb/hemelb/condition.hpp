// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

/// Reads an opening's <condition> into what weft prescribes, with the disc's radius where the condition has one.
/// What has no match in weft goes to `c.not_carried`; a condition of a kind that weft does not have becomes a pressure
/// of 0.
void read_condition(XmlReader& xml, pugi::xml_node condition, HemelbCase& c, HemelbOpening& opening);

/// The disc's radius, or that of a disc of its area, where a condition has one of them.
void take_disc(XmlReader& xml, pugi::xml_node condition, const HemelbCase& c, HemelbOpening& opening);

/// Mean velocity over a disc of flow that a pressure gradient A cos(2 pi t / period), over the density, drives in a
/// long tube (Womersley 1955): A / (i w) (1 - 2 J1(z) / (z J0(z))), z = i^1.5 alpha, of which times e^(i w t) the real
/// part is meant.
std::complex<double> womersley_mean(double gradient, double period, double alpha);

}  // namespace weft::hemelb
