#include <contrail/wire/packet_header.hpp>

#include <contrail/wire/byte_io.hpp>

namespace contrail::wire {

namespace {

bool is_handshake(PacketType type) {
  return type <= PacketType::refuse;
}

}  // namespace

const char* describe(PacketError error) {
  switch (error) {
    case PacketError::none:
      return "no error";
    case PacketError::too_short:
      return "too short";
    case PacketError::too_long:
      return "too long";
    case PacketError::unknown_type:
      return "unknown packet type";
    case PacketError::bad_header:
      return "bad clear header";
    case PacketError::bad_magic:
      return "not a hello of this protocol";
    case PacketError::bad_cookie:
      return "forged or expired cookie";
    case PacketError::unknown_connection:
      return "unknown connection id";
    case PacketError::bad_tag:
      return "not authentic";
    case PacketError::replayed:
      return "replayed or too old";
    case PacketError::bad_ack:
      return "acknowledges what was never sent";
    case PacketError::bad_body:
      return "refused by the codec";
    case PacketError::bad_tick:
      return "tick out of place";
    case PacketError::bad_slice:
      return "slice contradicts its stream";
    case PacketError::bad_value:
      return "value out of range";
    case PacketError::unexpected:
      return "unexpected packet type";
    case PacketError::over_limit:
      return "buffer full";
  }
  return "unknown error";
}

PacketError read_clear_header(std::span<const std::uint8_t> datagram, ClearHeader& out) {
  if (datagram.size() < k_clear_header_bytes) return PacketError::too_short;
  if (datagram.size() > k_max_datagram_bytes) return PacketError::too_long;
  ByteReader in(datagram);
  const std::uint8_t type = in.u8();
  if (type == 0 || type > k_last_packet_type) return PacketError::unknown_type;
  ClearHeader header;
  header.type = static_cast<PacketType>(type);
  header.flags = in.u8();
  header.connection = in.u32();
  header.counter = in.u16();
  if (header.flags != 0) return PacketError::bad_header;
  const bool unnumbered = header.connection == 0 && header.counter == 0;
  if (is_handshake(header.type) ? !unnumbered : header.connection == 0) {
    return PacketError::bad_header;
  }
  out = header;
  return PacketError::none;
}

void write_clear_header(const ClearHeader& header, std::span<std::uint8_t> out) {
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(header.type));
  writer.u8(header.flags);
  writer.u32(header.connection);
  writer.u16(header.counter);
}

AckBlock read_ack_block(const PlainText& plain) {
  ByteReader in({plain.bytes.data(), plain.size});
  AckBlock block;
  block.ack = in.u16();
  block.delay = in.u16();
  block.bits = in.u32();
  return block;
}

void write_ack_block(const AckBlock& block, PlainText& out) {
  ByteWriter writer(out.bytes);
  writer.u16(block.ack);
  writer.u16(block.delay);
  writer.u32(block.bits);
  out.size = writer.size();
}

}  // namespace contrail::wire
