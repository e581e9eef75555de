#pragma once

// Connect tokens: what a backend gives a player, so that a server it has never talked to lets the
// player in. TOKENS.md beside this file has the bytes.
//
// A token is a pass, which the client shows to the server, and 32 secret bytes, which it never
// sends: the pass holds them once more, sealed with a key that only backend and servers have.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <contrail/wire/address.hpp>
#include <contrail/wire/bytes.hpp>
#include <contrail/wire/crypto.hpp>
#include <contrail/wire/handshake.hpp>
#include <contrail/wire/transport_limits.hpp>

namespace contrail::wire {

/// Milliseconds since 1970, UTC.
using UnixMilliseconds = std::int64_t;

/// The part of a token that anybody can read.
struct TokenFace {
  std::uint32_t key_id = 0;  // of the operator key that seals it
  UnixMilliseconds created = 0;
  UnixMilliseconds expires = 0;
  std::uint16_t timeout = 0;       // seconds to try before giving up; 0: the client's own choice
  std::vector<Address> addresses;  // of servers it is for, at most 8; empty: every server
  bool operator==(const TokenFace&) const = default;
};

/// The part that only the holders of the operator key can read.
struct TokenGrant {
  std::uint64_t account = 0;  // who it is, to the backend
  Role role = Role::spectator;
  std::vector<std::uint16_t> entities;  // a pilot's, at most 8; empty: whichever it wishes
  Bytes user_data;                      // the backend's own, at most 256 bytes
  Key secret;                           // shared with the bearer
};

/// A key of the operator's, with the number by which tokens name it.
struct TokenKey {
  std::uint32_t id = 0;
  Key key;
};

/// Name of a token in a server's memory: the same for the same bytes only.
using TokenId = std::array<std::uint8_t, 16>;

/// A whole token, for its bearer: pass and secret. Fields within their limits are the caller's
/// duty. `nonce`: random, never used twice with a key.
Bytes issue_token(const TokenFace& face, const TokenGrant& grant, const TokenKey& key,
                  const LongNonce& nonce);

/// The two parts of a whole token; nothing when it is too short or too long to be one.
struct SplitToken {
  Bytes pass;
  Key secret;
};
std::optional<SplitToken> split_token(ByteView token);

/// What is wrong with the form of a pass. Its contents are checked by who holds the key.
enum class TokenForm : std::uint8_t {
  good,
  truncated,     // ends too early, or goes on too long
  not_a_token,   // another kind of bytes
  wrong_format,  // a token of another format version
  bad_value,     // a field outside its range
};
const char* describe(TokenForm form);

/// Reads the face of a pass or of a whole token (`whole`).
TokenForm read_face(ByteView bytes, bool whole, TokenFace& out);
/// Opens the sealed part of a pass. False when it was changed or sealed with another key, or when
/// what is inside has no meaning.
[[nodiscard]] bool open_pass(ByteView pass, const TokenKey& key, TokenGrant& out);
TokenId token_id(ByteView pass);

}  // namespace contrail::wire
