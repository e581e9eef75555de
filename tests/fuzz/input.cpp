// Input: the bytes of an input, as recordings hold them.

#include <contrail/fuzz/target.hpp>

#include <contrail/wire/codec.hpp>

namespace contrail::fuzz {

Outcome run_input(ByteView input) {
  wire::Input sentinel;
  sentinel.tick = 77;
  wire::Input decoded;
  return check_canonical(
      input, sentinel,
      [](ByteView view, wire::Input& out) { return wire::decode_input(view, out); },
      [](const wire::Input& value) { return wire::encode_input(value); }, decoded);
}

}  // namespace contrail::fuzz
