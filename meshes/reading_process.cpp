#include "meshes/reading_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/sanitizers.hpp"

namespace cardiowarp {
namespace {

/// How a message calls what the process does.
struct Words {
  std::string_view failure;  ///< what did not come about, "cannot be read"
  std::string_view work;     ///< "reading it"
  std::string_view doubt;    ///< what may be the matter, or nothing
};
constexpr Words words_of_reading{"cannot be read", "reading it", " (damaged file?)"};
constexpr Words words_of_making{"Gmsh made no mesh", "it", ""};

/// The first byte that the reading process sends.
enum class Outcome : char { mesh, input_error, out_of_memory, other_error };

/// Calls `each` with every member of a mesh, so that none is forgotten when one is added.
template <class MeshReference, class Each>
void for_each_member(MeshReference& mesh, const Each& each) {
  auto& [nodes, tetrahedra, element_tags, fibers, triangles, triangle_tags, volume_names, surface_names, node_in_file,
         arrays, edge_nodes, triangle_edge_nodes, further_element_tags, further_triangle_tags, values, remarks] = mesh;
  each(nodes), each(tetrahedra), each(element_tags), each(fibers), each(triangles), each(triangle_tags);
  each(volume_names), each(surface_names), each(node_in_file), each(arrays);
  each(edge_nodes), each(triangle_edge_nodes);
  each(further_element_tags), each(further_triangle_tags), each(values), each(remarks);
}

/// The end of the pipe that the reading process writes to. Failures end it: nobody is there to hear of them.
class Sender {
 public:
  explicit Sender(int descriptor) : descriptor_(descriptor) {}

  void send(const void* data, std::size_t bytes) const {
    for (const char* at = static_cast<const char*>(data); bytes > 0;) {
      const ssize_t sent = ::write(descriptor_, at, bytes);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) ::_exit(1);
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
  }
  template <class Value>
  void send(const Value& value) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    send(&value, sizeof(Value));
  }
  void send(const std::string& text) const {
    send(text.size());
    send(text.data(), text.size());
  }
  template <class Value>
  void send(const std::vector<Value>& values) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    send(values.size());
    send(values.data(), values.size() * sizeof(Value));
  }
  void send(const std::vector<std::string>& texts) const {
    send(texts.size());
    for (const std::string& text : texts) send(text);
  }
  void send(const std::vector<FileArray>& arrays) const {
    send(arrays.size());
    for (const auto& [name, components, of_points] : arrays) send(name), send(components), send(of_points);
  }
  void send(const std::vector<MeshValues>& arrays) const {
    send(arrays.size());
    for (const auto& [name, of_points, values] : arrays) send(name), send(of_points), send(values);
  }
  void send(const FurtherTags& further) const {
    send(further.set_of_cell);
    send(further.sets.size());
    for (const std::vector<int>& set : further.sets) send(set);
  }
  void send(const std::map<std::string, int>& names) const {
    send(names.size());
    for (const auto& [name, tag] : names) send(name), send(tag);
  }

 private:
  int descriptor_;
};

