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

/// Whether a condition is one of HemePure's windkessels: type windkessel with GKmodel or fileGKmodel; type pressure or
/// yangpressure with WK, fileWK, WK2 or WK3.
bool is_windkessel(const std::string& type, const std::string& subtype);

/// Converts it to weft's windkessel: R alone becomes a resistance, R and C an RC, and Rc, Rp and Cp an RCR.
///
/// HemePure derives the flow from one site's velocity (WK, GKmodel), scaled by the radius or by a file of weights, or
/// from the mean of all sites times an area; weft computes the actual flow. So an area is used only for a missing
/// radius, and weights are checked (the file must be a weights file) but not used.
void read_windkessel(XmlReader& xml, pugi::xml_node condition, const std::string& subtype, HemelbCase& c,
                     HemelbOpening& opening);

/// Converts <properties>: the first output of the whole geometry becomes the output of whole fields, and each other
/// output of which weft has the shape and a field becomes an extract. The rest is reported.
void read_outputs(XmlReader& xml, pugi::xml_node root, HemelbCase& c);

}  // namespace weft::hemelb
