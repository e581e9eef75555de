// contrail-token: makes operator keys and connect tokens, and shows what a token says. What is
// secret goes into files that only their owner can read, and nowhere else. Results on stdout.

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <contrail/edge/decimal.hpp>
#include <contrail/edge/hex.hpp>
#include <contrail/edge/own_addresses.hpp>
#include <contrail/edge/token_key_file.hpp>
#include <contrail/edge/udp_endpoint.hpp>
#include <contrail/wire/connect_token.hpp>

namespace contrail::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr int k_ok = 0;
constexpr int k_failure = 1;
constexpr int k_usage_error = 2;

const std::map<std::string, wire::Role> k_roles{{"spectator", wire::Role::spectator},
                                                {"pilot", wire::Role::pilot},
                                                {"director", wire::Role::director}};

struct Options {
  std::string out;
  std::string key_id;
  std::string key_file;
  std::string token_file;
  std::string user_data_file;
  std::string expires = "60s";
  std::uint64_t account = 0;
  std::uint16_t timeout = 0;
  wire::Role role = wire::Role::spectator;
  std::vector<std::uint16_t> entities;
  std::vector<std::string> servers;
};

int fail(const std::string& what, int code = k_failure) {
  std::fprintf(stderr, "contrail-token: %s\n", what.c_str());
  return code;
}

int print(const Json& json) {
  return std::puts(json.dump().c_str()) >= 0 && std::fflush(stdout) == 0 ? k_ok : k_failure;
}

std::string hex32(std::uint32_t value) {
  return hex64(value).substr(8);
}

std::optional<wire::Bytes> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return wire::Bytes(std::istreambuf_iterator<char>(file), {});
}

wire::UnixMilliseconds unix_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

int keygen(const Options& options) {
  wire::TokenKey key;
  wire::fill_from_system(key.key.bytes());
  if (options.key_id.empty()) {
    std::array<std::uint8_t, 4> id{};
    wire::fill_from_system(id);
    for (const std::uint8_t byte : id) key.id = key.id << 8U | byte;
  } else {
    std::size_t used = 0;
    try {
      const unsigned long id = std::stoul(options.key_id, &used, 16);
      if (used != options.key_id.size() || id > 0xFFFF'FFFFUL) used = 0;
      key.id = static_cast<std::uint32_t>(id);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0) {
      return fail("--id \"" + options.key_id + "\" is not 1 to 8 hex digits", k_usage_error);
    }
  }
  std::string text = token_key_text(key);
  const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(text.data()), text.size());
  const std::string problem = write_secret_file(options.out, bytes);
  wire::secure_wipe(bytes);
  if (!problem.empty()) return fail(problem);
  return print({{"key_id", hex32(key.id)}, {"file", options.out}});
}

/// What the face and grant are to be; empty, or what is wrong.
std::string fill(const Options& options, wire::TokenFace& face, wire::TokenGrant& grant) {
  const auto life = parse_duration(options.expires);
  const std::int64_t milliseconds = life ? *life * 1000 / sim::k_subticks_per_second : 0;
  if (milliseconds <= 0 || milliseconds > wire::k_longest_token_life) {
    return "--expires \"" + options.expires +
           "\": right would be more than 0 and at most 24h, as 60s";
  }
  face.created = unix_now();
  face.expires = face.created + milliseconds;
  face.timeout = options.timeout;
  for (const std::string& text : options.servers) {
    const auto address = parse_listen_address(text);
    if (!address || address->port == 0) {
      return "--server \"" + text +
             "\" is no numeric address with a port; right would be "
             "203.0.113.7:7777 or [2001:db8::7]:7777";
    }
    const auto addresses = wire_addresses(*address);
    face.addresses.insert(face.addresses.end(), addresses.begin(), addresses.end());
  }
  if (face.addresses.size() > wire::k_max_token_addresses)
    return "--server: a token names at most 8";
  if (options.entities.size() > wire::k_max_token_entities) {
    return "--entity: a token grants at most 8";
  }
  grant.account = options.account;
  grant.role = options.role;
  grant.entities = options.entities;
  wire::fill_from_system(grant.secret.bytes());
  if (options.user_data_file.empty()) return "";
  const auto data = read_file(options.user_data_file);
  if (!data) return "cannot read " + options.user_data_file;
  if (data->size() > wire::k_max_user_data_bytes) {
    return options.user_data_file + " holds " + std::to_string(data->size()) +
           " bytes; user data has at most " + std::to_string(wire::k_max_user_data_bytes);
  }
  grant.user_data = *data;
  return "";
}

