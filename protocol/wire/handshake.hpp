#pragma once

// How a client gets in: hello -> challenge -> hello with cookie -> welcome or refuse. Until the
// cookie has proven the client's address the server keeps nothing about it, and no answer is larger
// than the hello it answers.

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <contrail/sim/fingerprint.hpp>
#include <contrail/sim/limits.hpp>
#include <contrail/wire/address.hpp>
#include <contrail/wire/bytes.hpp>
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

/// Proof that its bearer received a challenge at its address.
struct Cookie {
  std::uint32_t issued = 0;  // seconds of the server's clock, low bits
  std::array<std::uint8_t, 16> code{};
  bool operator==(const Cookie&) const = default;
};

/// Always 1,200 bytes on the wire, so that no answer can be larger.
struct Hello {
  ProtocolVersion version;
  Role role = Role::spectator;
  std::uint16_t entity = sim::k_no_entity;  // a pilot's wish
  std::uint64_t nonce = 0;                  // one per connection attempt, random
  bool has_cookie = false;
  Cookie cookie;
  std::array<std::uint8_t, k_public_key_bytes> public_key{};  // zero with cipher suite none
  Bytes token;   // at most k_max_token_bytes; empty: none
  Bytes resume;  // at most k_max_resume_bytes; empty: a new client
  bool operator==(const Hello&) const = default;
};

struct Challenge {
  std::uint64_t nonce = 0;  // of the hello
  Cookie cookie;
  bool operator==(const Challenge&) const = default;
};

struct Welcome {
  std::uint64_t nonce = 0;       // of the hello
  std::uint32_t connection = 0;  // goes into every clear header from now on
  std::uint64_t session_id = 0;
  std::uint32_t client = 0;                 // number in the session, names the sender of inputs
  std::uint8_t log2_tick = 11;              // subticks
  Role role = Role::spectator;              // as granted
  std::uint16_t entity = sim::k_no_entity;  // as granted
  CipherSuite suite = CipherSuite::none;
  std::uint16_t minor = k_version_minor;                      // of the server
  std::uint32_t tick = 0;                                     // newest tick
  std::uint32_t header_bytes = 0;                             // size of the session header
  Nanoseconds server_time = 0;                                // session time
  std::array<std::uint8_t, k_public_key_bytes> public_key{};  // zero with cipher suite none
  bool operator==(const Welcome&) const = default;
};

enum class RefuseReason : std::uint8_t {
  version = 1,     // another major protocol version
  path_revision,   // another specified arithmetic
  fingerprint,     // the same revision, but its arithmetic gives other results
  full,            // as many clients as the server takes
  token_required,  // this server admits bearers of tokens only
  bad_token,       // forged, expired or for another server
  bad_resume,      // unknown or expired resume ticket
  closing,         // the server is about to stop
  no_such_entity,  // a pilot wishes for an entity that is not there
};
inline constexpr RefuseReason k_last_refuse_reason = RefuseReason::no_such_entity;

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
void encode_welcome(const Welcome& welcome, Datagram& out);
void encode_refuse(const Refuse& refuse, Datagram& out);
PacketError decode_hello(std::span<const std::uint8_t> datagram, Hello& out);
PacketError decode_challenge(std::span<const std::uint8_t> datagram, Challenge& out);
PacketError decode_welcome(std::span<const std::uint8_t> datagram, Welcome& out);
PacketError decode_refuse(std::span<const std::uint8_t> datagram, Refuse& out);

/// Makes and checks cookies with a secret of the process. Stateless.
class CookieJar {
 public:
  /// `key`: random bytes, fresh for every process.
  explicit CookieJar(const std::array<std::uint64_t, 2>& key) : key_(key) {}
  [[nodiscard]] Cookie bake(const Address& address, std::uint64_t nonce, Nanoseconds now) const;
  /// Made by this jar for this address and nonce, at most k_cookie_lifetime ago.
  [[nodiscard]] bool valid(const Cookie& cookie, const Address& address, std::uint64_t nonce,
                           Nanoseconds now) const;

 private:
  std::array<std::uint64_t, 2> key_;
};

}  // namespace contrail::wire
