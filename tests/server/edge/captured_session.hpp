#pragma once

// A busy session with one client, with every datagram of both directions kept, as somebody on the
// way would see it.

#include <cstring>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "transport_rig.hpp"

namespace contrail::server::rig {

struct Capture {
  std::vector<wire::Bytes> datagrams;
  std::size_t records = 0;
  std::size_t strings = 0;  // of 8 bytes, of all records, that say something
  std::size_t seen = 0;     // how often one of them stands in a datagram
};

/// Counts the places of the datagrams where any 8 bytes of any record stand. Strings of fewer than
/// 4 different bytes are left out: zeros and counters are no secret and stand everywhere.
inline Capture capture_session() {
  RigOptions options;
  options.seed = 5;
  Rig rig(options);
  Capture out;
  rig.network.set_conditions({0, 0, 0, 5 * k_millisecond, 0});
  rig.source = busy_world(9, options.log2_tick);
  rig.tamper = [&out](const wire::Address&, wire::Bytes& datagram) {
    out.datagrams.push_back(datagram);
    return true;
  };
  rig.add_client(rig.config(wire::Role::pilot));
  rig.run(10 * k_second);
  EXPECT_EQ(difference(rig, rig.clients[0]->segments.at(0)), "");
  std::unordered_set<std::uint64_t> strings;
  for (const auto& [tick, bytes] : rig.log) {
    if (tick > rig.clients[0]->segments.at(0).snapshot.tick) ++out.records;
    for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      const std::unordered_set<std::uint8_t> different(
          bytes.begin() + static_cast<std::ptrdiff_t>(at),
          bytes.begin() + static_cast<std::ptrdiff_t>(at + 8));
      if (different.size() >= 4) strings.insert(word);
    }
  }
  out.strings = strings.size();
  for (const wire::Bytes& datagram : out.datagrams) {
    for (std::size_t at = 0; at + 8 <= datagram.size(); ++at) {
      std::uint64_t word = 0;
      std::memcpy(&word, datagram.data() + at, 8);
      out.seen += strings.count(word);
    }
  }
  return out;
}

}  // namespace contrail::server::rig
