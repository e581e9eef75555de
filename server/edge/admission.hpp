#pragma once

// Who may come in, and as what: judges the token or ticket of a hello whose cookie has proven its
// sender's address. Knows nothing of connections.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <contrail/edge/used_tokens.hpp>
#include <contrail/wire/address.hpp>
#include <contrail/wire/connect_token.hpp>
#include <contrail/wire/crypto.hpp>
#include <contrail/wire/handshake.hpp>

namespace contrail::server {

struct AdmissionConfig {
  bool insecure = false;                   // admits clients without a token, as whatever they wish
  std::vector<wire::TokenKey> token_keys;  // of the operator; a token names one
  std::vector<wire::Address> addresses;    // under which this server is known to token issuers
  wire::UnixMilliseconds started = 0;      // tokens from before may have been used before
  std::size_t token_memory = wire::k_token_memory;
};

/// What a client is allowed, and by what.
struct Grant {
  enum class By : std::uint8_t { nothing, token, ticket };
  By by = By::nothing;
  wire::TokenId id{};        // of the token or ticket
  std::int64_t expires = 0;  // of the same: Unix milliseconds, or nanoseconds for a ticket
  wire::Key secret;          // shared with the bearer; zeros by nothing
  std::uint64_t account = 0;
  std::uint64_t lineage = 0;  // the same for a client and its returns by ticket; 0: new
  wire::Role role = wire::Role::spectator;  // the most it may be
  std::vector<std::uint16_t> entities;      // a pilot's; empty: any
  wire::Bytes user_data;                    // the token's
  wire::Role wished_role = wire::Role::spectator;
  std::uint16_t wished_entity = sim::k_no_entity;  // within the grant
};

class Admission {
 public:
  /// `ticket_key`: random, of this process.
  Admission(const AdmissionConfig& config, const wire::Key& ticket_key);

  /// Where the configuration names none.
  void set_addresses(std::vector<wire::Address> addresses) {
    if (config_.addresses.empty()) config_.addresses = std::move(addresses);
  }

  using Verdict = std::variant<wire::RefuseReason, Grant>;
  /// `promised`: clients that were let in and have not used their token yet.
  Verdict judge(const wire::Hello& hello, wire::UnixMilliseconds unix_now, wire::Nanoseconds now,
                std::size_t promised);
  /// The client has shown that it holds the secret: its token or ticket is used up. False when it
  /// was used up by another meanwhile.
  bool use(const Grant& grant);
  /// A ticket for a client with this grant.
  [[nodiscard]] wire::Bytes make_ticket(const Grant& grant, const wire::Key& secret,
                                        const wire::LongNonce& nonce, wire::Nanoseconds now) const;
  [[nodiscard]] std::size_t remembered() const { return tokens_.size() + tickets_.size(); }

 private:
  Verdict judge_token(const wire::Hello& hello, wire::UnixMilliseconds now, std::size_t promised);
  Verdict judge_ticket(const wire::Hello& hello, wire::Nanoseconds now, std::size_t promised);
  [[nodiscard]] bool names_this_server(const std::vector<wire::Address>& addresses) const;

  AdmissionConfig config_;
  wire::Key ticket_key_;
  UsedTokens tokens_;   // until their expiry, Unix milliseconds
  UsedTokens tickets_;  // until theirs, nanoseconds
};

}  // namespace contrail::server
