// What clients cost: a server and hundreds of them over loopback, in real time.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <contrail/edge/scenario_file.hpp>
#include <contrail/flow/match.hpp>

#include "net_clients.hpp"
#include "net_server.hpp"
#include "report.hpp"

namespace {

using namespace contrail;

constexpr double k_settle_seconds = 3;
constexpr double k_join_seconds = 20;
constexpr std::size_t k_pilots = 32;

/// The circus with enough ships to fly and launchers that reload so fast that about 50 salvos
/// start in a second.
std::shared_ptr<const sim::Scenario> busy_circus(std::vector<std::uint16_t>& ships) {
  const server::LoadedScenario loaded = server::load_scenario("circus");
  if (!loaded.scenario) {
    std::fprintf(stderr, "bench: %s\n", loaded.problems.c_str());
    return nullptr;
  }
  auto out = std::make_shared<sim::Scenario>(*loaded.scenario);
  constexpr sim::Subtick k_faster = 18;
  for (sim::EntityType& type : out->types) {
    if (!type.is_decoy()) type.hit_points = 65'535;
    for (sim::Launcher& launcher : type.launchers) {
      launcher.reload = std::max<sim::Subtick>(launcher.reload / k_faster, 1);
      launcher.ammunition = sim::k_unlimited;
    }
  }
  const auto flown = [&](const sim::EntityPlan& plan) {
    const auto& launchers = out->types[plan.type].launchers;
    return std::any_of(launchers.begin(), launchers.end(), [](const sim::Launcher& launcher) {
      return launcher.trigger == sim::Trigger::command;
    });
  };
  for (std::size_t i = 0; i < out->entities.size(); ++i) {
    if (flown(out->entities[i])) ships.push_back(static_cast<std::uint16_t>(i));
  }
  // Ships without launchers of their own keep the number of salvos.
  sim::EntityType hull = out->types[out->entities[ships.front()].type];
  hull.name = "flown";
  hull.launchers.erase(std::remove_if(hull.launchers.begin(), hull.launchers.end(),
                                      [](const sim::Launcher& launcher) {
                                        return launcher.trigger != sim::Trigger::command;
                                      }),
                       hull.launchers.end());
  out->types.push_back(hull);
  while (ships.size() < k_pilots) {
    const auto n = static_cast<std::int32_t>(ships.size());
    sim::EntityPlan plan = out->entities[ships[static_cast<std::size_t>(n) % 2]];
    plan.name = "flown " + std::to_string(n);
    plan.type = static_cast<std::uint8_t>(out->types.size() - 1);
    plan.route = sim::k_no_route;
    plan.position = {n * 200 * sim::k_units_per_metre, 600 * sim::k_units_per_metre, 0};
    plan.velocity = {0, 0, 50 * sim::k_units_per_metre};
    ships.push_back(static_cast<std::uint16_t>(out->entities.size()));
    out->entities.push_back(plan);
  }
  return out;
}

/// CPU seconds a tick of the same match takes without anybody listening.
double play_alone(const std::shared_ptr<const sim::Scenario>& scenario, int ticks) {
  server::Match match(scenario);
  for (int i = 0; i < 128; ++i) match.step();
  const double start = bench::thread_seconds();
  for (int i = 0; i < ticks; ++i) match.step();
  return (bench::thread_seconds() - start) / ticks;
}

bool wait_until_live(const bench::NetClients& clients, std::size_t count) {
  const wire::Nanoseconds give_up =
      bench::steady_now() + static_cast<wire::Nanoseconds>(k_join_seconds * 1e9);
  while (clients.live() < count && bench::steady_now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return clients.live() == count;
}

double milliseconds(const std::vector<wire::Nanoseconds>& sorted, std::size_t percent) {
  if (sorted.empty()) return 0;
  return static_cast<double>(sorted[(sorted.size() - 1) * percent / 100]) / 1e6;
}

bool run(const std::shared_ptr<const sim::Scenario>& scenario,
         const std::vector<std::uint16_t>& ships, std::size_t count, std::size_t pilots,
         double seconds) {
  bench::NetServer server(scenario, 1024);
  if (!server.start()) return false;
  bench::NetClients clients(server, count, pilots, ships);
  clients.start();
  if (!wait_until_live(clients, count)) {
    std::fprintf(stderr, "bench: of %zu clients %zu are live\n", count, clients.live());
    return false;
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(k_settle_seconds));
  clients.watch(true);
  const std::uint64_t commands = clients.commands();
  const bench::ServerCost cost = server.measure(seconds);
  const std::uint64_t commanded = clients.commands() - commands;
  clients.watch(false);
  const auto recorded = server.record(seconds / 3);
  const double floor = bench::bare_sends(recorded, wire::tick_nanoseconds(scenario->log2_tick));
  std::size_t floor_datagrams = 0;
  for (const auto& tick : recorded) floor_datagrams += tick.datagrams.size();
  const std::size_t lost = clients.lost();
  clients.stop();
  server.stop();
  const auto arrivals = clients.arrivals();

  const double floor_seconds = floor_datagrams == 0
                                   ? 0
                                   : floor / static_cast<double>(floor_datagrams) *
                                         static_cast<double>(cost.network.datagrams_sent);
  const auto per_second = [&](std::uint64_t n) { return static_cast<double>(n) / cost.wall; };
  const auto share = [&](double s) { return 100 * s / cost.wall; };
  std::printf(
      "%7zu %6zu %8.1f %9.0f %9.1f %7.1f %7.1f %7.1f %7.1f %8.2f %8.2f %9.0f %9.2f %8.2f %8.2f\n",
      count, pilots, per_second(cost.salvos),
      static_cast<double>(cost.missile_ticks) /
          static_cast<double>(std::max<std::uint64_t>(1, cost.ticks)),
      share(cost.cpu), share(cost.play), share(cost.send), share(cost.receive),
      share(floor_seconds), cost.cpu / floor_seconds, cost.send / floor_seconds,
      per_second(cost.network.datagrams_sent), per_second(cost.network.bytes_sent) / 1e6,
      milliseconds(arrivals.delays, 50), milliseconds(arrivals.delays, 99));
  if (pilots > 0) {
    std::printf("        %.0f commands a second, %.1f each\n", per_second(commanded),
                per_second(commanded) / static_cast<double>(pilots));
  }
  if (lost != 0 || cost.network.left[0] != 0) std::printf("        %zu clients lost\n", lost);
  std::fflush(stdout);
  return lost == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const double seconds = quick ? 4 : 12;
  std::vector<std::uint16_t> ships;
  const auto scenario = busy_circus(ships);
  if (!scenario) return 1;
  std::printf(
      "The circus, its launchers reloading 18 times as fast, over loopback; %.0f s a row.\n"
      "CPU of the server's thread in %% of a core: all, playing the match, sealing and sending,\n"
      "reading. floor: as many datagrams by bare send calls, those of a stretch right after. "
      "Launch to client in ms, from the\n"
      "client in ms, from the end of the launching tick. The match alone: %.1f %% of a core.\n\n",
      seconds,
      100 * play_alone(scenario, quick ? 128 : 384) /
          (static_cast<double>(scenario->tick_length()) /
           static_cast<double>(sim::k_subticks_per_second)));
  std::printf("%7s %6s %8s %9s %9s %7s %7s %7s %7s %8s %8s %9s %9s %8s %8s\n", "clients", "pilots",
              "salvos/s", "missiles", "CPU %", "play", "send", "receive", "floor", "/floor",
              "send/fl", "packets/s", "MB/s", "p50", "p99");
  bool good = true;
  for (const std::size_t count : {1, 16, 64, 256}) {
    good = run(scenario, ships, count, 0, seconds) && good;
  }
  good = run(scenario, ships, 256, k_pilots, seconds) && good;
  return good ? 0 : 1;
}
