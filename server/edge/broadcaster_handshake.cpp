// Hellos: answered without keeping anything until a cookie has proven the address.

#include <algorithm>
#include <utility>
#include <variant>

#include <contrail/edge/broadcaster_state.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/wire/key_schedule.hpp>

namespace contrail::server {

namespace {

constexpr std::uint32_t k_slot_bits = 10;
static_assert(wire::k_max_clients <= std::size_t{1} << k_slot_bits);

}  // namespace

wire::PacketError Broadcaster::Impl::on_hello(const wire::Address& from,
                                              std::span<const std::uint8_t> datagram,
                                              wire::Nanoseconds now) {
  wire::Hello hello;
  const wire::PacketError error = wire::decode_hello(datagram, hello);
  if (error != wire::PacketError::none) return error;
  if (const auto reason = refusal(hello)) {
    refuse(from, hello, *reason);
    return wire::PacketError::none;
  }
  if (!hello.has_cookie || !cookies.valid(hello.cookie, from, hello.nonce, now)) {
    ++statistics.challenges;
    wire::Datagram challenge;
    wire::encode_challenge({hello.nonce, cookies.bake(from, hello.nonce, now)}, challenge);
    reply(from, challenge);
    return hello.has_cookie ? wire::PacketError::bad_cookie : wire::PacketError::none;
  }
  return on_proven_hello(from, hello, datagram, now);
}

/// What can be said without a cookie, a key or a look at who is there.
std::optional<wire::RefuseReason> Broadcaster::Impl::refusal(const wire::Hello& hello) const {
  switch (wire::compare(hello.version, config.version)) {
    case wire::VersionMatch::match:
      break;
    case wire::VersionMatch::version:
      return wire::RefuseReason::version;
    case wire::VersionMatch::path_revision:
      return wire::RefuseReason::path_revision;
    case wire::VersionMatch::fingerprint:
      return wire::RefuseReason::fingerprint;
  }
  if (closing) return wire::RefuseReason::closing;
  if (!config.admission.insecure && hello.token.empty() && hello.resume.empty()) {
    return wire::RefuseReason::token_required;
  }
  return std::nullopt;
}

wire::PacketError Broadcaster::Impl::on_proven_hello(const wire::Address& from,
                                                     const wire::Hello& hello,
                                                     std::span<const std::uint8_t> datagram,
                                                     wire::Nanoseconds now) {
  std::size_t pending = 0;
  for (const auto& link : links) {
    if (!link || link->goodbyes > 0) continue;
    if (link->identity().nonce == hello.nonce && link->identity().address == from) {
      reply(from, link->welcome);  // the first one got lost
      return wire::PacketError::none;
    }
    pending += !link->confirmed;
  }
  auto verdict = admission.judge(hello, (wall_clock + now) / wire::k_millisecond, now, pending);
  if (const auto* reason = std::get_if<wire::RefuseReason>(&verdict)) {
    refuse(from, hello, *reason);
    return wire::PacketError::none;
  }
  auto& grant = std::get<Grant>(verdict);
  const bool wishes =
      grant.wished_role == wire::Role::pilot && grant.wished_entity != sim::k_no_entity;
  if (wishes && config.has_entity && !config.has_entity(grant.wished_entity)) {
    refuse(from, hello, wire::RefuseReason::no_such_entity);
    return wire::PacketError::none;
  }
  // Nobody's pace of joining may cost the match its time; who is put off comes again.
  if (key_exchanges >= wire::k_max_key_exchanges) return wire::PacketError::over_limit;
  ++key_exchanges;
  drop_pending(from, grant);
  if (!has_room(from, grant)) {
    refuse(from, hello, wire::RefuseReason::full);
    return wire::PacketError::none;
  }
  return admit(from, hello, std::move(grant), datagram, now);
}

/// Makes room among clients that have not shown that they hold their secret: of one address the
/// newest counts, and a copied pass must not fill the server.
void Broadcaster::Impl::drop_pending(const wire::Address& from, const Grant& grant) {
  ClientLink* oldest = nullptr;
  std::size_t same = 0;
  for (auto& slot : links) {
    if (!slot || slot->goodbyes > 0 || slot->confirmed) continue;
    if (slot->identity().address == from) {
      remove(*slot, wire::DisconnectReason::replaced);
      continue;
    }
    if (grant.by == Grant::By::nothing || slot->grant.id != grant.id) continue;
    ++same;
    if (oldest == nullptr || slot->identity().client < oldest->identity().client) {
      oldest = slot.get();
    }
  }
  if (same >= wire::k_max_pending_per_token) remove(*oldest, wire::DisconnectReason::replaced);
}

/// Clients that this one is about to replace don't count.
bool Broadcaster::Impl::has_room(const wire::Address& from, const Grant& grant) const {
  const auto replaced = std::count_if(links.begin(), links.end(), [&](const auto& link) {
    return link && link->goodbyes == 0 &&
           (link->identity().address == from ||
            (grant.lineage != 0 && link->grant.lineage == grant.lineage));
  });
  return present - static_cast<std::size_t>(replaced) < config.max_clients;
}

void Broadcaster::Impl::refuse(const wire::Address& to, const wire::Hello& hello,
                               wire::RefuseReason reason) {
  ++statistics.refused[static_cast<std::size_t>(reason)];
  wire::Datagram datagram;
  wire::encode_refuse(
      {hello.nonce, reason, config.version, static_cast<std::uint16_t>(config.max_clients)},
      datagram);
  reply(to, datagram);
}

wire::PacketError Broadcaster::Impl::admit(const wire::Address& from, const wire::Hello& hello,
                                           Grant grant, std::span<const std::uint8_t> datagram,
                                           wire::Nanoseconds now) {
  // Leaving clients still hold slots; there are more slots than clients admitted.
  const auto free = std::find(links.begin(), links.end(), nullptr);
  if (free == links.end()) {
    refuse(from, hello, wire::RefuseReason::full);
    return wire::PacketError::none;
  }
  const wire::Key private_key = random.key();
  const wire::PublicKey public_key = wire::public_key_of(private_key);
  wire::Key shared;
  if (!wire::shared_secret(private_key, hello.public_key, shared)) {
    return wire::PacketError::bad_value;
  }
  const wire::ConnectionKeys keys = wire::derive_connection_keys(
      shared, grant.secret, wire::transcript_hash(datagram, public_key));
  const auto slot = static_cast<std::uint32_t>(free - links.begin());
  ClientIdentity identity;
  do {
    identity.connection = static_cast<std::uint32_t>(random.u64()) << k_slot_bits | slot;
  } while (identity.connection >> k_slot_bits == 0);
  identity.client = next_client++;
  identity.address = from;
  identity.nonce = hello.nonce;
  identity.role = grant.wished_role;
  identity.entity = grant.wished_entity;
  if (grant.lineage == 0) grant.lineage = random.u64() | 1U;
  *free = std::make_unique<ClientLink>(identity, keys, config.log2_tick, session_header, now);
  ClientLink& link = **free;
  link.grant = std::move(grant);
  link.welcome = make_welcome(identity, public_key, keys.welcome, now);
  ++present;
  ++statistics.joined;
  note(ClientEvent::Kind::joined, link, wire::DisconnectReason::left);
  reply(from, link.welcome);
  return wire::PacketError::none;
}

wire::Datagram Broadcaster::Impl::make_welcome(const ClientIdentity& identity,
                                               const wire::PublicKey& public_key,
                                               const wire::Key& key, wire::Nanoseconds now) const {
  wire::Welcome welcome;
  welcome.nonce = identity.nonce;
  welcome.public_key = public_key;
  welcome.connection = identity.connection;
  welcome.session_id = config.session_id;
  welcome.client = identity.client;
  welcome.log2_tick = config.log2_tick;
  welcome.role = identity.role;
  welcome.entity = identity.entity;
  welcome.minor = config.version.minor;
  welcome.tick = history.newest();
  welcome.header_bytes = static_cast<std::uint32_t>(session_header->size());
  welcome.server_time = session_time(now);
  wire::Datagram datagram;
  wire::encode_welcome(welcome, key, datagram);
  return datagram;
}

void Broadcaster::Impl::reply(const wire::Address& to, const wire::Datagram& datagram) {
  HandshakeReply out;
  sim::require(datagram.size <= out.bytes.size(), "answers to hellos are small");
  out.to = to;
  out.size = datagram.size;
  std::copy_n(datagram.bytes.begin(), datagram.size, out.bytes.begin());
  if (!replies.push(out)) ++statistics.replies_dropped;
}

ClientLink* Broadcaster::Impl::find(std::uint32_t connection) {
  const std::size_t slot = connection & ((1U << k_slot_bits) - 1);
  if (slot >= links.size() || !links[slot]) return nullptr;
  return links[slot]->identity().connection == connection ? links[slot].get() : nullptr;
}

}  // namespace contrail::server
