// Input: a script of bytes that the network and the mutant take from as they need them; see
// network.hpp. The executables link tests/support/plaintext_seal.cpp, which seals nothing:
// otherwise no changed packet would get past its tag. When it is used up everything arrives, and
// nothing else happens.

#include <contrail/fuzz/network.hpp>

#include <algorithm>

#include <contrail/edge/scenario_file.hpp>
#include <contrail/sim/fingerprint.hpp>

namespace contrail::fuzz {
namespace {

constexpr wire::Address k_mutant = wire::ipv4_address(10, 0, 0, 2, 5000);
constexpr wire::Address k_observer = wire::ipv4_address(10, 0, 0, 3, 5000);
constexpr wire::Nanoseconds k_frame = wire::k_second / 64;
constexpr int k_frames = 32;  // scripted ones at least
constexpr int k_most_frames = 128;

server::SessionConfig session_config() {
  static const auto scenario = server::load_scenario("duel").scenario;
  static const sim::Hash64 fingerprint = sim::compute_fingerprint().all;
  server::SessionConfig config;
  config.scenario = scenario;
  config.session_id = 99;
  config.fingerprint = fingerprint;
  config.secret.fill(3);
  config.max_clients = 4;
  config.admission.insecure = true;
  return config;
}

client::ClientConfig client_config(wire::Role role, std::uint64_t seed) {
  client::ClientConfig config;
  config.role = role;
  config.seed = seed;
  config.entropy.emplace().fill(static_cast<std::uint8_t>(seed));
  return config;
}

}  // namespace

Network::Network(ByteView script)
    : script_(script),
      session_(std::make_unique<server::LiveSession>(session_config(), log_)),
      mutant_(client_config(wire::Role::director, 1)),
      observer_(client_config(wire::Role::spectator, 2)),
      next_tick_(now_ + k_frame) {
  mutant_.connect(now_ + mutant_clock_);
  observer_.connect(now_);
}

void Network::send(const wire::Address& to, std::span<const std::uint8_t> datagram) {
  if (to == k_observer) {
    to_observer_.emplace_back(datagram.begin(), datagram.end());
  } else if (to == k_mutant) {
    ++sent_in_frame_;
    to_mutant_.emplace_back(datagram.begin(), datagram.end());
  } else {
    check(false, "a server answers only whom it heard");
  }
}

void Network::arrive(Way way, ByteView datagram) {
  const ExactCopy copy(datagram);
  if (way == Way::to_server) {
    session_->receive(k_mutant, copy.view(), now_);
  } else {
    mutant_.receive(copy.view(), now_ + mutant_clock_);
  }
}

void Network::pass(Way way, Bytes datagram) {
  const auto side = static_cast<std::size_t>(way);
  if (datagram.size() > wire::k_clear_header_bytes) {
    wire::ClearHeader header;
    if (wire::read_clear_header(datagram, header) == wire::PacketError::none &&
        header.connection != 0) {
      connection_ = header.connection;
      counters_[side] = header.counter;
    }
  }
  switch (static_cast<Fate>(script_.u8() % 8)) {
    case Fate::deliver:
    case Fate::deliver_too:
      break;
    case Fate::hold_back:
      if (held_[side]) break;
      held_[side] = std::move(datagram);
      return;
    case Fate::drop:
      return;
    case Fate::twice:
      arrive(way, datagram);
      break;
    case Fate::alter: {
      const std::size_t at = script_.u16() % datagram.size();
      datagram[at] = static_cast<std::uint8_t>(datagram[at] ^ script_.u8());
      honest_ = false;
      break;
    }
    case Fate::cut:
      datagram.resize(script_.u16() % (datagram.size() + 1));
      honest_ = false;
      break;
    case Fate::splice: {
      const std::size_t at = script_.u16() % datagram.size();
      const Bytes bytes = scripted_bytes();
      for (std::size_t i = 0; i < bytes.size() && at + i < datagram.size(); ++i) {
        datagram[at + i] = bytes[i];
      }
      honest_ = false;
      break;
    }
  }
  arrive(way, datagram);
  if (held_[side]) {
    const Bytes late = std::move(*held_[side]);
    held_[side].reset();
    arrive(way, late);
  }
}

Bytes Network::scripted_bytes() {
  const std::size_t length = std::min<std::size_t>(script_.u8(), script_.left());
  const ByteView bytes = script_.bytes(length);
  return {bytes.begin(), bytes.end()};
}

/// What somebody would send who reads all of the connection's packets.
void Network::forge(Way way) {
  const std::uint8_t type = script_.u8();
  const std::uint8_t ahead = script_.u8();
  const Bytes content = scripted_bytes();
  const auto side = static_cast<std::size_t>(way);
  const auto counter = static_cast<std::uint16_t>(counters_[side] + ahead);
  Bytes datagram(wire::k_clear_header_bytes);
  wire::write_clear_header({static_cast<wire::PacketType>(type), 0, connection_, counter},
                           datagram);
  datagram.resize(datagram.size() + wire::k_ack_block_bytes);
  datagram.insert(datagram.end(), content.begin(), content.end());
  datagram.resize(datagram.size() + wire::k_tag_bytes);
  arrive(way, datagram);
}

void Network::act() {
  if (!scripted()) return;
  const auto act = static_cast<Act>(script_.u8() % 16);
  if ((act >= Act::raw_to_server && act <= Act::forged_to_mutant) || act >= Act::long_to_server) {
    honest_ = false;
  }
  std::uint32_t id = 0;
  switch (act) {
    case Act::raw_to_server:
      arrive(Way::to_server, scripted_bytes());
      break;
    case Act::raw_to_mutant:
      arrive(Way::to_mutant, scripted_bytes());
      break;
    case Act::forged_to_server:
      forge(Way::to_server);
      break;
    case Act::forged_to_mutant:
      forge(Way::to_mutant);
      break;
    case Act::fire:
      mutant_.fire({script_.u8(), script_.u8(), script_.u8(), {}}, id);
      break;
    case Act::steer: {
      const auto kind = static_cast<sim::SteerKind>(script_.u8() % 4);
      const auto x = static_cast<std::int32_t>(script_.u32());
      mutant_.steer({kind, {x, 0, -1 - x}, script_.u8()}, id);
      break;
    }
    case Act::drive: {
      const auto x = static_cast<std::int32_t>(script_.u32());
      mutant_.drive({script_.u8(), {x, 1, 2}, {3, x, 4}}, id);
      break;
    }
    case Act::sleep:
      mutant_clock_ += script_.u8() * 100 * wire::k_millisecond;
      break;
    case Act::leave:
      mutant_.disconnect(now_ + mutant_clock_);
      break;
    case Act::long_to_server:
    case Act::long_to_mutant: {
      const std::uint8_t type = script_.u8();
      Bytes datagram(wire::k_max_datagram_bytes, script_.u8());
      datagram[0] = type;
      arrive(act == Act::long_to_server ? Way::to_server : Way::to_mutant, datagram);
      break;
    }
    default:
      break;
  }
}

void Network::frame_of(client::ClientCore& core, bool mutant) {
  const wire::Nanoseconds own = mutant ? now_ + mutant_clock_ : now_;
  core.update(own);
  client::Event event;
  while (core.next_event(event)) {
  }
  client::CommandResult result;
  while (core.next_command_result(result)) {
  }
  std::array<client::MissileView, 4> missiles;
  core.missiles(core.render_time(), {0, 0, 0}, missiles);
  std::array<client::EntityView, 4> entities;
  core.entities(core.render_time(), {0, 0, 0}, entities);
  wire::Datagram datagram;
  for (int sent = 0; core.next_datagram(own, datagram); ++sent) {
    check(sent < 64, "a client's datagrams come to an end");
    if (mutant) {
      pass(Way::to_server, {datagram.view().begin(), datagram.view().end()});
    } else {
      session_->receive(k_observer, datagram.view(), now_);
    }
  }
}

void Network::frame() {
  now_ += k_frame;
  sent_in_frame_ = 0;
  act();
  if (now_ >= next_tick_) {
    session_->tick(next_tick_);
    next_tick_ += wire::tick_nanoseconds(session_->match().world().scenario().log2_tick);
  }
  session_->poll_outgoing(now_, *this);
  for (; !to_mutant_.empty(); to_mutant_.pop_front()) {
    pass(Way::to_mutant, std::move(to_mutant_.front()));
  }
  for (; !to_observer_.empty(); to_observer_.pop_front()) {
    observer_.receive(to_observer_.front(), now_);
  }
  frame_of(mutant_, true);
  frame_of(observer_, false);
}

Outcome run_network(ByteView input) {
  Network network(input);
  for (int i = 0; i < k_frames || (i < k_most_frames && network.scripted()); ++i) {
    network.frame();
    check(network.sent_in_frame() <=
              wire::k_max_datagrams_per_joining_tick + wire::k_max_pending_replies,
          "what a server sends to one client in a frame is bounded");
    check(network.session().clients() <= 4, "no more clients than admitted");
    check(network.mutant().failure().empty(), network.mutant().failure().c_str());
  }
  check(network.observer().state() == client::State::live, "another client is not affected");
  check(network.observer().statistics().log.hash_mismatches == 0, "every client's log agrees");
  if (network.honest()) {
    check(network.mutant().state() != client::State::refused, "an honest client is not refused");
    check(network.mutant().end_reason() != client::EndReason::bad_log &&
              network.mutant().end_reason() != client::EndReason::misbehaved,
          "nobody finds fault with an honest end");
    check(network.mutant().statistics().log.hash_mismatches == 0, "every client's log agrees");
  }
  return k_accepted;
}

}  // namespace contrail::fuzz
