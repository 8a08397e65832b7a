// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hemelb/case.hpp"
#include "hemelb/xml.hpp"

namespace weft::hemelb {

/// Converts <properties>: the first output of the whole geometry becomes the output of whole fields, and each other
/// output of which weft has the shape and a field becomes an extract. The rest is reported.
void read_outputs(XmlReader& xml, pugi::xml_node root, HemelbCase& c);

}  // namespace weft::hemelb
