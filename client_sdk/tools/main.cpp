// contrail-client: follows a session as a game would, and checks that it computes what the server
// computes. Logs on stderr, results on stdout.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "follower.hpp"
#include "options.hpp"
#include "summary.hpp"

namespace {

using namespace contrail;
using namespace contrail::client_tool;

volatile std::sig_atomic_t g_signal = 0;

extern "C" void on_signal(int number) {
  if (g_signal != 0) std::_Exit(128 + number);  // asked twice: at once
  g_signal = number;
  std::signal(number, on_signal);
}

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void print_log_lines(std::vector<Follower>& followers) {
  client::LogLine line;
  std::string last;
  for (std::size_t i = 0; i < followers.size(); ++i) {
    while (followers[i].next_log_line(line)) {
      // Of a load, the first connection speaks for all while nothing is wrong, or the same.
      if (i > 0 && (line.level == client::LogLevel::info || line.text == last)) continue;
      std::fprintf(stderr, "contrail-client: %s\n", line.text.c_str());
      last = line.text;
    }
  }
}

void print_status(const std::vector<Follower>& followers) {
  const Follower& first = followers.front();
  const client::Statistics statistics = first.client().statistics();
  const auto live = std::count_if(followers.begin(), followers.end(),
                                  [](const Follower& follower) { return follower.live(); });
  std::fprintf(
      stderr,
      "contrail-client: %s t=%.2fs live=%d/%zu entities=%zu missiles=%zu launches=%llu "
      "impacts=%llu hashes=%llu/%llu rtt=%.2fms delay=%.0fms in=%llukB\n",
      client::describe(first.client().state()), first.client().render_seconds(),
      static_cast<int>(live), followers.size(), first.sightings().entities,
      first.sightings().missiles, static_cast<unsigned long long>(statistics.log.launches),
      static_cast<unsigned long long>(statistics.log.impacts),
      static_cast<unsigned long long>(statistics.log.hash_checks - statistics.log.hash_mismatches),
      static_cast<unsigned long long>(statistics.log.hash_checks),
      static_cast<double>(statistics.round_trip) / 1e6,
      static_cast<double>(statistics.render_delay) / 1e6,
      static_cast<unsigned long long>(statistics.bytes_in / 1000));
}

/// Runs until a signal, until every connection is over, until --wait-first has passed without one
/// going live, or for --duration after the first one did. The time it took.
double follow(const Options& options, std::vector<Follower>& followers) {
  // A load needs no more frames than prompt acknowledgements do.
  const auto frame = std::chrono::milliseconds(followers.size() > 8 ? 12 : 4);
  constexpr double k_status_seconds = 1.0;
  const Stopwatch watch;
  double live_since = -1.0;
  double next_status = k_status_seconds;
  while (g_signal == 0) {
    const double now = watch.seconds();
    bool running = false;
    for (Follower& follower : followers) {
      follower.frame(now);
      running = running || follower.running();
      if (follower.live() && live_since < 0.0) live_since = now;
    }
    print_log_lines(followers);
    if (!running) break;
    if (options.wait_first > 0.0 && live_since < 0.0 && now >= options.wait_first) break;
    if (options.duration > 0.0 && live_since >= 0.0 && now - live_since >= options.duration) break;
    if (!options.quiet && now >= next_status) {
      next_status = now + k_status_seconds;
      print_status(followers);
    }
    std::this_thread::sleep_for(frame);
  }
  for (Follower& follower : followers) {
    if (live_since < 0.0 && g_signal == 0) {
      follower.give_up();
    } else {
      follower.leave();
    }
  }
  print_log_lines(followers);
  return watch.seconds();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  const auto parsed = parse_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const Options& options = std::get<Options>(parsed);

  std::vector<Follower> followers;
  followers.reserve(static_cast<std::size_t>(options.count));
  for (int i = 0; i < options.count; ++i) {
    followers.emplace_back(options, i == 0);
    followers.back().connect();
  }
  const double seconds = follow(options, followers);
  const Summary summary = summarize(followers, seconds);
  std::fputs(options.json ? (to_json(summary) + "\n").c_str() : to_text(summary).c_str(), stdout);
  std::fflush(stdout);
  return exit_code(summary);
}
