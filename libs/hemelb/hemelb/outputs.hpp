// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

/// Takes over <properties>: the first output of the whole geometry as the whole fields, and each other one of which
/// weft has the shape and a field as an extract. What it leaves is told.
void read_outputs(XmlReader& xml, pugi::xml_node root, HemelbCase& c);

}  // namespace weft::hemelb
