#pragma once

// The worked numbers of protocol/SPEC.md, computed by the code itself.

#include <vector>

#include "specification.hpp"

namespace contrail::spec {

/// All examples, in the order of the specification.
std::vector<Example> worked_numbers();

}  // namespace contrail::spec
