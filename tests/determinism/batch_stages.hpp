#pragma once

#include "battery.hpp"

namespace contrail::battery {

void batch_stages(Stages& stages);
std::string batch_target_list();

}  // namespace contrail::battery
