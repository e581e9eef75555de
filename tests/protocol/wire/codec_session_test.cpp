#include <functional>
#include <limits>
#include <string>

#include <contrail_generated.h>
#include <gtest/gtest.h>
#include <contrail/sim/assert.hpp>

#include "codec_samples.hpp"

namespace contrail::wire {
namespace {

using samples::Dice;

std::string field_of(const CodecResult& result) {
  return std::string(describe(result.error)) + ": " + result.field;
}

TEST(CodecSession, RandomHeadersComeBackEqual) {
  const std::uint64_t seed = samples::test_seed(20'004);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  for (int i = 0; i < samples::repetitions(1'000); ++i) {
    const SessionHeader header = samples::random_header(dice);
    const CodecResult check = check_scenario(header.scenario);
    ASSERT_TRUE(check) << field_of(check);
    const Bytes bytes = encode_session_header(header);
    SessionHeader back;
    const CodecResult result = decode_session_header(bytes, back);
    ASSERT_TRUE(result) << field_of(result);
    ASSERT_EQ(back, header);
    ASSERT_EQ(encode_session_header(back), bytes);
  }
}

/// A scenario in which every cross-reference exists.
sim::Scenario full_scenario() {
  sim::Scenario s;
  s.name = "full";
  sim::Weapon w;
  w.name = "dart";
  w.speed = 409'600;
  w.max_range = 4'096'000;
  w.ripple_interval = 1'000;
  s.weapons.push_back(w);
  sim::EntityType t;
  t.name = "ship";
  t.hull.push_back({{0, 0, 0}, {0, 0, 4096}, 4096});
  t.mounts.push_back({"nose", {0, 0, 0}, {}});
  t.launchers.push_back({"tube", 0, 0, 8, sim::Trigger::command, 100, 0, 0, -sim::k_one});
  s.types.push_back(t);
  s.routes.push_back({"loop", {0, 0, 0}, {0, 0, 0}, {{3, {0, 0, 0}, {0, 0, 0}}}, true});
  sim::EntityPlan plan;
  plan.name = "one";
  plan.route = 0;
  s.entities.push_back(plan);
  return s;
}

using Change = std::function<void(sim::Scenario&)>;
std::string answer(const Change& change) {
  sim::Scenario s = full_scenario();
  change(s);
  return field_of(check_scenario(s));
}

TEST(CodecSession, EveryRangeOfAWeaponIsChecked) {
  using S = sim::Scenario;
  const auto weapon = [](auto member, auto value) {
    return answer([=](S& s) { s.weapons[0].*member = value; });
  };
  using W = sim::Weapon;
  EXPECT_EQ(answer([](S&) {}), "no error: ");
  EXPECT_EQ(weapon(&W::noise, static_cast<sim::NoiseKind>(2)),
            "a value out of range: weapons.noise");
  EXPECT_EQ(weapon(&W::muzzle_cone, sim::Cone{16'384, 16'385}),
            "a value out of range: weapons.muzzle_cone");
  EXPECT_EQ(weapon(&W::muzzle_cone, sim::Cone{0, 16'383}),
            "a value out of range: weapons.muzzle_cone");
  EXPECT_EQ(weapon(&W::approach_cone, sim::Cone{1, 1}),
            "a value out of range: weapons.approach_cone");
  EXPECT_EQ(weapon(&W::muzzle_handle, 65'537), "a value out of range: weapons.muzzle_handle");
  EXPECT_EQ(weapon(&W::approach_handle, -1), "a value out of range: weapons.approach_handle");
  EXPECT_EQ(weapon(&W::amplitude, k_max_amplitude + 1), "a value out of range: weapons.amplitude");
  EXPECT_EQ(weapon(&W::speed, sim::k_max_speed + 1), "a value out of range: weapons.speed");
  EXPECT_EQ(weapon(&W::speed, 0), "a value out of range: weapons.flight_time");
  EXPECT_EQ(weapon(&W::flight_time, k_max_flight_time + 1),
            "a value out of range: weapons.flight_time");
  EXPECT_EQ(weapon(&W::flight_time, -1), "a value out of range: weapons.flight_time");
  EXPECT_EQ(weapon(&W::frequency, -1), "a value out of range: weapons.frequency");
  EXPECT_EQ(weapon(&W::ripple_interval, 32'769), "a value out of range: weapons.ripple_interval");
  EXPECT_EQ(weapon(&W::radius, sim::k_max_hull_radius + 1), "a value out of range: weapons.radius");
  EXPECT_EQ(weapon(&W::min_range, -1), "a value out of range: weapons.min_range");
  EXPECT_EQ(weapon(&W::min_range, 4'096'001), "a value out of range: weapons.max_range");
  EXPECT_EQ(weapon(&W::max_extra_speed, -1), "a value out of range: weapons.max_extra_speed");
  EXPECT_EQ(weapon(&W::max_extra_acceleration, -1),
            "a value out of range: weapons.max_extra_acceleration");
  EXPECT_EQ(weapon(&W::max_displacement, -1), "a value out of range: weapons.max_displacement");
  EXPECT_EQ(weapon(&W::fuse_radius, sim::k_max_hull_radius + 1),
            "a value out of range: weapons.fuse_radius");
  EXPECT_EQ(weapon(&W::blast_radius, k_max_blast + 1),
            "a value out of range: weapons.blast_radius");
  EXPECT_EQ(weapon(&W::seeker_range, -1), "a value out of range: weapons.seeker_range");
  EXPECT_EQ(weapon(&W::seeker_cone, sim::k_one + 1), "a value out of range: weapons.seeker_cone");
  EXPECT_EQ(weapon(&W::lock_time, sim::k_max_lock_time + 1),
            "a value out of range: weapons.lock_time");
  EXPECT_EQ(weapon(&W::self_destruct, -1), "a value out of range: weapons.self_destruct");
}

TEST(CodecSession, NoiseHasAtMostHalfACellAPieceAndAQuarterWithPerlin) {
  sim::Weapon w;
  w.speed = 1;
  EXPECT_EQ(max_frequency(w), 4 << 16);  // pieces of 1/8 s
  w.noise = sim::NoiseKind::perlin;
  EXPECT_EQ(max_frequency(w), 2 << 16);
  w.speed = 0;
  w.flight_time = 65'536;  // pieces of 1/16 s
  EXPECT_EQ(max_frequency(w), 4 << 16);
  w.flight_time = 256;  // pieces of 1/256 s
  EXPECT_EQ(max_frequency(w), 64 << 16);
  w.noise = sim::NoiseKind::bspline;
  EXPECT_EQ(max_frequency(w), 128 << 16);
  EXPECT_EQ(answer([](sim::Scenario& s) { s.weapons[0].frequency = 4 << 16; }), "no error: ");
  EXPECT_EQ(answer([](sim::Scenario& s) { s.weapons[0].frequency = (4 << 16) + 1; }),
            "a value out of range: weapons.frequency");
}

TEST(CodecSession, EveryRangeOfATypeIsChecked) {
  using S = sim::Scenario;
  const auto part = [](sim::HullPart p) { return answer([=](S& s) { s.types[0].hull[0] = p; }); };
  constexpr std::int32_t k_edge = 1 << 21;
  constexpr std::int32_t k_lowest = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(part({{k_edge, -k_edge, 0}, {-2 * k_edge, 0, 0}, k_edge}), "no error: ");
  EXPECT_EQ(part({{k_edge + 1, 0, 0}, {0, 0, 0}, 1}), "a value out of range: types.hull.a");
  EXPECT_EQ(part({{k_edge, 0, 0}, {1, 0, 0}, 1}), "a value out of range: types.hull.d");
  EXPECT_EQ(part({{-1, 0, 0}, {k_lowest, 0, 0}, 1}), "a value out of range: types.hull.d");
  EXPECT_EQ(part({{0, 0, 0}, {0, 0, 0}, k_edge + 1}), "a value out of range: types.hull.radius");
  EXPECT_EQ(part({{0, 0, 0}, {0, 0, 0}, -1}), "a value out of range: types.hull.radius");
  EXPECT_EQ(answer([](S& s) { s.types[0].hull.clear(); }), "a field is missing: types.hull");
  EXPECT_EQ(answer([](S& s) { s.types[0].hull.resize(9); }),
            "more elements than the limit: types.hull");
  EXPECT_EQ(answer([](S& s) { s.types[0].hit_points = 0; }),
            "a value out of range: types.hit_points");
  EXPECT_EQ(answer([](S& s) { s.types[0].max_speed = -1; }),
            "a value out of range: types.max_speed");
  EXPECT_EQ(answer([](S& s) { s.types[0].max_acceleration = k_max_acceleration + 1; }),
            "a value out of range: types.max_acceleration");
  const auto basis = [](sim::Vec3 forward, sim::Vec3 up) {
    return answer([=](S& s) { s.types[0].mounts[0].orientation = {forward, up}; });
  };
  EXPECT_EQ(basis({sim::k_one, 0, 0}, {0, 0, -sim::k_one}), "no error: ");
  EXPECT_EQ(basis({sim::k_one, 0, 0}, {sim::k_one, 0, 0}),
            "a value out of range: types.mounts.orientation");
  EXPECT_EQ(basis({0, 0, 0}, {0, sim::k_one, 0}), "a value out of range: types.mounts.orientation");
  EXPECT_EQ(basis({k_lowest, k_lowest, k_lowest}, {k_lowest, k_lowest, k_lowest}),
            "a value out of range: types.mounts.orientation");
  EXPECT_EQ(answer([](S& s) { s.types[0].mounts[0].offset.y = k_edge + 1; }),
            "a value out of range: types.mounts.offset");
}

TEST(CodecSession, EveryRangeOfDecoysDispensersAndObstaclesIsChecked) {
  using S = sim::Scenario;
  const auto type = [](auto member, auto value) {
    return answer([=](S& s) { s.types[0].*member = value; });
  };
  using T = sim::EntityType;
  EXPECT_EQ(type(&T::decoy_chance, 65'537), "a value out of range: types.decoy_chance");
  EXPECT_EQ(type(&T::decoy_range, -1), "a value out of range: types.decoy_range");
  EXPECT_EQ(type(&T::lifetime, sim::Subtick{-1}), "a value out of range: types.lifetime");
  sim::Dispenser good;
  good.count = 8;
  good.reload = 1;
  const auto dispenser = [&](auto member, auto value) {
    return answer([=](S& s) {
      s.types[0].dispenser = good;
      s.types[0].dispenser.*member = value;
    });
  };
  using D = sim::Dispenser;
  EXPECT_EQ(type(&T::dispenser, good), "no error: ");
  EXPECT_EQ(dispenser(&D::count, std::uint8_t{0}), "a value out of range: types.dispenser.count");
  EXPECT_EQ(dispenser(&D::count, std::uint8_t{9}), "a value out of range: types.dispenser.count");
  EXPECT_EQ(dispenser(&D::type, std::uint8_t{1}),
            "an index to something that is not there: types.dispenser.type");
  EXPECT_EQ(dispenser(&D::reload, sim::Subtick{0}), "a value out of range: types.dispenser.reload");
  EXPECT_EQ(dispenser(&D::velocity, sim::Vec3{0, 0, sim::k_max_speed + 1}),
            "a value out of range: types.dispenser.velocity");
  EXPECT_EQ(dispenser(&D::trigger, static_cast<sim::DispenserTrigger>(2)),
            "a value out of range: types.dispenser.trigger");
  EXPECT_EQ(dispenser(&D::warning, sim::Subtick{-1}),
            "a value out of range: types.dispenser.warning");

  const auto obstacle = [](sim::HullPart p) { return answer([=](S& s) { s.obstacles = {p}; }); };
  constexpr std::int32_t k_edge = sim::k_world_limit;
  EXPECT_EQ(obstacle({{k_edge, 0, -k_edge}, {-(1 << 22), 0, 1 << 22}, 4096}), "no error: ");
  EXPECT_EQ(obstacle({{k_edge + 1, 0, 0}, {0, 0, 0}, 1}), "a value out of range: obstacles.a");
  EXPECT_EQ(obstacle({{k_edge, 0, 0}, {1, 0, 0}, 1}), "a value out of range: obstacles.d");
  EXPECT_EQ(obstacle({{0, 0, 0}, {(1 << 22) + 1, 0, 0}, 1}), "a value out of range: obstacles.d");
  EXPECT_EQ(obstacle({{0, 0, 0}, {0, 0, 0}, -1}), "a value out of range: obstacles.radius");
  EXPECT_EQ(answer([](S& s) { s.obstacles.resize(1025); }),
            "more elements than the limit: obstacles");
  EXPECT_EQ(answer([](S& s) { s.rules = "\n"; }),
            "a name too long, not UTF-8 or with control characters: rules");
}

TEST(CodecSession, EveryReferenceOfAScenarioIsChecked) {
  using S = sim::Scenario;
  const auto launcher = [](auto member, auto value) {
    return answer([=](S& s) { s.types[0].launchers[0].*member = value; });
  };
  using L = sim::Launcher;
  EXPECT_EQ(launcher(&L::mount, std::uint8_t{1}),
            "an index to something that is not there: types.launchers.mount");
  EXPECT_EQ(launcher(&L::weapon, std::uint8_t{1}),
            "an index to something that is not there: types.launchers.weapon");
  EXPECT_EQ(launcher(&L::salvo, std::uint8_t{0}), "a value out of range: types.launchers.salvo");
  EXPECT_EQ(launcher(&L::salvo, std::uint8_t{33}), "no error: ");  // 32 * 1000 <= 32768
  EXPECT_EQ(launcher(&L::salvo, std::uint8_t{34}), "a value out of range: types.launchers.salvo");
  EXPECT_EQ(launcher(&L::trigger, static_cast<sim::Trigger>(3)),
            "a value out of range: types.launchers.trigger");
  EXPECT_EQ(launcher(&L::reload, k_max_wait + 1), "a value out of range: types.launchers.reload");
  EXPECT_EQ(launcher(&L::first, -1), "a value out of range: types.launchers.first");
  EXPECT_EQ(launcher(&L::arc, -sim::k_one - 1), "a value out of range: types.launchers.arc");
  EXPECT_EQ(answer([](S& s) { s.entities[0].type = 1; }),
            "an index to something that is not there: entities.type");
  EXPECT_EQ(answer([](S& s) { s.entities[0].route = 1; }),
            "an index to something that is not there: entities.route");
  EXPECT_EQ(answer([](S& s) { s.entities[0].route = sim::k_no_route; }), "no error: ");
  EXPECT_EQ(answer([](S& s) { s.entities[0].spawn_tick = 0; }),
            "a value out of range: entities.spawn_tick");
  EXPECT_EQ(answer([](S& s) { s.entities[0].attitude.w = 0; }),
            "a value out of range: entities.attitude");
  EXPECT_EQ(answer([](S& s) { s.routes[0].keys.clear(); }), "a field is missing: routes.keys");
  EXPECT_EQ(answer([](S& s) { s.routes[0].keys[0].log2_ticks = 10; }),
            "a value out of range: routes.keys.log2_ticks");
  EXPECT_EQ(answer([](S& s) { s.routes[0].keys.resize(k_max_route_keys + 1); }),
            "more elements than the limit: routes.keys");
  EXPECT_EQ(answer([](S& s) { s.log2_tick = 14; }), "a value out of range: log2_tick");
  EXPECT_EQ(answer([](S& s) { s.log2_tick = 8; }), "a value out of range: log2_tick");
  EXPECT_EQ(answer([](S& s) { s.weapons.resize(257); }), "more elements than the limit: weapons");
  EXPECT_EQ(answer([](S& s) { s.ground = sim::k_world_limit + 1; }),
            "a value out of range: ground");
}

TEST(CodecSession, NamesAreShortUtf8WithoutControls) {
  const auto name = [](const std::string& text) {
    return answer([&](sim::Scenario& s) { s.weapons[0].name = text; });
  };
  const std::string bad = "a name too long, not UTF-8 or with control characters: weapons.name";
  for (const char* good : {"", "plain", "M\xC3\xB6we", "\xE7\xBC\xB6", "\xF0\x9F\x9A\x80"}) {
    EXPECT_EQ(name(good), "no error: ") << good;
  }
  EXPECT_EQ(name(std::string(64, 'x')), "no error: ");
  EXPECT_EQ(name(std::string(65, 'x')), bad);
  for (const char* text :
       {"a\nb", "\x7F", "\xC2\x85", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF", "\x80"}) {
    EXPECT_EQ(name(text), bad) << text;
  }
  EXPECT_EQ(name(std::string("a\0b", 3)), bad);
}

TEST(CodecSession, AnotherMajorVersionIsRefused) {
  Dice dice(1);
  flatbuffers::FlatBufferBuilder b;
  const auto table = fb::CreateSessionHeader(b, k_version_major + 1);
  b.Finish(table, "CTSH");
  SessionHeader out;
  EXPECT_EQ(field_of(decode_session_header({b.GetBufferPointer(), b.GetSize()}, out)),
            "a value out of range: version_major");
}

TEST(CodecSession, ManyRoutesOnOneVectorOfKeysDoNotExhaustMemory) {
  flatbuffers::FlatBufferBuilder b;
  const std::vector<fb::RouteKey> keys(10'000);
  const auto key_vector = b.CreateVectorOfStructs(keys.data(), keys.size());
  const auto name = b.CreateString("r");
  const fb::Vec3 zero(0, 0, 0);
  const std::vector<flatbuffers::Offset<fb::Route>> routes(
      4'000, fb::CreateRoute(b, name, &zero, &zero, key_vector, false));
  const auto route_vector = b.CreateVector(routes);
  const auto weapons = b.CreateVector(std::vector<flatbuffers::Offset<fb::Weapon>>{});
  const auto types = b.CreateVector(std::vector<flatbuffers::Offset<fb::EntityType>>{});
  const auto scenario = fb::CreateScenario(b, name, 0, 0, 11, 0, weapons, types, route_vector, 0);
  b.Finish(fb::CreateSessionHeader(b, 0, 0, 0, 0, 0, 0, 0, scenario), "CTSH");
  SessionHeader out;
  EXPECT_EQ(field_of(decode_session_header({b.GetBufferPointer(), b.GetSize()}, out)),
            "more elements than the limit: routes.keys");
}

TEST(CodecSession, TheEncoderAssertsTheScenario) {
  SessionHeader header;
  header.scenario = full_scenario();
  EXPECT_NO_THROW(encode_session_header(header));
  header.scenario.types[0].hull[0].radius = -1;
  EXPECT_THROW(encode_session_header(header), sim::AssertionFailure);
}

}  // namespace
}  // namespace contrail::wire
