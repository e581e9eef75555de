#include <cstdio>
#include <iostream>
#include <string>

#include <contrail/replay/command_line.hpp>
#include <contrail/replay/export_vectors.hpp>
#include <contrail/replay/info.hpp>
#include <contrail/replay/recorded_session.hpp>
#include <contrail/replay/report.hpp>
#include <contrail/replay/state_at.hpp>
#include <contrail/replay/verify.hpp>

namespace {

using namespace contrail::server;

void print(std::FILE* to, const std::string& text) {
  std::fputs(text.c_str(), to);
}

// The result goes to stdout; what went wrong also to stderr.
int finish(const ReplayOptions& options, ExitCode exit_code, const std::string& text,
           const std::string& json, const std::string& problem) {
  if (options.json) {
    print(stdout, json + "\n");
  } else if (problem.empty()) {
    print(stdout, text);
  }
  if (!problem.empty()) {
    print(stderr, "contrail-replay: " + problem + "\n");
  }
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return written ? static_cast<int>(exit_code) : static_cast<int>(ExitCode::failure);
}

int run(const ReplayOptions& options) {
  RecordedSession session;
  if (!session.open(options.file)) {
    const std::string json = json_of_error(options.file, ExitCode::failure, session.error());
    return finish(options, ExitCode::failure, "", json, session.error());
  }
  switch (options.command) {
    case ReplayCommand::info: {
      const RecordingInfo result = info(session, options.check);
      // Also of a damaged recording everything that is known is worth showing.
      if (!options.json) {
        print(stdout, text_of(session, result));
      }
      return finish(options, result.exit_code, "", json_of(session, result), result.fault);
    }
    case ReplayCommand::verify: {
      const VerifyResult result = verify(session);
      const bool equal = result.exit_code == ExitCode::ok;
      return finish(options, result.exit_code, text_of(result), json_of(session, result),
                    equal ? "" : result.message);
    }
    case ReplayCommand::hash: {
      const std::uint32_t tick = options.tick.value_or(session.reader().last_tick());
      const StateAt state = state_at(session, tick, !options.from_start);
      return finish(options, state.exit_code, text_of(state), json_of(session, state),
                    state.message);
    }
    case ReplayCommand::export_vectors: {
      const ExportResult result = export_vectors(session, options.times, options.seed, std::cout);
      std::cout.flush();
      return finish(options, result.exit_code, "", "", result.message);
    }
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace

int main(int argc, char** argv) {
  const contrail::server::ParsedReplayCommand parsed =
      contrail::server::parse_replay_command(argc, argv);
  return parsed.options ? run(*parsed.options) : static_cast<int>(parsed.exit_code);
}
