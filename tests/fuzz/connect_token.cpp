// Input: {whole u8}, then a pass, or with an odd first byte a whole token.

#include <contrail/fuzz/target.hpp>

#include <algorithm>

#include <contrail/wire/connect_token.hpp>

namespace contrail::fuzz {
namespace {

/// The pass with its sealed part sealed again, as if it had been the plain text.
Bytes sealed_again(ByteView pass, const wire::TokenFace& face, const wire::TokenKey& key,
                   wire::LongNonce& nonce) {
  const std::size_t head = 28 + 18 * face.addresses.size();
  const std::size_t begin = head + nonce.size();
  std::copy_n(pass.begin() + static_cast<std::ptrdiff_t>(head), nonce.size(), nonce.begin());
  Bytes associated(6 + head);
  wire::ByteWriter writer(associated);
  writer.u32(wire::k_protocol_magic);
  writer.u16(wire::k_version_major);
  writer.bytes(pass.first(head));
  Bytes out(pass.begin(), pass.end());
  seal_letter(key.key, nonce, associated,
              pass.subspan(begin, pass.size() - begin - wire::k_authenticator_bytes),
              std::span(out).subspan(begin));
  return out;
}

}  // namespace

Outcome run_connect_token(ByteView input) {
  Parameters parameters(input);
  const bool whole = parameters.reader.u8() % 2 == 1;
  const ExactCopy copy(parameters.rest());
  ByteView bytes = copy.view();
  wire::TokenFace sentinel;
  sentinel.key_id = 77;
  wire::TokenFace face = sentinel;
  const wire::TokenForm form = read_face(bytes, whole, face);
  const auto split = wire::split_token(bytes);
  if (form != wire::TokenForm::good) {
    check(face == sentinel, "a refused face changed the output");
    return {false, describe(form), {}};
  }
  if (whole) {
    check(split.has_value(), "a whole token has two parts");
    bytes = bytes.first(bytes.size() - wire::k_key_bytes);
    check(std::equal(bytes.begin(), bytes.end(), split->pass.begin(), split->pass.end()),
          "the first part is the pass");
  }
  check(bytes.size() <= wire::k_max_token_bytes, "a pass fits the hello");

  const wire::TokenKey key{face.key_id, {}};
  wire::TokenGrant grant;
  grant.account = 77;
  Bytes pass(bytes.begin(), bytes.end());
  wire::LongNonce nonce{};
  if (!open_pass(bytes, key, grant)) {
    check(grant.account == 77, "a refused pass changed the output");
    pass = sealed_again(bytes, face, key, nonce);
    if (!open_pass(pass, key, grant)) {
      check(grant.account == 77, "a refused pass changed the output");
      return {false, "grant", {}};
    }
  } else {
    sealed_again(bytes, face, key, nonce);  // for its nonce
  }
  const Bytes issued = issue_token(face, grant, key, nonce);
  check(issued.size() == pass.size() + wire::k_key_bytes &&
            std::equal(pass.begin(), pass.end(), issued.begin()),
        "an accepted pass is issued with other bytes");
  return k_accepted;
}

}  // namespace contrail::fuzz
