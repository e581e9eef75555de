#include <contrail/edge/own_addresses.hpp>

#include <algorithm>

#include <asio/ip/address.hpp>

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace contrail::server {

namespace {

wire::Address to_wire(const asio::ip::address& address, std::uint16_t port) {
  const asio::ip::address_v6 v6 =
      address.is_v6() ? address.to_v6()
                      : asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4());
  const auto bytes = v6.to_bytes();
  wire::Address out;
  std::copy(bytes.begin(), bytes.end(), out.ip.begin());
  out.port = port;
  return out;
}

}  // namespace

std::vector<wire::Address> wire_addresses(const ListenAddress& address) {
  asio::error_code error;
  const asio::ip::address numeric = asio::ip::make_address(address.host, error);
  if (error) return {};
  return {to_wire(numeric, address.port)};
}

std::vector<wire::Address> own_addresses(const ListenAddress& bound) {
  asio::error_code error;
  const asio::ip::address numeric = asio::ip::make_address(bound.host, error);
  if (error) return {};
  if (!numeric.is_unspecified()) return {to_wire(numeric, bound.port)};
  std::vector<wire::Address> out;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return out;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (one->ifa_addr->sa_family == AF_INET) {
      const auto* v4 = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      out.push_back(to_wire(asio::ip::address_v4(ntohl(v4->sin_addr.s_addr)), bound.port));
    } else if (one->ifa_addr->sa_family == AF_INET6 && numeric.is_v6()) {
      const auto* v6 = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      asio::ip::address_v6::bytes_type bytes;
      std::copy_n(v6->sin6_addr.s6_addr, bytes.size(), bytes.begin());
      out.push_back(to_wire(asio::ip::address_v6(bytes), bound.port));
    }
  }
  ::freeifaddrs(all);
  return out;
}

}  // namespace contrail::server
