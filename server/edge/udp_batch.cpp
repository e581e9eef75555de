#include <contrail/edge/udp_batch.hpp>

#include <algorithm>
#include <array>
#include <cerrno>

#include <contrail/sim/assert.hpp>
#include <contrail/wire/wire_limits.hpp>

#ifdef __linux__
#include <netinet/in.h>
#include <sys/socket.h>
#endif

namespace contrail::server {

#ifdef __linux__

namespace {

constexpr std::size_t k_batch = 64;  // datagrams

}  // namespace

struct UdpBatch::Slots {
  std::array<std::array<std::uint8_t, wire::k_max_datagram_bytes>, k_batch> bytes;
  std::array<sockaddr_in6, k_batch> names;  // or a sockaddr_in in front
  std::array<iovec, k_batch> parts;
  std::array<mmsghdr, k_batch> messages;
};

bool UdpBatch::supported() {
  return true;
}

bool UdpBatch::add(const wire::Address& to, std::span<const std::uint8_t> datagram,
                   bool v6_socket) {
  sim::require(datagram.size() <= wire::k_max_datagram_bytes, "a datagram has at most 1,200 bytes");
  if (count_ == k_batch) return false;
  Slots& slots = *slots_;
  const std::size_t i = count_++;
  std::copy(datagram.begin(), datagram.end(), slots.bytes[i].begin());
  slots.parts[i] = {slots.bytes[i].data(), datagram.size()};
  mmsghdr& message = slots.messages[i];
  message = {};
  message.msg_hdr.msg_iov = &slots.parts[i];
  message.msg_hdr.msg_iovlen = 1;
  message.msg_hdr.msg_name = &slots.names[i];
  if (v6_socket) {
    sockaddr_in6 name{};
    name.sin6_family = AF_INET6;
    name.sin6_port = htons(to.port);
    std::copy(to.ip.begin(), to.ip.end(), std::begin(name.sin6_addr.s6_addr));
    slots.names[i] = name;
    message.msg_hdr.msg_namelen = sizeof name;
  } else {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(to.port);
    std::copy_n(to.ip.begin() + 12, 4, reinterpret_cast<std::uint8_t*>(&name.sin_addr));
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&name), sizeof name,
                reinterpret_cast<std::uint8_t*>(&slots.names[i]));
    message.msg_hdr.msg_namelen = sizeof name;
  }
  return true;
}

void UdpBatch::flush(int socket, UdpStatistics& statistics) {
  for (std::size_t at = 0; at < count_;) {
    const int sent = ::sendmmsg(socket, slots_->messages.data() + at,
                                static_cast<unsigned>(count_ - at), MSG_NOSIGNAL);
    if (sent > 0) {
      statistics.sent += static_cast<std::uint64_t>(sent);
      at += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      statistics.send_would_block += count_ - at;
      break;
    } else if (errno != EINTR) {
      ++statistics.send_errors;  // of the first one left
      ++at;
    }
  }
  count_ = 0;
}

#else

struct UdpBatch::Slots {};

bool UdpBatch::supported() {
  return false;
}

bool UdpBatch::add(const wire::Address&, std::span<const std::uint8_t>, bool) {
  return false;
}

void UdpBatch::flush(int, UdpStatistics&) {}

#endif

UdpBatch::UdpBatch() : slots_(std::make_unique<Slots>()) {}
UdpBatch::~UdpBatch() = default;

}  // namespace contrail::server
