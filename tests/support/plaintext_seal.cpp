// Sealing that seals nothing, for the negative controls: linked in place of packet_seal.cpp, which
// knows no such thing.

#include <algorithm>

#include <contrail/wire/packet_seal.hpp>

namespace contrail::wire {

void seal(const Cipher& /*cipher*/, const ClearHeader& header, std::uint64_t /*counter*/,
          const PlainText& plain, Datagram& out) {
  write_clear_header(header, out.bytes);
  auto* at = std::copy_n(plain.bytes.data(), plain.size, out.bytes.data() + k_clear_header_bytes);
  std::fill_n(at, k_tag_bytes, std::uint8_t{0});
  out.size = k_clear_header_bytes + plain.size + k_tag_bytes;
}

PacketError open(const Cipher& /*cipher*/, std::uint64_t /*counter*/,
                 std::span<const std::uint8_t> datagram, PlainText& out) {
  if (datagram.size() < k_min_sealed_datagram) return PacketError::too_short;
  if (datagram.size() > k_max_datagram_bytes) return PacketError::too_long;
  out.size = datagram.size() - k_clear_header_bytes - k_tag_bytes;
  std::copy_n(datagram.data() + k_clear_header_bytes, out.size, out.bytes.data());
  return PacketError::none;
}

}  // namespace contrail::wire
