#pragma once

// From the two ends' key pairs and the secret they share to the keys of a connection. The pattern
// is Noise's NNpsk0: both ends make a key pair for this connection alone, and mix in the secret of
// the client's token or resume ticket, or 32 zero bytes where a server admits clients without one.

#include <span>

#include <contrail/wire/crypto.hpp>

namespace contrail::wire {

struct ConnectionKeys {
  Key client_to_server;
  Key server_to_client;
  Key welcome;  // seals the welcome, and nothing else
  Key resume;   // shared secret of a later connection by a resume ticket
};

/// Hash of everything both ends have said. `hello`: the 1,200 bytes of the client's hello with its
/// cookie taken out, which is the first hello as it was sent; `server` the server's public key.
Digest transcript_hash(std::span<const std::uint8_t> hello, const PublicKey& server);

/// `shared`: of the X25519 exchange; `secret`: of token or ticket.
ConnectionKeys derive_connection_keys(const Key& shared, const Key& secret,
                                      const Digest& transcript);

}  // namespace contrail::wire
