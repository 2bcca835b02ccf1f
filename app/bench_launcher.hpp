#pragma once
#include <string>
#include <vector>

namespace cardiowarp {

/// Lets `cardiowarp-bench`, which stands beside this program, take the place of this process, with the words of the
/// command line behind its name. Process, streams and answers to signals stay, so that whoever has started
/// `cardiowarp bench` meets no other program. Throws InputError where it is not there: a build of the program alone,
/// as of `./setup.sh heart`, leaves it out.
[[noreturn]] void start_bench(const std::vector<std::string>& words);

}  // namespace cardiowarp
