#include <contrail/replay/command_line.hpp>

#include <iostream>

#include <CLI/CLI.hpp>

namespace contrail::server {
namespace {

constexpr const char* k_footer =
    R"(Results go to stdout, messages to stderr. With --json the last line of stdout is one JSON object.

Exit codes:
  0  done, or equal
  1  the recording can't be read, is damaged, or was made by incompatible arithmetic
  2  the command line is wrong
  3  done, but the recording was never closed: its end may be missing
  4  compared, and different: the message names tick and field

Examples:
  contrail-replay info game.mcap --check
  contrail-replay verify game.mcap
  contrail-replay hash game.mcap --at 640
  contrail-replay export --vectors game.mcap >game.jsonl)";

}  // namespace

ParsedReplayCommand parse_replay_command(int argc, const char* const* argv) {
  ReplayOptions options;
  CLI::App app{
      "Reads contrail's session recordings: what is in them, whether they are intact, "
      "and whether playing them again gives the same log to the last bit."};
  app.name("contrail-replay");
  app.footer(k_footer);
  app.set_version_flag("--version", std::string("contrail-replay " CONTRAIL_VERSION));
  app.require_subcommand(1);

  const auto add = [&](ReplayCommand command, const char* name, const char* about) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->add_option("FILE", options.file, "The recording")->required();
    sub->add_flag("--json", options.json, "End with one JSON object");
    sub->callback([&options, command] { options.command = command; });
    return sub;
  };
  add(ReplayCommand::info, "info", "Say what the recording holds")
      ->add_flag("--check", options.check,
                 "Verify every byte: all CRCs, and every index against what it indexes");
  add(ReplayCommand::verify, "verify",
      "Play the match again from the recorded header and inputs, and compare every record's bytes");
  CLI::App* hash = add(ReplayCommand::hash, "hash", "The hash of the state after a tick");
  hash->add_option("--at", options.tick, "The tick (default: the last one)")->type_name("TICK");
  hash->add_flag("--from-start", options.from_start,
                 "Fold from the first record, not from the nearest snapshot");
  CLI::App* vectors = app.add_subcommand(
      "export", "Write the log as JSON, a line a record, for other implementations to check with");
  vectors->add_option("FILE", options.file, "The recording")->required();
  vectors
      ->add_flag("--vectors", options.vectors,
                 "With the positions of all missiles in flight at random times")
      ->required();
  vectors->add_option("--times", options.times, "How many times (1000)");
  vectors->add_option("--seed", options.seed, "Which times (1)");
  vectors->callback([&options] { options.command = ReplayCommand::export_vectors; });

  ParsedReplayCommand parsed;
  try {
    app.parse(argc, argv);
    parsed.options = options;
  } catch (const CLI::ParseError& error) {
    // app.exit prints: help and version to stdout with 0, everything else to stderr.
    parsed.exit_code = app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  return parsed;
}

}  // namespace contrail::server
