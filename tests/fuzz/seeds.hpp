#pragma once

// The part of the corpus that is made: valid inputs of every target, taken from played sessions and
// from the codec's samples. The other part are refused inputs that fuzzing found.

#include <string>
#include <vector>

#include <contrail/wire/bytes.hpp>

namespace contrail::fuzz {

struct Seed {
  std::string target;
  std::string name;  // of its file, without .bin
  wire::Bytes bytes;
};

/// The same every time, on every machine.
std::vector<Seed> seeds();

// Parts of it, each by a file of its own.
std::vector<Seed> codec_seeds();      // the codec's messages
std::vector<Seed> transport_seeds();  // datagrams, and what is put together from them
std::vector<Seed> file_seeds();       // recordings and texts

}  // namespace contrail::fuzz
