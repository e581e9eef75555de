# Writes OUTPUT, a C++ source with the schema TEXT and its compiled form BINARY as constants.
# Run as: cmake -DTEXT=... -DBINARY=... -DOUTPUT=... -P embed_schema.cmake
function(byte_list file out)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

byte_list(${TEXT} text)
byte_list(${BINARY} binary)
file(WRITE ${OUTPUT} "// Generated from the schema; do not edit.
#include <contrail/wire/codec.hpp>

namespace contrail::wire {
namespace {

constexpr unsigned char k_text[] = {
${text}
};
constexpr unsigned char k_binary[] = {
${binary}
};

}  // namespace

std::string_view schema_text() {
  return {reinterpret_cast<const char*>(k_text), sizeof(k_text)};
}
ByteView schema_binary() { return k_binary; }

}  // namespace contrail::wire
")
