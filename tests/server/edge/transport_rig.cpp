#include "transport_rig.hpp"

#include <algorithm>

namespace contrail::server::rig {

namespace {

constexpr Nanoseconds k_poll = k_second / 128;

wire::Bytes pattern(std::size_t size, std::uint64_t seed) {
  support::Dice dice(seed);
  wire::Bytes out(size);
  for (auto& byte : out) byte = static_cast<std::uint8_t>(dice.next());
  return out;
}

}  // namespace

Rig::Rig(const RigOptions& given)
    : options(given),
      now(given.start),
      network(given.seed * 0x9E37'79B9 + 12345),
      header(pattern(given.header_bytes, 7)),
      tick(given.first_tick),
      next_tick_(given.start + wire::tick_nanoseconds(given.log2_tick)) {
  BroadcasterConfig config;
  config.max_clients = options.max_clients;
  config.admission = options.admission;
  config.admission.insecure = options.insecure;
  config.version.fingerprint = {1, 2};
  config.session_id = 0x1234'5678'9ABC'DEF0;
  config.log2_tick = static_cast<std::uint8_t>(options.log2_tick);
  config.first_tick = options.first_tick;
  for (std::size_t i = 0; i < 8; ++i) {
    config.secret[i] = static_cast<std::uint8_t>(options.seed >> (8 * i));
  }
  broadcaster = std::make_unique<Broadcaster>(config, header);
  source = [](std::uint32_t) { return sim::TickRecord{}; };
}

wire::ClientConfig Rig::config(wire::Role role) {
  wire::ClientConfig out;
  out.role = role;
  out.version.fingerprint = {1, 2};
  out.seed = ++client_seed_;
  out.entropy[0] = static_cast<std::uint8_t>(out.seed);
  out.entropy[1] = static_cast<std::uint8_t>(out.seed >> 8);
  return out;
}

ClientView& Rig::add_client(const wire::ClientConfig& config, Nanoseconds clock_offset) {
  wire::ClientConfig chosen = config;
  if (chosen.seed == 0) chosen = this->config();
  clients.push_back(std::make_unique<ClientView>(chosen, now + clock_offset));
  clients.back()->clock_offset = clock_offset;
  clients.back()->address = client_address(static_cast<int>(clients.size()) - 1);
  return *clients.back();
}

wire::Bytes Rig::snapshot_at(std::uint32_t at) const {
  return pattern(options.snapshot_bytes, at + 1);
}

void Rig::send(const wire::Address& to, std::span<const std::uint8_t> datagram) {
  wire::Bytes bytes(datagram.begin(), datagram.end());
  const auto type = static_cast<wire::PacketType>(bytes.at(0));
  if (type == wire::PacketType::tick || type == wire::PacketType::slice) {
    most_log_datagrams = std::max(most_log_datagrams, ++sent_in_tick_[to]);
  }
  if (tamper && !tamper(to, bytes)) return;
  network.send(k_server, to, bytes, now);
}

void Rig::step_server() {
  if (now >= next_tick_ && !stalled_) {
    for (const ClientCommand& command : broadcaster->take_commands()) {
      commands.push_back(command);
      if (on_command) {
        on_command(command);
      } else {
        broadcaster->answer(command.client,
                            {command.command.id, wire::CommandStatus::launched, ++launches_});
      }
    }
    ++tick;
    sim::TickRecord record = source(tick);
    record.tick = tick;
    wire::Bytes bytes;
    if (!record.empty()) {
      bytes = wire::encode_record(record, options.log2_tick);
      log[tick] = bytes;
    }
    broadcaster->on_record(record, bytes, next_tick_);
    if (broadcaster->wants_snapshot()) broadcaster->give_snapshot(snapshot_at(tick));
    next_tick_ += wire::tick_nanoseconds(options.log2_tick);
    sent_in_tick_.clear();
  }
  broadcaster->poll_outgoing(now, *this);
}

void Rig::step_client(std::size_t index) {
  ClientView& view = *clients[index];
  if (view.stopped) return;
  const Nanoseconds own = now + view.clock_offset;
  wire::Datagram datagram;
  while (view.connection.poll_outgoing(own, datagram)) {
    if (sniff) sniff(view.address, datagram.view());
    network.send(view.address, k_server, datagram.view(), now);
  }
  take(view);
}

void Rig::take(ClientView& view) {
  wire::ClientConnection& connection = view.connection;
  if (auto got = connection.take_session_header()) view.header = std::move(*got);
  if (auto got = connection.take_snapshot()) {
    view.segments.emplace_back();
    view.segments.back().snapshot = std::move(*got);
  }
  const bool was_live = view.live_at >= 0;
  if (!was_live && connection.state() == wire::ConnectionState::live) view.live_at = now;
  while (auto result = connection.take_command_result()) view.results.push_back(*result);
  const auto records = connection.take_records();
  if (view.segments.empty()) return;
  Segment& segment = view.segments.back();
  segment.complete = connection.complete_tick();
  for (const sim::TickRecord& record : records) {
    segment.ticks.push_back(record.tick);
    segment.records[record.tick] = wire::encode_record(record, options.log2_tick);
    if (was_live) {
      view.delays.push_back(now - (next_tick_ - wire::tick_nanoseconds(options.log2_tick) *
                                                    Nanoseconds{tick + 1 - record.tick}));
    }
  }
}

void Rig::run(Nanoseconds duration) {
  const Nanoseconds end = now + duration;
  while (now < end) {
    while (auto delivery = network.next(now)) {
      if (delivery->to == k_server) {
        broadcaster->receive(delivery->from, delivery->bytes, now);
        continue;
      }
      for (std::size_t i = 0; i < clients.size(); ++i) {
        if (clients[i]->address != delivery->to || clients[i]->stopped) continue;
        clients[i]->connection.receive(delivery->bytes, now + clients[i]->clock_offset);
      }
    }
    step_server();
    for (std::size_t i = 0; i < clients.size(); ++i) step_client(i);
    now += k_poll / 4;
  }
}

RecordSource busy_world(std::uint64_t seed, int log2_tick) {
  auto dice = std::make_shared<support::Dice>(seed);
  return [dice, log2_tick](std::uint32_t tick) {
    if (dice->chance(50)) return sim::TickRecord{};
    sim::TickRecord record =
        wire::samples::random_record(*dice, tick, log2_tick, dice->chance(4) ? 60 : 4);
    record.timelines.clear();  // epochs of their own
    return record;
  };
}

RecordSource launches_every(std::uint32_t period) {
  return [period](std::uint32_t tick) {
    sim::TickRecord record;
    if (tick % period != 0) return record;
    sim::Launch launch;
    launch.t0 = sim::Subtick{tick} << 11;
    launch.pieces = 100;
    launch.count = 16;
    record.launches.push_back(launch);
    return record;
  };
}

std::string difference(const Rig& rig, const Segment& segment) {
  if (segment.snapshot.bytes != rig.snapshot_at(segment.snapshot.tick)) return "snapshot";
  std::vector<std::uint32_t> expected;
  for (const auto& [tick, bytes] : rig.log) {
    if (tick <= segment.snapshot.tick || tick > segment.complete) continue;
    expected.push_back(tick);
    const auto got = segment.records.find(tick);
    if (got == segment.records.end()) return "no record of tick " + std::to_string(tick);
    if (got->second != bytes) return "other bytes in tick " + std::to_string(tick);
  }
  return segment.ticks == expected ? "" : "records twice or out of order";
}

}  // namespace contrail::server::rig
