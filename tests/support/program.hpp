#pragma once
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/text_file.hpp"

namespace cardiowarp::test {

/// How a program ended and what it said.
struct ProgramResult {
  int exit_code;  ///< −signal when a signal ended it
  std::string output, errors;
};

/// Runs the program `words[0]`, a full path, with the other words as arguments; its output goes through files in
/// `folder`, and signals have their usual effect, also where the tests were started with some ignored. While it runs,
/// `meanwhile(process id)` is called once.
inline ProgramResult run_words(std::vector<std::string> words, const std::filesystem::path& folder,
                               const std::function<void(pid_t)>& meanwhile = {}) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string output = folder / "stdout.txt", errors = folder / "stderr.txt";

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  pid_t process = 0;
  const int failed = posix_spawn(&process, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw std::system_error(failed, std::generic_category(), words[0]);

  if (meanwhile) meanwhile(process);
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_text(output), read_text(errors)};
}

/// Runs the cardiowarp program (CARDIOWARP_PROGRAM) like `run_words`.
inline ProgramResult run_program(std::vector<std::string> arguments, const std::filesystem::path& folder,
                                 const std::function<void(pid_t)>& meanwhile = {}) {
  arguments.insert(arguments.begin(), CARDIOWARP_PROGRAM);
  return run_words(std::move(arguments), folder, meanwhile);
}

/// Waits until `condition` holds; gives up after a minute.
inline bool wait_until(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 6000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace cardiowarp::test
