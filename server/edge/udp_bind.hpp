#pragma once

// Which families to listen on.

#include <cstdint>
#include <system_error>

#include <asio/error.hpp>
#include <asio/ip/address.hpp>

namespace contrail::server {

/// This machine has no such family: no IPv6 in the kernel, or none switched on.
inline bool no_such_family(const asio::error_code& error) {
  return error == std::errc::address_family_not_supported ||
         error == std::errc::address_not_available || error == std::errc::protocol_not_supported;
}

struct Bound {
  asio::error_code error;
  bool dual_stack = false;
};

/// Binds `host` with `open_at(address, dual)`, the library's or a test's. "::" means both families,
/// and IPv4 alone where there is no IPv6; any other error is an error.
template <class OpenAt>
Bound bind_families(const asio::ip::address& host, const OpenAt& open_at) {
  const bool any = host.is_v6() && host.is_unspecified();
  Bound out;
  out.error = open_at(host, any);
  out.dual_stack = any && !out.error;
  if (any && no_such_family(out.error)) out.error = open_at(asio::ip::address_v4::any(), false);
  return out;
}

}  // namespace contrail::server
