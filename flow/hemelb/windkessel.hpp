// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

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

}  // namespace weft::hemelb
