#include <contrail/edge/admission.hpp>

#include <algorithm>

#include <contrail/wire/byte_io.hpp>

namespace contrail::server {

namespace {

using wire::RefuseReason;

constexpr std::uint8_t k_ticket_context[] = {'t', 'i', 'c', 'k', 'e', 't'};
constexpr std::size_t k_ticket_head = 8 + 8 + 8 + 1 + 1 + wire::k_key_bytes;
static_assert(wire::k_long_nonce_bytes + k_ticket_head + 2 * wire::k_max_token_entities +
                  wire::k_max_user_data_bytes + wire::k_authenticator_bytes <=
              wire::k_max_resume_bytes);

/// Brings the wish within the grant; false when it lies outside.
bool settle(const wire::Hello& hello, Grant& grant) {
  if (hello.role > grant.role) return false;
  grant.wished_role = hello.role;
  grant.wished_entity = hello.entity;
  if (hello.role != wire::Role::pilot || grant.entities.empty()) return true;
  if (hello.entity == sim::k_no_entity) {
    grant.wished_entity = grant.entities.front();
    return true;
  }
  return std::find(grant.entities.begin(), grant.entities.end(), hello.entity) !=
         grant.entities.end();
}

}  // namespace

Admission::Admission(const AdmissionConfig& config, const wire::Key& ticket_key)
    : config_(config),
      ticket_key_(ticket_key),
      tokens_(config.token_memory),
      tickets_(config.token_memory) {}

Admission::Verdict Admission::judge(const wire::Hello& hello, wire::UnixMilliseconds unix_now,
                                    wire::Nanoseconds now, std::size_t promised) {
  tokens_.forget_expired(unix_now);
  tickets_.forget_expired(now);
  if (!hello.resume.empty()) return judge_ticket(hello, now, promised);
  if (!hello.token.empty()) return judge_token(hello, unix_now, promised);
  if (!config_.insecure) return RefuseReason::token_required;
  Grant grant;
  grant.role = hello.role;
  settle(hello, grant);
  return grant;
}

bool Admission::names_this_server(const std::vector<wire::Address>& addresses) const {
  return addresses.empty() ||
         std::any_of(addresses.begin(), addresses.end(), [&](const wire::Address& address) {
           return std::find(config_.addresses.begin(), config_.addresses.end(), address) !=
                  config_.addresses.end();
         });
}

Admission::Verdict Admission::judge_token(const wire::Hello& hello, wire::UnixMilliseconds now,
                                          std::size_t promised) {
  wire::TokenFace face;
  const wire::TokenForm form = wire::read_face(hello.token, false, face);
  if (form != wire::TokenForm::good) return RefuseReason::bad_token;
  const auto key = std::find_if(config_.token_keys.begin(), config_.token_keys.end(),
                                [&](const wire::TokenKey& k) { return k.id == face.key_id; });
  if (key == config_.token_keys.end()) return RefuseReason::token_unknown_key;
  wire::TokenGrant inside;
  if (!wire::open_pass(hello.token, *key, inside)) return RefuseReason::bad_token;
  // From here on every field is the issuer's own.
  if (face.expires - face.created > wire::k_longest_token_life) {
    return RefuseReason::token_too_long;
  }
  if (now > face.expires) return RefuseReason::token_expired;
  if (face.created > now + wire::k_token_clock_slack) return RefuseReason::token_not_yet;
  if (face.created < config_.started) return RefuseReason::token_before_start;
  if (!names_this_server(face.addresses)) return RefuseReason::token_other_server;
  Grant grant;
  grant.by = Grant::By::token;
  grant.id = wire::token_id(hello.token);
  grant.expires = face.expires;
  grant.secret = inside.secret;
  grant.account = inside.account;
  grant.role = inside.role;
  grant.entities = inside.entities;
  grant.user_data = inside.user_data;
  if (tokens_.contains(grant.id)) return RefuseReason::token_used;
  if (!settle(hello, grant)) return RefuseReason::not_granted;
  if (tokens_.full(promised)) return RefuseReason::token_history_full;
  return grant;
}

Admission::Verdict Admission::judge_ticket(const wire::Hello& hello, wire::Nanoseconds now,
                                           std::size_t promised) {
  const wire::Bytes& ticket = hello.resume;
  constexpr std::size_t k_around = wire::k_long_nonce_bytes + wire::k_authenticator_bytes;
  if (ticket.size() < k_around + k_ticket_head) return RefuseReason::bad_resume;
  wire::LongNonce nonce{};
  std::copy_n(ticket.begin(), nonce.size(), nonce.begin());
  wire::Bytes plain(ticket.size() - k_around);
  if (!wire::open_letter(ticket_key_, nonce, k_ticket_context,
                         wire::ByteView(ticket).subspan(nonce.size()), plain)) {
    return RefuseReason::bad_resume;
  }
  wire::ByteReader in(plain);
  Grant grant;
  grant.by = Grant::By::ticket;
  grant.id = wire::token_id(ticket);
  grant.expires = in.i64();
  grant.account = in.u64();
  grant.lineage = in.u64();
  grant.role = static_cast<wire::Role>(in.u8());
  const std::size_t entities = in.u8();
  const wire::ByteView secret = in.bytes(wire::k_key_bytes);
  std::copy(secret.begin(), secret.end(), grant.secret.bytes().begin());
  for (std::size_t i = 0; i < entities; ++i) grant.entities.push_back(in.u16());
  const wire::ByteView user_data = in.bytes(in.left());
  grant.user_data.assign(user_data.begin(), user_data.end());
  wire::secure_wipe(plain);
  if (in.failed() || now > grant.expires || tickets_.contains(grant.id)) {
    return RefuseReason::bad_resume;
  }
  if (!settle(hello, grant)) return RefuseReason::not_granted;
  if (tickets_.full(promised)) return RefuseReason::token_history_full;
  return grant;
}

bool Admission::use(const Grant& grant) {
  switch (grant.by) {
    case Grant::By::nothing:
      return true;
    case Grant::By::token:
      return tokens_.add(grant.id, grant.expires);
    case Grant::By::ticket:
      return tickets_.add(grant.id, grant.expires);
  }
  return false;
}

wire::Bytes Admission::make_ticket(const Grant& grant, const wire::Key& secret,
                                   const wire::LongNonce& nonce, wire::Nanoseconds now) const {
  wire::Bytes plain(k_ticket_head + 2 * grant.entities.size() + grant.user_data.size());
  wire::ByteWriter out(plain);
  out.i64(now + wire::k_ticket_lifetime);
  out.u64(grant.account);
  out.u64(grant.lineage);
  out.u8(static_cast<std::uint8_t>(grant.role));
  out.u8(static_cast<std::uint8_t>(grant.entities.size()));
  out.bytes(secret.bytes());
  for (const std::uint16_t entity : grant.entities) out.u16(entity);
  out.bytes(grant.user_data);
  wire::Bytes ticket(nonce.size() + plain.size() + wire::k_authenticator_bytes);
  std::copy(nonce.begin(), nonce.end(), ticket.begin());
  wire::seal_letter(ticket_key_, nonce, k_ticket_context, plain,
                    std::span(ticket).subspan(nonce.size()));
  wire::secure_wipe(plain);
  return ticket;
}

}  // namespace contrail::server
