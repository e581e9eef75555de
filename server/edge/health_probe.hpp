#pragma once

#include <chrono>
#include <string>

#include <contrail/edge/listen_address.hpp>
#include <contrail/sim/fingerprint.hpp>

namespace contrail::server {

struct HealthAnswer {
  bool healthy = false;
  std::string text;  // what answered, or why nothing did
};

/// Says hello to the server that listens on `address` of this machine, as a client would, and waits
/// for any proper answer: what a container's health check runs. An address of every interface is
/// asked over the loopback. `fingerprint`: of this process. Opens a socket of its own; keeps no
/// connection.
HealthAnswer probe_health(const ListenAddress& address, const sim::Hash64& fingerprint,
                          std::chrono::milliseconds timeout = std::chrono::seconds(1));

}  // namespace contrail::server
