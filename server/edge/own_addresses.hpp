#pragma once

#include <cstdint>
#include <vector>

#include <contrail/edge/listen_address.hpp>
#include <contrail/wire/address.hpp>

namespace contrail::server {

/// As clients and tokens write it; nothing when the host is not numeric.
std::vector<wire::Address> wire_addresses(const ListenAddress& address);
/// Under which addresses a socket bound to this one is reached without a translation in between:
/// itself, or with :: or 0.0.0.0 those of the machine's interfaces.
std::vector<wire::Address> own_addresses(const ListenAddress& bound);

}  // namespace contrail::server
