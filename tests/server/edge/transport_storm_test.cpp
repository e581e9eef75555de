// Handshakes in any order, floods, and many clients at once.

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "transport_rig.hpp"

namespace contrail::server::rig {
namespace {

struct Said {
  wire::Address from;
  wire::Bytes bytes;
};

/// All handshake words of several clients, both ways, from a session of their own kind.
struct Record {
  std::vector<Said> hellos;
  std::map<wire::Address, std::vector<wire::Bytes>> answers;
};

Record listen_to_joins(Rig& rig, int clients) {
  Record record;
  rig.sniff = [&](const wire::Address& from, wire::ByteView bytes) {
    if (static_cast<wire::PacketType>(bytes[0]) != wire::PacketType::hello) return;
    record.hellos.push_back({from, {bytes.begin(), bytes.end()}});
  };
  rig.tamper = [&](const wire::Address& to, wire::Bytes& bytes) {
    if (static_cast<wire::PacketType>(bytes[0]) <= wire::PacketType::refuse) {
      record.answers[to].push_back(bytes);
    }
    return true;
  };
  for (int i = 0; i < clients; ++i) rig.add_client();
  rig.run(2 * k_second);
  rig.sniff = nullptr;
  rig.tamper = nullptr;
  return record;
}

template <typename T>
void shuffle(std::vector<T>& items, support::Dice& dice) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1],
              items[static_cast<std::size_t>(dice.between(0, static_cast<int>(i) - 1))]);
  }
}

TEST(TransportStorm, hellos_in_any_order_and_number_make_one_connection_each_at_most) {
  const std::uint64_t seed = test_seed(35);
  SCOPED_TRACE("seed " + std::to_string(seed));
  support::Dice dice(seed);
  constexpr int k_clients = 6;
  for (int run = 0; run < 40; ++run) {
    RigOptions options;
    options.seed = seed + static_cast<std::uint64_t>(run);
    Rig rig(options);
    Record record = listen_to_joins(rig, k_clients);
    ASSERT_EQ(rig.broadcaster->clients(), std::size_t{k_clients});
    ASSERT_GE(record.hellos.size(), std::size_t{2 * k_clients});
    // The same words again and again, in any order, while their speakers are there.
    std::vector<Said> storm;
    for (int copy = 0; copy < 3; ++copy) {
      storm.insert(storm.end(), record.hellos.begin(), record.hellos.end());
    }
    shuffle(storm, dice);
    for (const Said& said : storm) {
      rig.broadcaster->receive(said.from, said.bytes, rig.now);
      if (dice.chance(20)) rig.run(k_millisecond);
    }
    rig.run(k_second);
    EXPECT_EQ(rig.broadcaster->clients(), std::size_t{k_clients});
    EXPECT_EQ(rig.broadcaster->statistics().joined, std::uint64_t{k_clients});
    EXPECT_EQ(rig.broadcaster->live_clients(), std::size_t{k_clients});

    // To another process of the server, whose cookies are others: nobody gets in, whatever comes.
    options.seed += 1'000'000;
    Rig other(options);
    for (const Said& said : storm) {
      const wire::PacketError error = other.broadcaster->receive(said.from, said.bytes, rig.now);
      EXPECT_TRUE(error == wire::PacketError::none || error == wire::PacketError::bad_cookie);
    }
    other.run(k_second);
    EXPECT_EQ(other.broadcaster->clients(), 0U);
    EXPECT_GT(other.broadcaster->statistics()
                  .dropped[static_cast<std::size_t>(wire::PacketError::bad_cookie)],
              0U);
  }
}

