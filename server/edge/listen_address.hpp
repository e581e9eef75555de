#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace contrail::server {

/// Where the server listens.
struct ListenAddress {
  std::string host = "::";    // numeric; "::" = every address of the machine
  std::uint16_t port = 7777;  // 0: any free one
  bool operator==(const ListenAddress&) const = default;
};

/// "127.0.0.1:7777", "[::1]:7777", "[::]:0" or "localhost:7777"; nothing for any other text.
std::optional<ListenAddress> parse_listen_address(std::string_view text);
/// The same text again: "127.0.0.1:7777" or "[::1]:7777".
std::string to_string(const ListenAddress& address);
/// Reachable from this machine only.
bool is_loopback(const ListenAddress& address);

}  // namespace contrail::server
