#pragma once

// Limits and periods of the transport, once. Those of message contents are in wire_limits.hpp.

#include <cstddef>
#include <cstdint>

#include <contrail/wire/time.hpp>
#include <contrail/wire/wire_limits.hpp>

namespace contrail::wire {

// Datagrams.
inline constexpr std::size_t k_clear_header_bytes = 8;
inline constexpr std::size_t k_ack_block_bytes = 8;
inline constexpr std::size_t k_tick_block_bytes = 8;
inline constexpr std::size_t k_tag_bytes = 16;
inline constexpr std::size_t k_min_sealed_datagram =
    k_clear_header_bytes + k_ack_block_bytes + k_tag_bytes;  // 32
inline constexpr std::size_t k_max_plain_bytes =
    k_max_datagram_bytes - k_clear_header_bytes - k_tag_bytes;  // 1176, ack block included
inline constexpr std::size_t k_max_packet_body =
    k_max_plain_bytes - k_ack_block_bytes - k_tick_block_bytes;  // 1160
// With ticks or slices, to one client in one network tick; and while it waits for its snapshot.
inline constexpr int k_max_datagrams_per_tick = 4;
inline constexpr int k_max_datagrams_per_joining_tick = 6;
inline constexpr std::size_t k_udp_ip_bytes = 28;  // IPv4 and UDP headers, in statistics

// The schedule. A network tick is the server's tick, but at least 1/32 s.
inline constexpr int k_network_rate = 32;                     // network ticks per second at most
inline constexpr Nanoseconds k_backlog_limit = 2 * k_second;  // then a snapshot replaces the log
inline constexpr Nanoseconds k_idle_interval = k_second / 4;  // between packets of an idle world
inline constexpr Nanoseconds k_activity_memory = k_second;    // without news for so long: idle
inline constexpr Nanoseconds k_pilot_ack_interval = k_second / 32;
inline constexpr Nanoseconds k_spectator_ack_interval = k_second / 16;
inline constexpr std::size_t k_sent_window = 1024;      // packets a sender remembers, power of two
inline constexpr std::uint64_t k_replay_window = 1024;  // counters a receiver remembers
inline constexpr int k_ledger_ticks = 512;              // ticks a sender tracks, power of two

// Slices.
inline constexpr std::size_t k_slice_header_bytes = 12;
inline constexpr std::size_t k_slice_bytes =
    k_max_plain_bytes - k_ack_block_bytes - k_slice_header_bytes;  // 1156
inline constexpr std::size_t k_max_slices = 16'384;                // of one stream: 18.9 MB
inline constexpr std::size_t k_slice_window = 512;      // under way past the first missing one
inline constexpr std::size_t k_max_record_streams = 8;  // large records under way to one client

// Handshake.
inline constexpr std::size_t k_hello_bytes = k_max_datagram_bytes;
inline constexpr std::size_t k_max_token_bytes = 528;  // of a pass; with its secret 32 more
inline constexpr std::size_t k_max_token_addresses = 8;
inline constexpr std::size_t k_max_token_entities = 8;
inline constexpr std::size_t k_max_user_data_bytes = 256;
inline constexpr std::int64_t k_longest_token_life = 24 * 3600 * 1000;  // milliseconds
inline constexpr std::int64_t k_token_clock_slack = 10 * 1000;  // milliseconds into the future
inline constexpr std::size_t k_token_memory = 65'536;           // used tokens a server remembers
inline constexpr Nanoseconds k_ticket_lifetime = 120 * k_second;
inline constexpr Nanoseconds k_ticket_interval = 30 * k_second;  // between fresh tickets
inline constexpr Nanoseconds k_pending_timeout = 5 * k_second;   // welcomed, and never heard
inline constexpr std::size_t k_max_pending_per_token = 4;        // welcomes not answered yet
inline constexpr int k_max_key_exchanges = 64;                   // in one server tick
inline constexpr Nanoseconds k_path_challenge_interval = k_second / 5;
inline constexpr std::size_t k_max_resume_bytes = 512;
inline constexpr std::size_t k_public_key_bytes = 32;
inline constexpr Nanoseconds k_cookie_lifetime = 10 * k_second;
inline constexpr Nanoseconds k_connect_timeout = 10 * k_second;
inline constexpr Nanoseconds k_silence_timeout = 10 * k_second;   // nothing heard: the peer is gone
inline constexpr Nanoseconds k_transfer_timeout = 60 * k_second;  // snapshot not there: too slow
inline constexpr int k_disconnect_repeats = 3;

// Clock.
inline constexpr Nanoseconds k_ping_interval = k_second / 4;
inline constexpr Nanoseconds k_first_ping_interval = k_second / 32;
inline constexpr int k_first_pings = 8;

// Commands.
inline constexpr std::size_t k_max_open_commands = 16;       // unanswered, of one client
inline constexpr std::size_t k_command_memory = 64;          // results kept per client
inline constexpr std::size_t k_max_waiting_commands = 1024;  // of all clients, for one tick

// The two ends.
inline constexpr std::size_t k_max_clients = 1024;
inline constexpr std::size_t k_max_pending_replies = 512;  // answers of a server between two polls
inline constexpr std::size_t k_max_held_ticks = 8192;      // a client holds before its snapshot
inline constexpr std::size_t k_max_held_bytes = std::size_t{16} << 20;  // of their records

}  // namespace contrail::wire
