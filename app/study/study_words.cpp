#include "app/study/study_words.hpp"

#include <fmt/format.h>

#include "app/config/config.hpp"
#include "app/files/result_file.hpp"
#include "app/process/threads.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

void StudyWords::add_to(Command& command, const std::string& suffix) {
  suffix_ = suffix;
  words_.add_to(command);
  command.add_option("--output", output_, "Folder of all results (default: output.directory with " + suffix + ")",
                     {.type = "DIR"});
  command.add_option("--jobs", jobs_, "Runs at a time (default: one on a GPU, else one a thread)", {.type = "N"});
  command.add_flag("--resume", resume_,
                   "Keep runs that are complete in the folder, and go on with those that ended early");
}

Study StudyWords::study() const {
  if (jobs_ && (*jobs_ < 1 || *jobs_ > most_threads))
    throw InputError(fmt::format("--jobs: expected a number from 1 to {}, got {}", most_threads, *jobs_));
  Study study{.file = words_.file(), .settings = words_.overrides(), .folder = {}, .jobs = jobs_, .resume = resume_};
  if (output_ && output_->empty()) throw InputError("--output: expected a directory, got ''");
  study.folder = output_ ? canonical_path(*output_) : words_.configuration().output.directory;
  if (!output_) study.folder += suffix_;
  return study;
}

}  // namespace cardiowarp
