#include <contrail/edge/udp_endpoint.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#include <asio/ip/udp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/socket_base.hpp>

#include <contrail/edge/udp_batch.hpp>
#include <contrail/edge/udp_bind.hpp>
#include <contrail/edge/udp_drain.hpp>

#ifdef __linux__
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

namespace contrail::server {

namespace {

using asio::ip::udp;

constexpr int k_drain_cap = 512;

wire::Address from_endpoint(const udp::endpoint& endpoint) {
  wire::Address out;
  out.port = endpoint.port();
  const asio::ip::address address = endpoint.address();
  const asio::ip::address_v6 v6 =
      address.is_v6() ? address.to_v6()
                      : asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4());
  const auto bytes = v6.to_bytes();
  std::copy(bytes.begin(), bytes.end(), out.ip.begin());
  return out;
}

asio::ip::address_v6 to_v6(const wire::Address& address) {
  asio::ip::address_v6::bytes_type bytes;
  std::copy(address.ip.begin(), address.ip.end(), bytes.begin());
  return asio::ip::address_v6(bytes);
}

udp::endpoint to_endpoint(const wire::Address& address, bool v6_socket) {
  const asio::ip::address_v6 v6 = to_v6(address);
  if (!v6_socket && v6.is_v4_mapped()) {
    return {asio::ip::make_address_v4(asio::ip::v4_mapped, v6), address.port};
  }
  return {v6, address.port};
}

std::string endpoint_text(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

/// Datagrams are small enough for every path; the network must not split them all the same.
void forbid_fragmentation(udp::socket& socket) {
#ifdef __linux__
  const int v4 = IP_PMTUDISC_PROBE;
  const int v6 = IPV6_PMTUDISC_PROBE;
  // Whichever of the two the socket does not know fails, and that is all right.
  ::setsockopt(socket.native_handle(), IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof v4);
  ::setsockopt(socket.native_handle(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof v6);
#else
  (void)socket;
#endif
}

/// Datagrams the system dropped before anybody read them, since the socket was opened (mod 2^32).
std::uint32_t drops_of(udp::socket& socket) {
#if defined(__linux__) && defined(SO_MEMINFO)
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  socklen_t size = sizeof memory;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_MEMINFO, memory.data(), &size) == 0 &&
      size > SK_MEMINFO_DROPS * sizeof(std::uint32_t)) {
    return memory[SK_MEMINFO_DROPS];
  }
#else
  (void)socket;
#endif
  return 0;
}

}  // namespace

std::string to_string(const wire::Address& address) {
  const asio::ip::address_v6 v6 = to_v6(address);
  const std::string host = v6.is_v4_mapped()
                               ? asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string()
                               : v6.to_string();
  return endpoint_text(host, address.port);
}

struct UdpEndpoint::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(asio::io_context& context) : socket(context) {}

  asio::error_code open_at(const asio::ip::address& host, std::uint16_t port, bool dual);
  void wait();
  void count_drops();
  void on_readable(const asio::error_code& error);

  udp::socket socket;
  bool v6 = false;
  bool running = false;
  Receiver receiver;
  Drained drained;
  ReceiveBuffer buffer{};
  std::unique_ptr<UdpBatch> batch =  // none: every datagram by itself
      UdpBatch::supported() ? std::make_unique<UdpBatch>() : nullptr;
  std::uint32_t drops_seen = 0;
  UdpStatistics statistics;
};

asio::error_code UdpEndpoint::Impl::open_at(const asio::ip::address& host, std::uint16_t port,
                                            bool dual) {
  asio::error_code error;
  asio::error_code ignored;
  if (socket.is_open()) socket.close(ignored);
  v6 = host.is_v6();
  socket.open(v6 ? udp::v6() : udp::v4(), error);
  // Both families or one: never left to the system's default.
  if (!error && v6) socket.set_option(asio::ip::v6_only(!dual), error);
  if (!error) socket.non_blocking(true, error);
  // No reuse_address here: with it a second server would bind the same port without an error.
  if (!error) socket.bind({host, port}, error);
  if (error) socket.close(ignored);
  return error;
}

