#pragma once

// The operator's keys on disk. A key file is one line of text:
//
//   contrail-token-key 1 KEYID KEY
//
// with the key's number in 8 and its bytes in 64 hex digits. Only its owner should be able to read
// it; what writes it makes it so.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <contrail/wire/connect_token.hpp>

namespace contrail::server {

std::string token_key_text(const wire::TokenKey& key);
/// Nothing for any other text.
std::optional<wire::TokenKey> parse_token_key(std::string_view text);

struct ReadTokenKey {
  std::optional<wire::TokenKey> key;
  std::string problem;           // why there is none, with what would be right
  bool others_may_read = false;  // the file is open to more than its owner
};
ReadTokenKey read_token_key_file(const std::string& path);

/// Creates a file that only its owner can read. Empty, or why it can't be; a file that is there
/// already is left alone.
std::string write_secret_file(const std::string& path, wire::ByteView bytes);

}  // namespace contrail::server
