#pragma once

// How a client gets in: hello -> challenge -> hello with cookie -> welcome or refuse. Until the
// cookie has proven the client's address the server keeps nothing about it and decrypts nothing,
// and no answer is larger than the hello it answers. The welcome is sealed with a key that follows
// from both ends' public keys, the client's token or ticket and everything said before
// (key_schedule.hpp): it opens for nobody but the client that asked.

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <contrail/sim/fingerprint.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/cookie.hpp>
#include <contrail/wire/crypto.hpp>
#include <contrail/wire/packet_header.hpp>

namespace contrail::wire {

enum class Role : std::uint8_t {
  spectator = 0,  // reads the log
  pilot = 1,      // commands one entity
  director = 2,   // commands every entity
};
inline constexpr Role k_last_role = Role::director;
const char* describe(Role role);

/// What must agree on both ends.
struct ProtocolVersion {
  std::uint16_t major = k_version_major;
  std::uint16_t minor = k_version_minor;
  std::uint16_t path_revision = k_path_revision;
  sim::Hash64 fingerprint{0, 0};
  bool operator==(const ProtocolVersion&) const = default;
};

inline constexpr std::uint32_t k_protocol_magic = 0x4C525443;  // "CTRL"

/// Always 1,200 bytes on the wire, so that no answer can be larger.
struct Hello {
  ProtocolVersion version;
  Role role = Role::spectator;
  std::uint16_t entity = sim::k_no_entity;  // a pilot's wish
  std::uint64_t nonce = 0;                  // one per connection attempt, random
  bool has_cookie = false;
  Cookie cookie;
  PublicKey public_key{};  // of this connection attempt alone
  Bytes token;             // the pass of a token, at most k_max_token_bytes; empty: none
  Bytes resume;            // at most k_max_resume_bytes; empty: a new client. Goes before the token
  bool operator==(const Hello&) const = default;
};

// Where the hello has what a transcript leaves out.
inline constexpr std::size_t k_hello_flags_at = 27;
inline constexpr std::size_t k_hello_cookie_at = 38;
inline constexpr std::size_t k_hello_cookie_bytes = 20;

struct Challenge {
  std::uint64_t nonce = 0;  // of the hello
  Cookie cookie;
  bool operator==(const Challenge&) const = default;
};

struct Welcome {
  std::uint64_t nonce = 0;       // of the hello; with the public key the part in clear
  PublicKey public_key{};        // of this connection alone
  std::uint32_t connection = 0;  // goes into every clear header from now on
  std::uint64_t session_id = 0;
  std::uint32_t client = 0;                 // number in the session, names the sender of inputs
  std::uint8_t log2_tick = 11;              // subticks
  Role role = Role::spectator;              // as granted
  std::uint16_t entity = sim::k_no_entity;  // as granted
  std::uint16_t minor = k_version_minor;    // of the server
  std::uint32_t tick = 0;                   // newest tick
  std::uint32_t header_bytes = 0;           // size of the session header
  Nanoseconds server_time = 0;              // session time
  bool operator==(const Welcome&) const = default;
};

enum class RefuseReason : std::uint8_t {
  version = 1,     // another major protocol version
  path_revision,   // another specified arithmetic
  fingerprint,     // the same revision, but its arithmetic gives other results
  full,            // as many clients as the server takes
  token_required,  // this server admits bearers of tokens only
  bad_token,       // cut short, forged or changed
  bad_resume,      // resume ticket unknown, expired or used before
  closing,         // the server is about to stop
  no_such_entity,  // a pilot wishes for an entity that is not there
  token_expired,
  token_used,          // it has let a client in before
  token_other_server,  // it names servers, and this is none of them
  token_before_start,  // issued before this server started, so it may have been used
  token_unknown_key,   // sealed with a key that this server does not have
  token_not_yet,       // issued in the future, by the server's clock
  token_too_long,      // good for longer than the server remembers used ones
  token_history_full,  // the server has no room to remember another used one
  not_granted,         // the token does not allow the wished role or entity
};
inline constexpr RefuseReason k_last_refuse_reason = RefuseReason::not_granted;
inline constexpr std::size_t k_refuse_reasons = static_cast<std::size_t>(k_last_refuse_reason) + 1;
/// One lower-case word, never null.
const char* name_of(RefuseReason reason);

struct Refuse {
  std::uint64_t nonce = 0;  // of the hello
  RefuseReason reason = RefuseReason::version;
  ProtocolVersion server;  // what would have been right
  std::uint16_t max_clients = 0;
  bool operator==(const Refuse&) const = default;
};
/// One sentence that says what was wrong and what would be right, with both ends' values.
std::string describe(const Refuse& refuse, const ProtocolVersion& client);

/// none when the client may talk to the server, else the first reason why not.
enum class VersionMatch : std::uint8_t { match, version, path_revision, fingerprint };
VersionMatch compare(const ProtocolVersion& client, const ProtocolVersion& server);

// Encoders write a whole datagram; decoders take one whose clear header was read.
void encode_hello(const Hello& hello, Datagram& out);
void encode_challenge(const Challenge& challenge, Datagram& out);
/// Seals all but nonce and public key. The key is for this one welcome: sent again as it is.
void encode_welcome(const Welcome& welcome, const Key& key, Datagram& out);
void encode_refuse(const Refuse& refuse, Datagram& out);
PacketError decode_hello(std::span<const std::uint8_t> datagram, Hello& out);
PacketError decode_challenge(std::span<const std::uint8_t> datagram, Challenge& out);
/// The part in clear, from which the key follows.
struct WelcomeFace {
  std::uint64_t nonce = 0;
  PublicKey public_key{};
};
PacketError read_welcome_face(std::span<const std::uint8_t> datagram, WelcomeFace& out);
PacketError decode_welcome(std::span<const std::uint8_t> datagram, const Key& key, Welcome& out);
PacketError decode_refuse(std::span<const std::uint8_t> datagram, Refuse& out);

}  // namespace contrail::wire
