#include "snapshot_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <enet/enet.h>

#include <contrail/support/random_log.hpp>

namespace contrail::bench {
namespace {

constexpr std::size_t k_kept = 64;  // snapshots, of either end
constexpr std::uint64_t k_udp_ip_bytes = 28;

void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

void put_vector(std::vector<std::uint8_t>& out, const sim::Vec3& v) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t x = v[axis];
    put_varint(out, static_cast<std::uint64_t>(x < 0 ? -2 * x - 1 : 2 * x));
  }
}

class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
  [[nodiscard]] bool more() const { return at_ < bytes_.size(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
      const std::uint8_t byte = bytes_[at_++];
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  sim::Vec3 vector() {
    sim::Vec3 v{0};
    for (int axis = 0; axis < 3; ++axis) {
      const std::uint64_t raw = varint();
      const auto half = static_cast<std::int64_t>(raw / 2);
      v[axis] = static_cast<std::int32_t>(raw % 2 == 0 ? half : -half - 1);
    }
    return v;
  }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

const Snapshot::Missile* find(const Snapshot* snapshot, std::uint64_t id) {
  if (snapshot == nullptr) return nullptr;
  const auto found = std::lower_bound(
      snapshot->missiles.begin(), snapshot->missiles.end(), id,
      [](const Snapshot::Missile& missile, std::uint64_t wanted) { return missile.id < wanted; });
  return found != snapshot->missiles.end() && found->id == id ? &*found : nullptr;
}

const Snapshot* find(const std::deque<Snapshot>& kept, std::uint16_t number) {
  const auto found = std::find_if(kept.begin(), kept.end(), [number](const Snapshot& snapshot) {
    return number != 0 && snapshot.number == number;
  });
  return found != kept.end() ? &*found : nullptr;
}

void keep(std::deque<Snapshot>& kept, Snapshot snapshot) {
  kept.push_back(std::move(snapshot));
  if (kept.size() > k_kept) kept.pop_front();
}

/// ENet's hook has no place for an argument.
struct Losses {
  int per_thousand = 0;
  support::Dice dice{1};
};
Losses& losses() {
  static Losses k_losses;
  return k_losses;
}
int lose_some(ENetHost* /*host*/, ENetEvent* /*event*/) {
  return losses().dice.between(0, 999) < losses().per_thousand ? 1 : 0;
}

/// An ENet host on loopback, initialised and released with its owner.
struct Host {
  Host(bool listens, int loss) {
    if (enet_initialize() != 0) fail();
    losses() = {loss, support::Dice(1)};
    ENetAddress address{};
    enet_address_set_host_ip(&address, "127.0.0.1");
    host = enet_host_create(listens ? &address : nullptr, 1, 2, 0, 0);
    if (host == nullptr) fail();
    host->intercept = lose_some;
  }
  ~Host() {
    enet_host_destroy(host);
    enet_deinitialize();
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  [[noreturn]] static void fail() {
    std::fprintf(stderr, "bench: ENet does not start\n");
    std::exit(1);
  }
  ENetHost* host = nullptr;
};

void send_unreliable(ENetPeer* peer, const std::vector<std::uint8_t>& bytes) {
  ENetPacket* packet =
      enet_packet_create(bytes.data(), bytes.size(), ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT);
  if (enet_peer_send(peer, 0, packet) != 0) enet_packet_destroy(packet);
}

/// ENet's answer to losses is to send less; here everything is sent.
void never_throttle(ENetPeer* peer) {
  enet_peer_throttle_configure(peer, ENET_PEER_PACKET_THROTTLE_INTERVAL,
                               ENET_PEER_PACKET_THROTTLE_SCALE, 0);
}

}  // namespace

std::vector<std::uint8_t> encode(const Snapshot& snapshot, const Snapshot* baseline) {
  std::vector<std::uint8_t> out;
  put_varint(out, snapshot.number);
  put_varint(out, baseline != nullptr ? baseline->number : 0U);
  put_varint(out, static_cast<std::uint64_t>(snapshot.time));
  std::uint64_t before = 0;
  for (const Snapshot::Missile& missile : snapshot.missiles) {
    const Snapshot::Missile* known = find(baseline, missile.id);
    put_varint(out, (missile.id - before) * 2 + (known != nullptr ? 1U : 0U));
    put_vector(out, known != nullptr ? missile.position - known->position : missile.position);
    before = missile.id;
  }
  return out;
}

std::optional<Snapshot> decode(const std::vector<std::uint8_t>& bytes,
                               const std::deque<Snapshot>& known) {
  Reader reader(bytes);
  Snapshot out;
  out.number = static_cast<std::uint16_t>(reader.varint());
  const auto base = static_cast<std::uint16_t>(reader.varint());
  const Snapshot* baseline = find(known, base);
  if (base != 0 && baseline == nullptr) return std::nullopt;
  out.time = static_cast<sim::Subtick>(reader.varint());
  std::uint64_t before = 0;
  while (reader.more()) {
    const std::uint64_t head = reader.varint();
    const std::uint64_t id = before + head / 2;
    const Snapshot::Missile* from = head % 2 != 0 ? find(baseline, id) : nullptr;
    const sim::Vec3 v = reader.vector();
    out.missiles.push_back({id, from != nullptr ? from->position + v : v});
    before = id;
  }
  return out;
}

// ---- server

struct SnapshotServer::Impl {
  explicit Impl(int loss) : enet(true, loss) {}
  Host enet;
  ENetPeer* peer = nullptr;
  std::deque<Snapshot> kept;
  std::uint16_t number = 0;
  std::uint16_t acked = 0;
};

SnapshotServer::SnapshotServer(int loss) : impl_(std::make_unique<Impl>(loss)) {}
SnapshotServer::~SnapshotServer() = default;

std::uint16_t SnapshotServer::port() const {
  return impl_->enet.host->address.port;
}

bool SnapshotServer::has_client() const {
  return impl_->peer != nullptr;
}

void SnapshotServer::send(const sim::World& world, sim::Subtick time) {
  if (impl_->peer == nullptr) return;
  Snapshot snapshot;
  if (++impl_->number == 0) impl_->number = 1;
  snapshot.number = impl_->number;
  snapshot.time = time;
  for (const sim::Salvo& salvo : world.salvos()) {
    for (int i = 0; i < salvo.launch.count; ++i) {
      const auto index = static_cast<std::uint8_t>(i);
      if (!world.missile_flies(salvo, index, time)) continue;
      const sim::Vec3 p = world.missile_position(salvo, index, time);
      snapshot.missiles.push_back({std::uint64_t{salvo.id} << 8 | index,
                                   {p.x / k_quantum, p.y / k_quantum, p.z / k_quantum}});
    }
  }
  send_unreliable(impl_->peer, encode(snapshot, find(impl_->kept, impl_->acked)));
  keep(impl_->kept, std::move(snapshot));
  enet_host_flush(impl_->enet.host);
}

void SnapshotServer::serve() {
  ENetEvent event;
  while (enet_host_service(impl_->enet.host, &event, 0) > 0) {
    if (event.type == ENET_EVENT_TYPE_CONNECT) {
      impl_->peer = event.peer;
      never_throttle(event.peer);
    } else if (event.type == ENET_EVENT_TYPE_DISCONNECT) {
      impl_->peer = nullptr;
    } else if (event.type == ENET_EVENT_TYPE_RECEIVE) {
      if (event.packet->dataLength == 2) {
        const auto ack =
            static_cast<std::uint16_t>(event.packet->data[0] | event.packet->data[1] << 8);
        if (static_cast<std::int16_t>(ack - impl_->acked) > 0) impl_->acked = ack;
      }
      enet_packet_destroy(event.packet);
    }
  }
}

Traffic SnapshotServer::sent() const {
  const ENetHost& host = *impl_->enet.host;
  return {host.totalSentPackets, host.totalSentData + k_udp_ip_bytes * host.totalSentPackets};
}

// ---- client

struct SnapshotClient::Impl {
  explicit Impl(int loss) : enet(false, loss) {}
  Host enet;
  ENetPeer* peer = nullptr;
  std::deque<Snapshot> kept;
};

SnapshotClient::SnapshotClient(std::uint16_t port, int loss) : impl_(std::make_unique<Impl>(loss)) {
  ENetAddress address{};
  enet_address_set_host_ip(&address, "127.0.0.1");
  address.port = port;
  impl_->peer = enet_host_connect(impl_->enet.host, &address, 2, 0);
}
SnapshotClient::~SnapshotClient() = default;

void SnapshotClient::serve() {
  ENetEvent event;
  while (enet_host_service(impl_->enet.host, &event, 0) > 0) {
    if (event.type == ENET_EVENT_TYPE_CONNECT) never_throttle(event.peer);
    if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
    const std::vector<std::uint8_t> bytes(event.packet->data,
                                          event.packet->data + event.packet->dataLength);
    enet_packet_destroy(event.packet);
    std::optional<Snapshot> snapshot = decode(bytes, impl_->kept);
    if (!snapshot) continue;
    send_unreliable(impl_->peer, {static_cast<std::uint8_t>(snapshot->number),
                                  static_cast<std::uint8_t>(snapshot->number >> 8)});
    keep(impl_->kept, std::move(*snapshot));
  }
  enet_host_flush(impl_->enet.host);
}

const std::deque<Snapshot>& SnapshotClient::snapshots() const {
  return impl_->kept;
}

std::optional<sim::Vec3> SnapshotClient::position(std::uint64_t id, sim::Subtick time) const {
  const auto& kept = impl_->kept;
  const auto after = std::find_if(kept.begin(), kept.end(),
                                  [time](const Snapshot& one) { return one.time >= time; });
  if (after == kept.begin() || after == kept.end()) return std::nullopt;
  const auto before = after - 1;
  const Snapshot::Missile* a = find(&*before, id);
  const Snapshot::Missile* b = find(&*after, id);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const std::int64_t length = after->time - before->time;
  const std::int64_t part = time - before->time;
  sim::Vec3 out{0};
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t step = std::int64_t{b->position[axis]} - a->position[axis];
    out[axis] =
        static_cast<std::int32_t>(k_quantum * a->position[axis] + k_quantum * step * part / length);
  }
  return out;
}

}  // namespace contrail::bench