void UdpEndpoint::Impl::count_drops() {
  if (!socket.is_open()) return;
  const std::uint32_t drops = drops_of(socket);
  statistics.kernel_drops += static_cast<std::uint32_t>(drops - drops_seen);
  drops_seen = drops;
}

void UdpEndpoint::Impl::wait() {
  socket.async_wait(
      udp::socket::wait_read,
      [self = shared_from_this()](const asio::error_code& error) { self->on_readable(error); });
}

void UdpEndpoint::Impl::on_readable(const asio::error_code& error) {
  if (!running || error == asio::error::operation_aborted) return;
  if (error) {
    ++statistics.receive_errors;
  } else {
    drain_socket(socket, buffer, k_drain_cap, statistics,
                 [this](const udp::endpoint& from, std::span<const std::uint8_t> datagram) {
                   if (running) receiver(from_endpoint(from), datagram);
                 });
    if (running && drained) drained();
  }
  if (running) wait();
}

UdpEndpoint::UdpEndpoint(asio::io_context& context) : impl_(std::make_shared<Impl>(context)) {}

UdpEndpoint::~UdpEndpoint() {
  close();
}

UdpEndpoint::OpenResult UdpEndpoint::open(const std::string& host, std::uint16_t port,
                                          std::size_t receive_buffer) {
  OpenResult out;
  asio::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (error) {
    out.error = "cannot bind UDP " + endpoint_text(host, port) +
                ": the host must be a numeric IPv4 or IPv6 address";
    return out;
  }
  const Bound bound = bind_families(address, [&](const asio::ip::address& at, bool dual) {
    return impl_->open_at(at, port, dual);
  });
  error = bound.error;
  out.dual_stack = bound.dual_stack;
  if (error) {
    out.error = "cannot bind UDP " + endpoint_text(host, port) + ": " + error.message();
    return out;
  }
  const int wanted = static_cast<int>(std::min<std::size_t>(receive_buffer, 1U << 30));
  asio::error_code ignored;
  impl_->socket.set_option(asio::socket_base::receive_buffer_size(wanted), ignored);
  impl_->socket.set_option(asio::socket_base::send_buffer_size(wanted), ignored);
  forbid_fragmentation(impl_->socket);
  asio::socket_base::receive_buffer_size granted;
  impl_->socket.get_option(granted, ignored);
  out.receive_buffer = static_cast<std::size_t>(std::max(granted.value(), 0));
  impl_->drops_seen = 0;
  out.port = impl_->socket.local_endpoint(ignored).port();
  out.ok = true;
  return out;
}

void UdpEndpoint::start(Receiver receiver, Drained drained) {
  impl_->receiver = std::move(receiver);
  impl_->drained = std::move(drained);
  impl_->running = true;
  impl_->wait();
}

void UdpEndpoint::close() {
  impl_->running = false;
  flush();
  impl_->count_drops();
  asio::error_code ignored;
  if (impl_->socket.is_open()) impl_->socket.close(ignored);
}

void UdpEndpoint::send_singly() {
  flush();
  impl_->batch.reset();
}

void UdpEndpoint::flush() {
  if (impl_->batch && impl_->socket.is_open()) {
    impl_->batch->flush(static_cast<int>(impl_->socket.native_handle()), impl_->statistics);
  }
}

void UdpEndpoint::send(const wire::Address& to, std::span<const std::uint8_t> datagram) {
  // One that is too long is the system's to refuse.
  if (impl_->batch && datagram.size() <= wire::k_max_datagram_bytes) {
    if (impl_->batch->add(to, datagram, impl_->v6)) return;
    flush();
    impl_->batch->add(to, datagram, impl_->v6);
    return;
  }
  asio::error_code error;
  impl_->socket.send_to(asio::buffer(datagram.data(), datagram.size()), to_endpoint(to, impl_->v6),
                        0, error);
  if (!error) {
    ++impl_->statistics.sent;
  } else if (error == asio::error::would_block || error == asio::error::try_again) {
    ++impl_->statistics.send_would_block;
  } else {
    ++impl_->statistics.send_errors;
  }
}

const UdpStatistics& UdpEndpoint::statistics() const {
  impl_->count_drops();
  return impl_->statistics;
}

}  // namespace contrail::server
