#include "batch_stages.hpp"
namespace contrail::battery {
void batch_stages(Stages&) {}
std::string batch_target_list() {
  return "";
}
}  // namespace contrail::battery
