#include "core_report.hpp"

#include <algorithm>
#include <cstdio>

namespace contrail::bench {
namespace {

struct GroupText {
  Group group;
  const char* key;    // in JSON
  const char* title;  // what a figure is
};
constexpr GroupText k_groups[] = {
    {Group::compile, "compile", "Compiling a flight of 59 pieces"},
    {Group::position, "position", "A position with homing, pieces in place"},
    {Group::windows, "windows", "A position tick after tick (32 Hz), pieces computed as they come"},
    {Group::flights, "flights", "A position tick after tick (32 Hz), flights kept whole"},
    {Group::motion, "motion", "Position, velocity and orientation of a missile, 60 Hz"},
    {Group::trail, "trail", "A point of smoke, 64 points a missile 1/16 s apart"},
};

const Figure* find(const std::vector<Figure>& figures, Group group, const std::string& how,
                   int missiles) {
  const auto at = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) {
    return f.group == group && f.how == how && f.missiles == missiles;
  });
  return at == figures.end() ? nullptr : &*at;
}

/// 12345 as 12,345.
std::string grouped(int number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      text += ',';
    }
    text += digits[i];
  }
  return text;
}

template <typename T, typename Get>
std::vector<T> distinct(const std::vector<Figure>& figures, Group group, Get get) {
  std::vector<T> values;
  for (const Figure& f : figures) {
    if (f.group == group && std::find(values.begin(), values.end(), get(f)) == values.end()) {
      values.push_back(get(f));
    }
  }
  return values;
}

/// Bar and verdict, and how many times faster than the float versions at as many missiles.
void print_remarks(const std::vector<Figure>& figures, const Figure& f) {
  if (f.bar > 0) {
    std::printf("   bar %s: %s", grouped(static_cast<int>(f.bar)).c_str(),
                f.timing.best <= f.bar ? "met" : "MISSED");
  }
  const Figure* curves = find(figures, f.group, k_textbook_curves, f.missiles);
  const Figure* pursuit = find(figures, f.group, k_textbook_pursuit, f.missiles);
  if (curves != nullptr && pursuit != nullptr && curves != &f && pursuit != &f) {
    std::printf("   x%.1f float curves, x%.1f pursuit", curves->timing.best / f.timing.best,
                pursuit->timing.best / f.timing.best);
  }
}

void print_group(const std::vector<Figure>& figures, const GroupText& text) {
  const auto hows =
      distinct<std::string>(figures, text.group, [](const Figure& f) { return f.how; });
  auto counts = distinct<int>(figures, text.group, [](const Figure& f) { return f.missiles; });
  if (hows.empty()) {
    return;
  }
  std::sort(counts.begin(), counts.end());
  // Remarks are on the count that has bars, or the first.
  const int remarked =
      std::find(counts.begin(), counts.end(), 10'000) != counts.end() ? 10'000 : counts.front();
  std::printf("\n%s, ns%s\n", text.title,
              text.group == Group::position ? " (right: at 10,000; x: times as fast as)" : "");
  if (counts.front() != 0) {
    std::printf("  %-34s", "missiles");
    for (const int count : counts) {
      std::printf("%11s", grouped(count).c_str());
    }
    std::printf("\n");
  }
  for (const std::string& how : hows) {
    std::printf("  %-34s", how.c_str());
    for (const int count : counts) {
      const Figure* f = find(figures, text.group, how, count);
      if (f == nullptr) {
        std::printf("%11s", "-");
      } else if (f->timing.best >= 1'000) {
        std::printf("%11s", grouped(static_cast<int>(f->timing.best + 0.5)).c_str());
      } else {
        std::printf("%11.1f", f->timing.best);
      }
    }
    const Figure* f = find(figures, text.group, how, remarked);
    if (f != nullptr) {
      print_remarks(figures, *f);
    }
    std::printf("\n");
  }
}

}  // namespace

void print_core_table(const std::vector<Figure>& figures, const CoreRun& run) {
  std::printf("fingerprint %s, fastest lanes here %s\n", run.fingerprint.c_str(),
              run.fastest.c_str());
  std::printf(
      "CPU time of one thread, best run of many. This moment: %.2f GHz, %.1f additions a "
      "cycle%s\n",
      run.machine.gigahertz, run.machine.adds_per_cycle,
      run.machine.adds_per_cycle < 4.8 ? " (other work disturbs: figures are too high)" : "");
  for (const GroupText& text : k_groups) {
    print_group(figures, text);
  }
}

void print_core_json(const std::vector<Figure>& figures, const CoreRun& run) {
  std::printf(
      "{\"bench\":\"core\",\"fingerprint\":\"%s\",\"lanes\":\"%s\",\"gigahertz\":%.3f,"
      "\"adds_per_cycle\":%.2f,\"figures\":[",
      run.fingerprint.c_str(), run.fastest.c_str(), run.machine.gigahertz,
      run.machine.adds_per_cycle);
  const char* comma = "";
  for (const Figure& f : figures) {
    const auto* text = std::find_if(std::begin(k_groups), std::end(k_groups),
                                    [&](const GroupText& t) { return t.group == f.group; });
    std::printf(
        "%s{\"what\":\"%s\",\"how\":\"%s\",\"missiles\":%d,\"best_ns\":%.3f,"
        "\"median_ns\":%.3f",
        comma, text->key, f.how.c_str(), f.missiles, f.timing.best, f.timing.median);
    if (f.bar > 0) {
      std::printf(",\"bar_ns\":%.0f", f.bar);
    }
    if (const Figure* curves = find(figures, f.group, k_textbook_curves, f.missiles)) {
      std::printf(",\"float_curves_ratio\":%.3f", curves->timing.best / f.timing.best);
    }
    if (const Figure* pursuit = find(figures, f.group, k_textbook_pursuit, f.missiles)) {
      std::printf(",\"float_pursuit_ratio\":%.3f", pursuit->timing.best / f.timing.best);
    }
    std::printf("}");
    comma = ",";
  }
  std::printf("]}\n");
}

}  // namespace contrail::bench
