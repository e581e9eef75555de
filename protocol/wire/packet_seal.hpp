#pragma once

// The inside of every datagram that is not a handshake's: encrypted and authenticated, its clear
// header with it. There is no suite to choose and none to fall back to.

#include <cstdint>
#include <span>

#include <contrail/wire/crypto.hpp>
#include <contrail/wire/packet_header.hpp>

namespace contrail::wire {

/// One direction of a connection.
struct Cipher {
  Key key;
};

/// Seals header and plain text into `out`. `counter` is the packet's whole 64-bit number, which
/// must never repeat under a key; its low bits are in the header.
void seal(const Cipher& cipher, const ClearHeader& header, std::uint64_t counter,
          const PlainText& plain, Datagram& out);
/// Opens a datagram whose clear header was read. The only place that checks tags.
PacketError open(const Cipher& cipher, std::uint64_t counter,
                 std::span<const std::uint8_t> datagram, PlainText& out);

}  // namespace contrail::wire
