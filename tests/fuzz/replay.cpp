// Stands in for a fuzzer where the compiler has none: gives the files of the corpus to a target, so that an input that
// was a crash once is a test of every build; and, where asked, random changes of them, without a fuzzer's knowledge of
// which of these are new, but with any compiler and at the speed of the program.

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <random>

#include "tests/fuzz/fuzz_target.hpp"

namespace {

using Input = std::vector<char>;

/// The input that the target has, for a signal that ends it.
Input current;
std::string file_of_crash;

/// Keeps the input that has ended the process, which then ends as it would have.
extern "C" void keep_input(int signal) {
  const int file = ::open(file_of_crash.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && ::write(file, current.data(), current.size()) >= 0) ::close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void give_to_target() { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size()); }

/// Changes an input in one place: a bit, a byte, a piece that is left out, doubled, or taken from another input.
void mutate(Input& input, const std::vector<Input>& corpus, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  const auto piece_of = [&](const Input& from) {
    const std::size_t begin = below(from.size()), size = below(std::min<std::size_t>(from.size() - begin, 64) + 1);
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
    return Input(first, first + static_cast<std::ptrdiff_t>(size));
  };
  static constexpr std::string_view telling = "0123456789-+.eE \n\t\"'#$:,[]{}<>/%\0\x7f\xff";
  const std::size_t at = below(input.size());
  const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
  switch (input.empty() ? 5 : below(6)) {
    case 0:
      input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
      break;
    case 1:
      input[at] = telling[below(telling.size())];
      break;
    case 2:
      input.erase(place, place + static_cast<std::ptrdiff_t>(1 + below(std::min<std::size_t>(input.size() - at, 64))));
      break;
    case 3: {
      const Input piece = piece_of(input);
      input.insert(place, piece.begin(), piece.end());
      break;
    }
    case 4:
      input.insert(place, telling[below(telling.size())]);
      break;
    default: {
      const Input piece = piece_of(corpus[below(corpus.size())]);
      input.insert(place, piece.begin(), piece.end());
    }
  }
}

int usage() {
  std::fprintf(stderr, "usage: PROGRAM FILE|FOLDER... | --mutate TIMES SEED FILE_OF_CRASH FILE|FOLDER...\n");
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  namespace fs = std::filesystem;
  const bool mutates = count > 1 && arguments[1] == std::string_view("--mutate");
  if (count < (mutates ? 6 : 2)) return usage();
  std::vector<fs::path> files;
  for (int i = mutates ? 5 : 1; i < count; ++i) {
    if (!fs::is_directory(arguments[i])) {
      files.emplace_back(arguments[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(arguments[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) return usage();
  std::vector<Input> corpus;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    current = Input(corpus.back());  // of exactly its length, so that an address sanitizer sees a step beyond its end
    if (mutates) continue;
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last line names the input that ended the process
    give_to_target();
  }
  std::printf("%zu inputs\n", files.size());
  if (!mutates) return 0;

  file_of_crash = arguments[4];
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM}) std::signal(signal, keep_input);
  std::mt19937_64 random(std::strtoull(arguments[3], nullptr, 10));
  const std::uint64_t times = std::strtoull(arguments[2], nullptr, 10);
  for (std::uint64_t done = 0; done < times; ++done) {
    current = corpus[random() % corpus.size()];
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) mutate(current, corpus, random);
    ::alarm(60);  // by the clock: far beyond the 5 s of a processor that are allowed
    give_to_target();
  }
  std::printf("%llu mutations\n", static_cast<unsigned long long>(times));
  return 0;
}
