// Input: the text of an operator's key file.

#include <contrail/fuzz/target.hpp>

#include <contrail/edge/token_key_file.hpp>

namespace contrail::fuzz {

Outcome run_token_key(ByteView input) {
  const ExactCopy copy(input);
  const std::string_view text(reinterpret_cast<const char*>(copy.view().data()), input.size());
  const auto key = server::parse_token_key(text);
  if (!key) return {false, {}, {}};
  const std::string written = server::token_key_text(*key);
  const auto again = server::parse_token_key(written);
  check(again && again->id == key->id && again->key == key->key, "a key is read as it is written");
  return k_accepted;
}

}  // namespace contrail::fuzz
