#pragma once

// Worked numbers as they stand in a specification: each example in a fence of its own, whose info
// string is "worked NAME".

#include <string>
#include <vector>

namespace contrail::spec {

struct Example {
  std::string name;
  std::string text;  // the lines between the fences
  bool operator==(const Example&) const = default;
};

/// The examples a specification contains, in its order.
std::vector<Example> examples_in(const std::string& specification);

/// The specification with the text of every example replaced by that of the same name.
std::string with_examples(const std::string& specification, const std::vector<Example>& examples);

}  // namespace contrail::spec
