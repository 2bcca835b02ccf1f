#include <cmath>
#include <string>

#include "app/config/sections.hpp"
#include "app/config/yaml_text.hpp"
#include "app/files/cache_folder.hpp"

#include "app/config/steady_config.hpp"

namespace cardiowarp {

void visit_steady(KeyVisitor& keys, SteadyConfig& steady) {
  constexpr int most_beats = 100'000;
  constexpr Real most_ms = 86'400'000;  // a day of beats is up to an hour of work for each kind of cell
  const YamlReader* const in = keys.reading();
  if (in) steady.place = in->label();
  keys.whole_number({"beats", "How many beats; a day of them at most.", required}, steady.beats, 1, most_beats);
  keys.number({"period", "The time from beat to beat.", required, "at least `duration`"}, steady.period_ms,
              time_quantity, positive);
  keys.number({"amplitude", "Of the pulse that begins each beat; a positive one depolarizes."},
              steady.amplitude_mv_per_ms, potential_rate_quantity, any_number);
  keys.number({"duration", "How long the pulse lasts."}, steady.duration_ms, time_quantity, positive);
  if (in && steady.duration_ms > steady.period_ms)
    (*in)["period"].fail(yaml_number(steady.duration_ms) + " ms, the duration of the pulse, or more",
                         yaml_number(steady.period_ms) + " ms");
  if (in && steady.beats * steady.period_ms > most_ms)
    (*in)["beats"].fail("beats that take a day or less in all, at most " +
                            yaml_number(std::floor(most_ms / steady.period_ms)) + " of this period",
                        std::to_string(steady.beats));
  keys.special(
      {"cache", "The folder in which states are kept for later runs.",
       "`cardiowarp/cells` in `$XDG_CACHE_HOME` or `~/.cache`"},
      {.kind = KeyKind::path},
      [&](const YamlReader& cache) {
        const std::string usual = cache_folder("cells");
        if (usual.empty() && !cache.present())
          cache.fail("the path of a directory, as neither $XDG_CACHE_HOME nor $HOME says where one is", "nothing");
        steady.cache = cache.path("the path of a directory", usual);
      },
      [&] { return yaml_path(steady.cache); });
}

}  // namespace cardiowarp
