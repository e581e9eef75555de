// What a client proves after the handshake: that it holds its secret, and where it is.

#include <contrail/edge/broadcaster_state.hpp>

namespace contrail::server {

/// The client holds the keys of its connection, so it holds the secret of its token: what it came
/// with is used up, and what it left behind makes room. False when another was faster.
bool Broadcaster::Impl::confirm(ClientLink& link) {
  link.confirmed = true;
  if (!admission.use(link.grant)) {
    begin_leaving(link, wire::DisconnectReason::used);
    return false;
  }
  if (link.grant.by == Grant::By::ticket) ++statistics.returned;
  for (auto& other : links) {
    if (!other || other.get() == &link || other->goodbyes > 0) continue;
    const bool same_pass = link.grant.by != Grant::By::nothing && other->grant.id == link.grant.id;
    if (other->identity().address == link.identity().address || same_pass ||
        other->grant.lineage == link.grant.lineage) {
      remove(*other, wire::DisconnectReason::replaced);
    }
  }
  return true;
}

/// An authentic, fresh packet came from where the client is not known to be: a network in between
/// has given it another address. It moves when it proves to be there, which no copy of a packet
/// does. The question is never larger than the packet that raised it.
void Broadcaster::Impl::follow_path(ClientLink& link, const wire::Address& from,
                                    const wire::ClearHeader& header, std::size_t size,
                                    const wire::PlainText& plain, wire::Nanoseconds now) {
  constexpr std::size_t k_challenge_bytes = wire::k_min_sealed_datagram + 8;
  const bool asked = link.path && link.path->address == from;
  if (header.type == wire::PacketType::path_response) {
    wire::PathResponse response;
    if (!asked || wire::read(plain.content(), response) != wire::PacketError::none ||
        response.proof != link.path->proof) {
      return;
    }
    link.move_to(from);
    ++statistics.moved;
    note(ClientEvent::Kind::moved, link, wire::DisconnectReason::left);
    return;
  }
  if (size < k_challenge_bytes) return;  // a ping follows within 1/4 s
  if (asked && now - link.path->asked < wire::k_path_challenge_interval) return;
  if (!asked) link.path = ClientLink::Path{from, random.u64(), now};
  link.path->asked = now;
  ++statistics.path_challenges;
  reply(link, wire::PathChallenge{link.path->proof});
}

}  // namespace contrail::server