TEST(TransportStorm, words_of_an_earlier_handshake_are_ignored_by_a_client_in_the_next) {
  const std::uint64_t seed = test_seed(36);
  SCOPED_TRACE("seed " + std::to_string(seed));
  support::Dice dice(seed);
  Rig first({});
  Record record = listen_to_joins(first, 4);
  std::vector<wire::Bytes> old;
  for (const auto& [to, words] : record.answers) old.insert(old.end(), words.begin(), words.end());
  ASSERT_GE(old.size(), 8U);
  for (int run = 0; run < 20; ++run) {
    RigOptions options;
    options.seed = seed + static_cast<std::uint64_t>(run);
    Rig rig(options);
    rig.network.set_conditions({0, 0, 0, 20 * k_millisecond, 0});
    wire::ClientConfig config = rig.config();
    config.seed += 500;  // other nonces than before
    config.entropy[0] = static_cast<std::uint8_t>(200 + run);
    ClientView& view = rig.add_client(config);
    while (view.connection.state() == wire::ConnectionState::connecting &&
           rig.now < options.start + 5 * k_second) {
      shuffle(old, dice);
      for (const wire::Bytes& bytes : old) {
        EXPECT_NE(view.connection.receive(bytes, rig.now), wire::PacketError::none);
      }
      EXPECT_EQ(view.connection.state(), wire::ConnectionState::connecting);
      rig.run(10 * k_millisecond);
    }
    rig.run(2 * k_second);
    EXPECT_EQ(view.connection.state(), wire::ConnectionState::live);
    EXPECT_EQ(rig.broadcaster->statistics().joined, 1U);
  }
}

TEST(TransportStorm, a_full_server_tells_exactly_those_who_find_no_room) {
  RigOptions options;
  options.max_clients = 3;
  Rig rig(options);
  rig.network.set_conditions({100, 300, 300, 20 * k_millisecond, 60 * k_millisecond});
  for (int i = 0; i < 8; ++i) rig.add_client();
  rig.run(6 * k_second);
  std::size_t live = 0;
  std::size_t full = 0;
  for (const auto& client : rig.clients) {
    live += client->connection.state() == wire::ConnectionState::live;
    full += client->connection.state() == wire::ConnectionState::refused &&
            client->connection.refusal()->reason == wire::RefuseReason::full;
  }
  EXPECT_EQ(live, 3U);
  EXPECT_EQ(full, 5U);
  EXPECT_EQ(rig.broadcaster->clients(), 3U);
}

/// One flood datagram: a hello, noise, or something that looks sealed for a client that is there.
wire::Bytes flood_datagram(int kind, const wire::Bytes& hello, const wire::Bytes& sealed,
                           support::Dice& dice) {
  if (kind == 0) return hello;
  if (kind == 1) {
    wire::Bytes bytes(static_cast<std::size_t>(dice.between(0, 200)));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
    return bytes;
  }
  wire::Bytes bytes = sealed;
  for (std::size_t i = wire::k_clear_header_bytes - 2; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(dice.next());
  }
  return bytes;
}