/// The reading process as the other one sees it: its id and the end of the pipe to read from. It does not outlive this.
class Receiver {
 public:
  Receiver(pid_t process, int descriptor, std::string where, const Words& words,
           const std::optional<ReadingLimits>& limits)
      : process_(process),
        descriptor_(descriptor),
        where_(std::move(where)),
        words_(words),
        limits_(limits),
        begin_(std::chrono::steady_clock::now()) {}
  ~Receiver() {
    ::close(descriptor_);
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    reap();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  void receive(void* data, std::size_t bytes) {
    for (char* at = static_cast<char*>(data); bytes > 0;) {
      wait_for_data();
      const ssize_t received = ::read(descriptor_, at, bytes);
      if (received < 0 && errno == EINTR) continue;
      if (received <= 0) fail_as_it_ended();
      at += received;
      bytes -= static_cast<std::size_t>(received);
    }
  }
  template <class Value>
  void receive(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    receive(&value, sizeof(Value));
  }
  void receive(std::string& text) {
    text.resize(receive_size());
    receive(text.data(), text.size());
  }
  template <class Value>
  void receive(std::vector<Value>& values) {
    values.resize(receive_size());
    receive(values.data(), values.size() * sizeof(Value));
  }
  void receive(std::vector<std::string>& texts) {
    texts.resize(receive_size());
    for (std::string& text : texts) receive(text);
  }
  void receive(std::vector<FileArray>& arrays) {
    arrays.resize(receive_size());
    for (auto& [name, components, of_points] : arrays) receive(name), receive(components), receive(of_points);
  }
  void receive(std::vector<MeshValues>& arrays) {
    arrays.resize(receive_size());
    for (auto& [name, of_points, values] : arrays) receive(name), receive(of_points), receive(values);
  }
  void receive(FurtherTags& further) {
    receive(further.set_of_cell);
    further.sets.resize(receive_size());
    for (std::vector<int>& set : further.sets) receive(set);
  }
  void receive(std::map<std::string, int>& names) {
    for (std::size_t left = receive_size(); left > 0; --left) {
      std::string name;
      receive(name);
      receive(names[name]);
    }
  }

  [[noreturn]] void fail(const std::string& reason) const { throw InputError(message(reason)); }

 private:
  std::size_t receive_size() {
    std::size_t size = 0;
    receive(size);
    return size;
  }

  std::string message(const std::string& reason) const {
    return fmt::format("{}: {}: {}", where_, words_.failure, reason);
  }

  void wait_for_data() const {
    if (!limits_) return;  // read() waits
    while (true) {
      const auto deadline = begin_ + std::chrono::seconds(limits_->clock_seconds);
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
      pollfd data{descriptor_, POLLIN, 0};
      const int ready = ::poll(&data, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
      if (ready > 0 || (ready < 0 && errno != EINTR)) return;
      if (left <= 0)
        fail(fmt::format("{} has not come to an end in {} s{}", words_.work, limits_->clock_seconds, words_.doubt));
    }
  }

  /// The reading process's status, nothing where the system does not say.
  std::optional<int> reap() {
    int status = 0;
    pid_t ended = 0;
    do ended = ::waitpid(process_, &status, 0);
    while (ended < 0 && errno == EINTR);
    process_ = 0;
    return ended > 0 ? std::optional(status) : std::nullopt;
  }

  [[noreturn]] void fail_as_it_ended() {
    const auto& [failure, work, doubt] = words_;
    const std::optional<int> status = reap();
    if (!status || !WIFSIGNALED(*status)) throw ProcessCrash(message(fmt::format("{} ended early{}", work, doubt)));
    const int signal = WTERMSIG(*status);
    if (signal == SIGINT || signal == SIGTERM) {
      ::raise(signal);
      fail(fmt::format("{} was interrupted", work));
    }
    if (signal == SIGXCPU && limits_)
      fail(fmt::format("{} takes longer than {} s of computing{}", work, limits_->seconds, doubt));
    if (signal == SIGKILL) fail(fmt::format("{} was ended from outside (is there too little memory?)", work));
    throw ProcessCrash(message(fmt::format("{} ended with a crash, '{}'{}", work, ::strsignal(signal), doubt)));
  }

  pid_t process_;
  int descriptor_;
  std::string where_;
  Words words_;
  std::optional<ReadingLimits> limits_;
  std::chrono::steady_clock::time_point begin_;
};

void lower_limit(int resource, std::uint64_t value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, value);
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

/// Addresses in use, 0 where the system does not say.
std::uint64_t address_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void be_silent() {
  if (has_address_sanitizer) return;
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

/// The life of the reading process, up to its end.
void read_and_send(const Sender& sender, const std::optional<ReadingLimits>& limits,
                   const std::function<Mesh()>& read) {
  // Signals that this program ignores from its start on (nohup, a script's background) stay ignored.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGPIPE, SIGXCPU}) std::signal(signal, SIG_DFL);
  be_silent();
  omp_set_num_threads(1);  // the other threads of the pool were not copied: waiting for them would never end
  lower_limit(RLIMIT_CORE, 0);
  if (limits) {
    lower_limit(RLIMIT_CPU, limits->seconds);
    if (const std::uint64_t used = address_bytes(); used > 0 && !has_address_sanitizer)
      lower_limit(RLIMIT_AS, used + limits->bytes);
  }
  const auto send_error = [&](Outcome outcome, const char* text) {
    const std::size_t length = std::strlen(text);
    sender.send(outcome);
    sender.send(length);
    sender.send(text, length);
  };
  try {
    const Mesh mesh = read();
    sender.send(Outcome::mesh);
    for_each_member(mesh, [&](const auto& member) { sender.send(member); });
  } catch (const InputError& error) {
    send_error(Outcome::input_error, error.what());
  } catch (const std::bad_alloc&) {
    sender.send(Outcome::out_of_memory);
  } catch (const std::exception& error) {
    send_error(Outcome::other_error, error.what());
  } catch (...) {
    send_error(Outcome::other_error, "the library gives no reason");
  }
}

Mesh mesh_of_process(const std::string& where, const Words& words, const std::optional<ReadingLimits>& limits,
                     const std::function<Mesh()>& read) {
  int ends[2];
  const auto fail_to_start = [&] {
    throw InputError(
        fmt::format("{}: {}: no process for it could be started: {}", where, words.failure, std::strerror(errno)));
  };
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_to_start();
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // fewer turns; a system that refuses has a smaller pipe
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    errno = error;
    fail_to_start();
  }
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(ends[0]);
    const Sender sender(ends[1]);
    try {
      read_and_send(sender, limits, read);
    } catch (...) {  // what has no place in a message has no memory for one
      sender.send(Outcome::out_of_memory);
    }
    ::_exit(0);  // buffers, exit handlers and the callers of this belong to the process that was copied
  }
  ::close(ends[1]);
  Receiver receiver(process, ends[0], where, words, limits);
  auto outcome = Outcome::mesh;
  receiver.receive(outcome);
  if (outcome == Outcome::out_of_memory && !limits) throw std::bad_alloc();
  if (outcome == Outcome::out_of_memory)
    receiver.fail(
        fmt::format("it needs more memory than there is, or than the {:.3g} GiB that a file of its size may take "
                    "(damaged file?)",
                    static_cast<double>(limits->bytes) / (1 << 30)));
  if (outcome == Outcome::mesh) {
    Mesh mesh;
    for_each_member(mesh, [&](auto& member) { receiver.receive(member); });
    return mesh;
  }
  std::string message;
  receiver.receive(message);
  if (outcome == Outcome::other_error) receiver.fail(message);
  throw InputError(message);
}

}  // namespace

ReadingLimits limits_for(std::uint64_t file_bytes) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  const std::uint64_t of_small_file = 512 * mebibyte + 512 * file_bytes;
  return {.seconds = 60 + file_bytes / 1'000'000, .bytes = std::min(of_small_file, 4096 * mebibyte + 64 * file_bytes)};
}

Mesh read_in_own_process(const std::string& where, const ReadingLimits& limits, const std::function<Mesh()>& read) {
  return mesh_of_process(where, words_of_reading, limits, read);
}

Mesh make_in_own_process(const std::string& where, const std::function<Mesh()>& make) {
  return mesh_of_process(where, words_of_making, std::nullopt, make);
}

}  // namespace cardiowarp
