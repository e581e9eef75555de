#include <algorithm>

#include <nlohmann/json.hpp>

#include <contrail/edge/config.hpp>

namespace contrail::server {

namespace {

Setting* find_setting(ServerConfig& config, const char* name) {
  const auto found = std::find_if(config.settings.begin(), config.settings.end(),
                                  [name](const Setting& s) { return s.name == name; });
  return found == config.settings.end() ? nullptr : &*found;
}

}  // namespace

const char* describe(SettingOrigin origin) {
  switch (origin) {
    case SettingOrigin::standard:
      return "default";
    case SettingOrigin::environment:
      return "environment";
    case SettingOrigin::flag:
      return "flag";
  }
  return "unknown";
}

std::string reconcile(ServerConfig& config) {
  Setting* const listen = find_setting(config, "listen");
  const bool chosen = listen != nullptr && listen->origin != SettingOrigin::standard;
  if (config.insecure && !config.insecure_public && !chosen) {
    config.listen.host = "127.0.0.1";
    if (listen != nullptr) listen->value = to_string(config.listen);
  }
  if (config.mode != ServerMode::run || config.unpaced) return "";
  const bool anybody = config.insecure || config.insecure_public;
  if (!anybody && config.token_key_files.empty()) {
    return "nobody could join: give the key that connect tokens are sealed with, --token-key-file "
           "(contrail-token keygen makes one), or let anybody in with --insecure (loopback only) "
           "or --insecure-public (a network you trust), or play without clients with --unpaced";
  }
  if (anybody && !config.token_key_files.empty()) {
    return "--token-key-file asks every client for a token and --insecure lets anybody in: choose "
           "one";
  }
  if (config.insecure && !config.insecure_public && !is_loopback(config.listen)) {
    return "--insecure admits anybody and is for the loopback only, but --listen is " +
           to_string(config.listen) +
           ": listen on 127.0.0.1 or [::1], or say --insecure-public "
           "on a network you trust";
  }
  return "";
}

std::string print_settings(const ServerConfig& config) {
  if (config.json) {
    nlohmann::ordered_json out;
    for (const Setting& s : config.settings) {
      out[s.name] = {{"value", s.value}, {"from", describe(s.origin)}};
    }
    return out.dump() + "\n";
  }
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Setting& s : config.settings) {
    name_width = std::max(name_width, s.name.size());
    value_width = std::max(value_width, s.value.size());
  }
  std::string text;
  for (const Setting& s : config.settings) {
    text += s.name + std::string(name_width + 2 - s.name.size(), ' ');
    text += s.value + std::string(value_width + 2 - s.value.size(), ' ');
    text += std::string(describe(s.origin)) + "\n";
  }
  return text;
}

}  // namespace contrail::server
