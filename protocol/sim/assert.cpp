#include <contrail/sim/assert.hpp>

#include <string>

namespace contrail::sim {

void assertion_failed(const char* contract, const char* file, int line) {
  throw AssertionFailure(std::string(file) + ":" + std::to_string(line) + ": expected that " +
                         contract);
}

}  // namespace contrail::sim
