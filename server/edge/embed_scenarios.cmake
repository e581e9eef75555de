# cmake -D OUTPUT=FILE -D SCENARIOS=a.toml,b.toml -P embed_scenarios.cmake
#
# Writes builtin_scenarios.cpp from scenario files, so that a built-in can't differ from its file.
string(REPLACE "," ";" files "${SCENARIOS}")
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made from server/scenarios by embed_scenarios.cmake.
#include <contrail/edge/builtin_scenarios.hpp>

namespace contrail::server {

namespace {
constexpr BuiltinScenario k_scenarios[] = {
${entries}};
}  // namespace

std::span<const BuiltinScenario> builtin_scenarios() { return k_scenarios; }

}  // namespace contrail::server
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
