#pragma once

// Batch targets as test parameters.

#include <gtest/gtest.h>

#include <contrail/sim/batch/batch_target.hpp>
#include <string>

namespace contrail::test {

inline std::string target_test_name(const testing::TestParamInfo<sim::BatchTarget>& info) {
  return sim::batch_target_name(info.param);
}

}  // namespace contrail::test
