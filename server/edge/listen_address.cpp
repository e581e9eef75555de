#include <charconv>

#include <asio/ip/address.hpp>

#include <contrail/edge/listen_address.hpp>

namespace contrail::server {

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view port = text.substr(colon + 1);
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";

  ListenAddress address;
  const auto [end, fault] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (fault != std::errc() || end != port.data() + port.size() || port.empty()) return std::nullopt;
  asio::error_code error;
  const asio::ip::address numeric = asio::ip::make_address(std::string(host), error);
  if (error || numeric.is_v6() != bracketed) return std::nullopt;
  address.host = numeric.to_string();
  return address;
}

std::string to_string(const ListenAddress& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

bool is_loopback(const ListenAddress& address) {
  asio::error_code error;
  const asio::ip::address numeric = asio::ip::make_address(address.host, error);
  if (error) return false;
  if (numeric.is_v6() && numeric.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, numeric.to_v6()).is_loopback();
  }
  return numeric.is_loopback();
}

}  // namespace contrail::server
