#pragma once

#include <optional>
#include <string>

#include <contrail/sim/records.hpp>

namespace contrail::server {

/// One field in which two records differ.
struct RecordDifference {
  std::string field;     // "launches[0].seed"
  std::string recorded;  // its value, or "absent" for an element only one side has
  std::string played;
  bool operator==(const RecordDifference&) const = default;
};

/// The first differing field in the order of the fold, or nothing when the records are equal. An
/// element that only one side has counts after the common ones of its vector.
std::optional<RecordDifference> first_difference(const sim::TickRecord& recorded,
                                                 const sim::TickRecord& played);

}  // namespace contrail::server
