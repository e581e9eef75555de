// contrail-fuzz --target=NAME [libFuzzer's options and paths]
// contrail-fuzz --list                    targets: name, weight, most bytes of an input
// contrail-fuzz --target=NAME --outcomes FILE...   what becomes of each

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include <contrail/fuzz/target.hpp>

namespace {

using contrail::fuzz::Bytes;
using contrail::fuzz::Target;

constexpr const char* k_variable = "CONTRAIL_FUZZ_TARGET";  // libFuzzer's own child processes

const Target* g_target = nullptr;

[[noreturn]] void usage(const std::string& what) {
  std::fprintf(stderr, "contrail-fuzz: %s\ntargets:", what.c_str());
  for (const Target& target : contrail::fuzz::targets()) {
    std::fprintf(stderr, " %s", std::string(target.name).c_str());
  }
  std::fprintf(stderr, "\n");
  std::exit(2);
}

void list() {
  for (const Target& target : contrail::fuzz::targets()) {
    std::printf("%s %d %zu\n", std::string(target.name).c_str(), target.weight, target.max_bytes);
  }
}

void print_outcome(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::printf("%s %zu %s\n", word_of(g_target->run(bytes)).c_str(), bytes.size(), path);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const char* inherited = std::getenv(k_variable);
  std::string name = inherited != nullptr ? inherited : "";
  bool outcomes = false;
  int kept = 1;
  for (int i = 1; i < *count; ++i) {
    const std::string argument = (*arguments)[i];
    if (argument == "--list") {
      list();
      std::exit(0);
    }
    if (argument == "--outcomes") {
      outcomes = true;
    } else if (argument.starts_with("--target=")) {
      name = argument.substr(9);
    } else {
      (*arguments)[kept++] = (*arguments)[i];
    }
  }
  *count = kept;
  g_target = contrail::fuzz::find_target(name);
  if (g_target == nullptr) usage("no target '" + name + "'");
  setenv(k_variable, name.c_str(), 1);
  if (outcomes) {
    for (int i = 1; i < kept; ++i) print_outcome((*arguments)[i]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    g_target->run({data, size});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "contrail-fuzz: %s: %s\n", std::string(g_target->name).c_str(),
                 error.what());
    std::abort();
  }
  return 0;
}
