#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/config/override.hpp"
#include "app/study/run_outcome.hpp"

namespace cardiowarp {

struct Config;

// Many runs of one YAML file that differ in some keys, each a process of its own and a folder of its own, several at a
// time. `sweep`, `erp` and `restitution` are made of it. A run gives the bits that `cardiowarp run` gives by hand.

/// The common part of the runs of a study.
struct Study {
  std::filesystem::path file;
  std::vector<Override> settings = {};  ///< of all runs
  std::filesystem::path folder;         ///< that holds the folders of the runs
  std::optional<int> jobs = {};         ///< runs at a time; absent: usual_jobs()
  bool resume = false;                  ///< completed runs of the same inputs are kept, ended ones go on
};

struct StudyRun {
  std::string name;  ///< of its folder
  std::vector<Override> settings;
};

struct StudyResult {
  int exit_code = 0;
  bool was_kept = false;              ///< it was completed before
  std::string reason = {};            ///< why it is not completed
  std::optional<RunOutcome> outcome;  ///< as far as the run has written one
};

/// The configuration of a run. Throws InputError for a key or value that the YAML file could not have.
Config configuration_of(const Study& study, const StudyRun& run);

/// How many runs are made at a time where nobody says it: one on a GPU, else as many as there are threads.
int usual_jobs(const Config& config);

/// Makes the runs; `ended` is told each one's number and result on this thread, in the order in which they end.
/// Warnings of a run are in `folder`/NAME.log; `folder`/NAME.inputs says what it was made of, by which --resume knows
/// it. The folder is locked meanwhile. False where a signal has ended it early: runs that were going on then have
/// checkpoints. Throws InputError, before anything is run, for a configuration that is none, and where another study
/// uses the folder.
bool make_runs(const Study& study, const std::vector<StudyRun>& runs,
               const std::function<void(std::size_t run, const StudyResult& result)>& ended);

}  // namespace cardiowarp
