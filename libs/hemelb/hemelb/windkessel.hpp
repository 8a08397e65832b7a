// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

/// Whether a condition is one of HemePure's windkessels: type windkessel with GKmodel or fileGKmodel; type pressure or
/// yangpressure with WK, fileWK, WK2 or WK3.
bool is_windkessel(const std::string& type, const std::string& subtype);

/// Reads it into what weft has: R (nothing else) a resistance, R and C an RC, Rc, Rp and Cp an RCR.
///
/// HemePure takes the flow from one site's velocity (WK, GKmodel), scaled by the radius or by a file of weights, or
/// from all sites' mean times an area; weft counts what passes. So an area only becomes a radius where there is none,
/// and weights are looked at (they have to be a weights file) and not needed.
void read_windkessel(XmlReader& xml, pugi::xml_node condition, const std::string& subtype, HemelbCase& c,
                     HemelbOpening& opening);

}  // namespace weft::hemelb