Json face_json(const wire::TokenFace& face) {
  Json servers = Json::array();
  for (const wire::Address& address : face.addresses) servers.push_back(to_string(address));
  return {{"key_id", hex32(face.key_id)},
          {"created_unix_ms", face.created},
          {"expires_unix_ms", face.expires},
          {"timeout_s", face.timeout},
          {"servers", servers}};
}

int issue(const Options& options) {
  const ReadTokenKey key = read_token_key_file(options.key_file);
  if (!key.key) return fail(key.problem);
  wire::TokenFace face;
  face.key_id = key.key->id;
  wire::TokenGrant grant;
  const std::string wrong = fill(options, face, grant);
  if (!wrong.empty()) return fail(wrong, k_usage_error);
  wire::LongNonce nonce{};
  wire::fill_from_system(nonce);
  wire::Bytes token = wire::issue_token(face, grant, *key.key, nonce);
  const std::string problem = write_secret_file(options.out, token);
  wire::secure_wipe(token);
  if (!problem.empty()) return fail(problem);
  Json json = face_json(face);
  json["file"] = options.out;
  return print(json);
}

int inspect(const Options& options) {
  const auto token = read_file(options.token_file);
  if (!token) return fail("cannot read " + options.token_file);
  wire::TokenFace face;
  const wire::TokenForm form = wire::read_face(*token, true, face);
  if (form != wire::TokenForm::good) {
    return fail(options.token_file + " is " + wire::describe(form));
  }
  Json json = face_json(face);
  json["expired"] = unix_now() > face.expires;
  if (options.key_file.empty()) return print(json);
  const ReadTokenKey key = read_token_key_file(options.key_file);
  if (!key.key) return fail(key.problem);
  const auto split = wire::split_token(*token);
  wire::TokenGrant grant;
  if (!split || !wire::open_pass(split->pass, *key.key, grant)) {
    return fail(options.token_file + " is not sealed with the key in " + options.key_file +
                ", or was changed");
  }
  json["account"] = grant.account;
  json["role"] = wire::describe(grant.role);
  json["entities"] = grant.entities;
  json["user_data_bytes"] = grant.user_data.size();
  json["secret_matches"] = grant.secret == split->secret;
  return print(json);
}

void add_issue(CLI::App& command, Options& options) {
  command.add_option("--key", options.key_file, "Key file to seal with")->required();
  command.add_option("--out", options.out, "Token file to create, readable by its owner only")
      ->required();
  command.add_option("--account", options.account, "Who it is for, as your backend counts")
      ->capture_default_str();
  command.add_option("--role", options.role, "spectator, pilot or director: the most it allows")
      ->transform(CLI::CheckedTransformer(k_roles).description("{spectator,pilot,director}"))
      ->default_str("spectator");
  command.add_option("--entity", options.entities,
                     "Entity that a pilot may command; may be given again; none: any");
  command.add_option(
      "--server", options.servers,
      "Server it is for, as 203.0.113.7:7777; may be given again; none: every server "
      "with the key");
  command.add_option("--expires", options.expires, "How long it is good to join with, at most 24h")
      ->capture_default_str();
  command
      .add_option("--timeout", options.timeout,
                  "Seconds a client tries before it gives up; 0: its own choice")
      ->capture_default_str();
  command.add_option("--user-data", options.user_data_file,
                     "File with at most 256 bytes of the backend's own, sealed");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Makes operator keys and connect tokens for contrail servers.\n"
      "Secrets go into files that only their owner can read, never to the terminal.\n"
      "Each command prints one JSON object.\n"
      "Exit code: 0 done, 1 a file or its contents are wrong, 2 usage.",
      "contrail-token");
  app.require_subcommand(1);
  CLI::App* make_key = app.add_subcommand("keygen", "Make a key that seals tokens");
  make_key->add_option("--out", options.out, "Key file to create")->required();
  make_key->add_option("--id", options.key_id, "Its number in hex; default: random");
  CLI::App* make_token = app.add_subcommand("issue", "Issue a token");
  add_issue(*make_token, options);
  CLI::App* show = app.add_subcommand("inspect", "Show what a token says, without its secrets");
  show->add_option("token", options.token_file, "Token file")->required();
  show->add_option("--key", options.key_file, "Key file, to show the sealed part as well");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? k_ok : k_usage_error;
  }
  if (*make_key) return keygen(options);
  if (*make_token) return issue(options);
  return inspect(options);
}

}  // namespace

}  // namespace contrail::server

// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  return contrail::server::run(argc, argv);
}