TEST(TransportStorm, case_G10_a_million_sources_leave_no_memory_behind_and_a_client_complete) {
  const std::uint64_t seed = test_seed(37);
  SCOPED_TRACE("seed " + std::to_string(seed));
  support::Dice dice(seed);
  Rig rig({});
  rig.source = launches_every(2);
  wire::Bytes hello;
  wire::Bytes sealed;
  rig.sniff = [&](const wire::Address&, wire::ByteView bytes) {
    const bool greets = static_cast<wire::PacketType>(bytes[0]) == wire::PacketType::hello;
    (greets ? hello : sealed).assign(bytes.begin(), bytes.end());
  };
  ClientView& client = rig.add_client();
  rig.run(8 * k_second);  // all windows and histories are full
  rig.sniff = nullptr;
  ASSERT_EQ(client.connection.state(), wire::ConnectionState::live);
  ASSERT_FALSE(sealed.empty());
  const std::uint64_t joined = rig.broadcaster->statistics().joined;

  // Answers go nowhere: the simulated network would keep them all under way.
  rig.tamper = [&](const wire::Address& to, wire::Bytes&) { return to == client.address; };
  std::size_t before = 0;
  std::size_t after = 0;
  std::uint32_t source = 0;
  const auto flood = [&](std::uint32_t count) {
    std::size_t grown = 0;
    for (std::uint32_t i = 0; i < count; ++i, ++source) {
      const auto byte = [&](int shift) { return static_cast<std::uint8_t>(source >> shift); };
      const wire::Address from =
          wire::ipv4_address(100, byte(16), byte(8), byte(0),
                             static_cast<std::uint16_t>(1024 + (source >> 4) % 60'000));
      const wire::Bytes bytes = flood_datagram(static_cast<int>(source % 3), hello, sealed, dice);
      const std::size_t held = mallinfo2().uordblks;
      rig.broadcaster->receive(from, bytes, rig.now);
      grown += std::max(held, mallinfo2().uordblks) - held;
      if (i % 2000 == 1999) rig.run(4 * k_millisecond);
    }
    return grown;
  };
  flood(10'000);
  before = mallinfo2().uordblks;
  const std::size_t grown = flood(1'000'000);
  after = mallinfo2().uordblks;
  std::printf(
      "heap before %zu, after %zu bytes (the test keeps its log); left by 10^6 datagrams: %zu "
      "bytes\n",
      before, after, grown);
  EXPECT_EQ(grown, 0U);
  EXPECT_EQ(rig.broadcaster->clients(), 1U);
  EXPECT_EQ(rig.broadcaster->statistics().joined, joined);
  EXPECT_GT(
      rig.broadcaster->statistics().dropped[static_cast<std::size_t>(wire::PacketError::bad_tag)],
      300'000U);
  rig.run(k_second);
  EXPECT_EQ(client.connection.state(), wire::ConnectionState::live);
  EXPECT_EQ(client.segments.size(), 1U);
  EXPECT_EQ(difference(rig, client.segments.back()), "");
  EXPECT_GE(client.segments.back().complete + 4, rig.tick);

  // The control: a client that proves its address does take memory (where the allocator tells).
  rig.tamper = nullptr;
  rig.add_client();
  const std::size_t alone = mallinfo2().uordblks;
  rig.run(k_second);
  EXPECT_EQ(rig.broadcaster->clients(), 2U);
  if (before > 0) {
    EXPECT_GT(mallinfo2().uordblks, alone);
  }
}

struct Arrivals {
  Nanoseconds last = 0;
  std::size_t live = 0;
  std::vector<int> histogram;  // by 100 ms
};

Arrivals arrivals(const Rig& rig, std::size_t from, Nanoseconds since) {
  Arrivals out;
  out.histogram.resize(200);
  for (std::size_t i = from; i < rig.clients.size(); ++i) {
    const Nanoseconds at = rig.clients[i]->live_at;
    if (at < 0) continue;
    ++out.live;
    out.last = std::max(out.last, at - since);
    const auto slot = static_cast<std::size_t>((at - since) / (100 * k_millisecond));
    ++out.histogram[std::min<std::size_t>(slot, out.histogram.size() - 1)];
  }
  return out;
}

TEST(TransportStorm, case_41_500_clients_join_within_100_ms_and_all_are_live_in_5_s) {
  RigOptions options;
  options.max_clients = 1000;
  Rig rig(options);
  rig.network.set_conditions({10, 0, 0, 20 * k_millisecond, 10 * k_millisecond});
  rig.source = launches_every(4);
  ClientView& present = rig.add_client();
  rig.run(3 * k_second);
  ASSERT_EQ(present.connection.state(), wire::ConnectionState::live);
  const Nanoseconds since = rig.now;
  for (int burst = 0; burst < 50; ++burst) {
    for (int i = 0; i < 10; ++i) rig.add_client();
    rig.run(2 * k_millisecond);
  }
  while (rig.broadcaster->live_clients() < 501 && rig.now < since + 5 * k_second) {
    rig.run(k_second / 4);
  }
  rig.run(k_second / 2);
  const Arrivals got = arrivals(rig, 1, since);
  std::printf("live: %zu of 500, the last after %.2f s; by 100 ms:", got.live,
              static_cast<double>(got.last) / 1e9);
  for (int i = 0; i < 20; ++i) std::printf(" %d", got.histogram[static_cast<std::size_t>(i)]);
  std::printf("\n");
  EXPECT_EQ(got.live, 500U);
  EXPECT_LT(got.last, 5 * k_second);
  EXPECT_EQ(rig.broadcaster->live_clients(), 501U);
  const auto statistics = rig.broadcaster->statistics();
  EXPECT_EQ(statistics.joined, 501U);
  for (const std::uint64_t left : statistics.left) EXPECT_EQ(left, 0U);
  // Who was there before is not held up by them.
  EXPECT_EQ(present.segments.size(), 1U);
  EXPECT_EQ(difference(rig, present.segments.back()), "");
  EXPECT_GE(present.segments.back().complete + 8, rig.tick);
}

}  // namespace
}  // namespace contrail::server::rig
