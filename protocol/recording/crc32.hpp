#pragma once

#include <cstdint>

#include <contrail/recording/mcap_format.hpp>

namespace contrail::recording {

/// The CRC-32 of MCAP (IEEE 802.3: polynomial 0x04C11DB7 reflected, initial value and final xor
/// all ones; "123456789" gives 0xCBF43926). Give the result of one part as `before` of the next:
/// crc32(b, crc32(a)) is the CRC of a followed by b.
[[nodiscard]] std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0);

}  // namespace contrail::recording
