#pragma once

// From the tree of a scenario file to a draft: keys, types, units and ranges.

#include <string>

#include <contrail/edge/config_problem.hpp>
#include <contrail/edge/scenario_draft.hpp>
#include <contrail/edge/table_reader.hpp>
#include <contrail/edge/toml_document.hpp>

namespace contrail::server {

/// The file's content. Problems are added; values they concern are harmless ones.
ScenarioDraft read_scenario(const TomlNode& root, const std::string& fallback_name,
                            ConfigProblems& problems);

/// Parts of it, each one table of the file. `number` counts the tables of a kind from 1.
WeaponDraft read_weapon(const TomlNode& table, std::size_t number, ConfigProblems& problems);
TypeDraft read_type(const TomlNode& table, std::size_t number, ConfigProblems& problems);
sim::HullPart read_obstacle(const TomlNode& table, std::size_t number, ConfigProblems& problems);
RouteDraft read_route(const TomlNode& table, std::size_t number, ConfigProblems& problems);
EntityDraft read_entity(const TomlNode& table, std::size_t number, int log2_tick,
                        ConfigProblems& problems);

/// "weapon[wasp]" for a table with a name, else "weapon[#2]".
std::string table_path(const char* kind, const TomlNode& table, std::size_t number);
/// The same inside of another table: "type[ship].mount[bow]".
std::string item_path(const TableReader& parent, const char* kind, const TomlNode& table,
                      std::size_t number);

}  // namespace contrail::server
