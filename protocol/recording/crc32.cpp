#include <array>
#include <cstddef>

#include <contrail/recording/crc32.hpp>

namespace contrail::recording {
namespace {

constexpr std::uint32_t k_polynomial = 0xEDB88320u;
constexpr std::size_t k_slices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, k_slices>;

// tables[s][b] is what byte b does to the CRC when s more bytes follow it, so that eight bytes
// are folded by eight independent look-ups.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? k_polynomial : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < k_slices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[slice - 1][byte];
      tables[slice][byte] = (crc >> 8) ^ tables[0][crc & 0xFFu];
    }
  }
  return tables;
}

constexpr Tables k_tables = make_tables();

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  std::size_t i = 0;
  for (; i + k_slices <= bytes.size(); i += k_slices) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < k_slices; ++k) {
      const std::uint32_t from_crc = k < 4 ? (crc >> (8 * k)) & 0xFFu : 0u;
      next ^= k_tables[k_slices - 1 - k][bytes[i + k] ^ from_crc];
    }
    crc = next;
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ k_tables[0][(crc ^ bytes[i]) & 0xFFu];
  return ~crc;
}

}  // namespace contrail::recording
