#include "seeds.hpp"

namespace contrail::fuzz {

std::vector<Seed> seeds() {
  std::vector<Seed> all = codec_seeds();
  for (const auto& part : {transport_seeds(), file_seeds()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace contrail::fuzz
