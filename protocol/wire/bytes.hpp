#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace contrail::wire {

using Bytes = std::vector<std::uint8_t>;
/// Not owning; the bytes must outlive the call they are given to.
using ByteView = std::span<const std::uint8_t>;

}  // namespace contrail::wire
