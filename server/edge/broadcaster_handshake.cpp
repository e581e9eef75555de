// Hellos: answered without keeping anything until a cookie has proven the address.

#include <algorithm>

#include <contrail/edge/broadcaster_state.hpp>
#include <contrail/sim/assert.hpp>
#include <contrail/wire/splitmix.hpp>

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
  const auto known = connections.find(from);
  if (known == connections.end() && present >= config.max_clients) {
    refuse(from, hello, wire::RefuseReason::full);
    return wire::PacketError::none;
  }
  if (!hello.has_cookie || !cookies.valid(hello.cookie, from, hello.nonce, now)) {
    ++statistics.challenges;
    wire::Datagram challenge;
    wire::encode_challenge({hello.nonce, cookies.bake(from, hello.nonce, now)}, challenge);
    reply(from, challenge);
    return hello.has_cookie ? wire::PacketError::bad_cookie : wire::PacketError::none;
  }
  if (known != connections.end()) {
    ClientLink& link = *find(known->second);
    if (link.identity().nonce == hello.nonce) {
      send_welcome(link, now);  // the first one got lost
      return wire::PacketError::none;
    }
    remove(link, wire::DisconnectReason::replaced);
  }
  admit(from, hello, now);
  return wire::PacketError::none;
}

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
  // Tokens can't be verified yet, so a server that asks for them admits nobody.
  if (!config.insecure) {
    return hello.token.empty() ? wire::RefuseReason::token_required : wire::RefuseReason::bad_token;
  }
  if (!hello.resume.empty()) return wire::RefuseReason::bad_resume;
  const bool wishes = hello.role == wire::Role::pilot && hello.entity != sim::k_no_entity;
  if (wishes && config.has_entity && !config.has_entity(hello.entity)) {
    return wire::RefuseReason::no_such_entity;
  }
  return std::nullopt;
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

void Broadcaster::Impl::admit(const wire::Address& from, const wire::Hello& hello,
                              wire::Nanoseconds now) {
  // Leaving clients still hold slots; there are more slots than clients admitted.
  const auto free = std::find(links.begin(), links.end(), nullptr);
  if (free == links.end()) {
    refuse(from, hello, wire::RefuseReason::full);
    return;
  }
  const auto slot = static_cast<std::uint32_t>(free - links.begin());
  ClientIdentity identity;
  do {
    identity.connection =
        static_cast<std::uint32_t>(wire::next_random(connection_state)) << k_slot_bits | slot;
  } while (identity.connection >> k_slot_bits == 0);
  identity.client = next_client++;
  identity.address = from;
  identity.nonce = hello.nonce;
  identity.role = hello.role;
  identity.entity = hello.entity;
  *free = std::make_unique<ClientLink>(identity, config.log2_tick, session_header, now);
  connections[from] = identity.connection;
  ++present;
  ++statistics.joined;
  note(ClientEvent::Kind::joined, **free, wire::DisconnectReason::left);
  send_welcome(**free, now);
}

void Broadcaster::Impl::send_welcome(const ClientLink& link, wire::Nanoseconds now) {
  const ClientIdentity& identity = link.identity();
  wire::Welcome welcome;
  welcome.nonce = identity.nonce;
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
  wire::encode_welcome(welcome, datagram);
  reply(identity.address, datagram);
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
