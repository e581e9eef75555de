#include <contrail/wire/packet_seal.hpp>

#include <contrail/sim/assert.hpp>

namespace contrail::wire {

static_assert(k_tag_bytes == k_authenticator_bytes);

void seal(const Cipher& cipher, const ClearHeader& header, std::uint64_t counter,
          const PlainText& plain, Datagram& out) {
  sim::require(header.counter == static_cast<std::uint16_t>(counter),
               "the header carries the counter's low bits");
  sim::require(plain.size >= k_ack_block_bytes && plain.size <= plain.bytes.size(),
               "a plain text has its ack block and fits its datagram");
  write_clear_header(header, out.bytes);
  out.size = k_clear_header_bytes + plain.size + k_tag_bytes;
  seal_numbered(cipher.key, counter, {out.bytes.data(), k_clear_header_bytes},
                {plain.bytes.data(), plain.size},
                {out.bytes.data() + k_clear_header_bytes, plain.size + k_tag_bytes});
}

PacketError open(const Cipher& cipher, std::uint64_t counter,
                 std::span<const std::uint8_t> datagram, PlainText& out) {
  if (datagram.size() < k_min_sealed_datagram) return PacketError::too_short;
  if (datagram.size() > k_max_datagram_bytes) return PacketError::too_long;
  const std::size_t size = datagram.size() - k_clear_header_bytes - k_tag_bytes;
  if (!open_numbered(cipher.key, counter, datagram.first(k_clear_header_bytes),
                     datagram.subspan(k_clear_header_bytes), {out.bytes.data(), size})) {
    return PacketError::bad_tag;
  }
  out.size = size;
  return PacketError::none;
}

}  // namespace contrail::wire
