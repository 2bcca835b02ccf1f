// A library to be preloaded, for every_call.py. It counts the calls of one kind that a program makes from main() on,
// with all processes that it forks, and makes one of them fail as the system would, or that one and all after it.
//
//     CARDIOWARP_FAULT          KIND NUMBER ERRNO   the NUMBER-th call fails with this errno; `NUMBER+`: so do all
//                                                   later ones; `NUMBERr`: so does the next one, but for calls from
//                                                   VTK and Gmsh; 0: none, the calls are only counted; ERRNO 0: the
//                                                   process is killed in its place
//     CARDIOWARP_FAULT_COUNTER  a file of 16 bytes that gets two counts of 64 bits: calls, and calls that failed
//     CARDIOWARP_FAULT_SERVER   where it is set, the program is not run but forked before main() for each line of the
//                               standard input, which spares it from being loaded again. The line is KIND NUMBER
//                               ERRNO FOLDER: the fork runs in that folder, with FOLDER.errors as its standard error.
//                               When it has ended, its status as waitpid() has it and the two counts are written as a
//                               line.
//
// Kinds: write sync close rename mkdir open look read unlink truncate map alloc folder process. Standard streams are
// left alone. The C library's own calls (from fwrite to write) cannot be met, so that its streams are met at their
// names.

#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

struct Counter {
  std::atomic<std::uint64_t> calls, failed;
};

Counter* counter = nullptr;
char kind_to_fail[16] = "";
std::uint64_t number_to_fail = 0;
bool and_all_later = false, and_next = false;
int error_of_failure = EIO;
std::atomic<bool> in_main{false};

/// Whether the call comes from a library that decides by itself what becomes of it: in one of these what is destroyed
/// may need memory, too. Functions that allocate, the program's among them, are left out.
bool is_called_by_library() {
  static void* frames[12];
  const int depth = backtrace(frames, 12);
  for (int i = 0; i < depth; ++i) {
    Dl_info info{};
    if (dladdr(frames[i], &info) == 0 || !info.dli_fname) continue;
    if (std::strstr(info.dli_fname, "libvtk") || std::strstr(info.dli_fname, "libgmsh")) return true;
    if (info.dli_sname && (std::strstr(info.dli_sname, "alloc") || std::strstr(info.dli_sname, "memalign"))) continue;
    if (!std::strstr(info.dli_fname, ".so")) return false;
  }
  return false;
}

/// Whether this call of a kind is to fail; errno then has the reason.
bool fails(const char* kind) {
  if (!counter || !in_main || std::strcmp(kind, kind_to_fail) != 0) return false;
  const std::uint64_t number = counter->calls++ + 1;
  if (number_to_fail == 0 || number < number_to_fail) return false;
  if (number > number_to_fail && !and_all_later && !(and_next && number == number_to_fail + 1)) return false;
  if (and_next && number == number_to_fail) and_next = !is_called_by_library();
  ++counter->failed;
  if (error_of_failure == 0) kill(getpid(), SIGKILL);
  errno = error_of_failure;
  return true;
}

void set_number(const char* number) {
  number_to_fail = std::strtoull(number, nullptr, 10);
  and_all_later = std::strchr(number, '+') != nullptr;
  and_next = std::strchr(number, 'r') != nullptr;
  void* frame;
  if (and_next) backtrace(&frame, 1);  // the first one allocates
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void read_environment() {
  const char* fault = std::getenv("CARDIOWARP_FAULT");
  const char* file = std::getenv("CARDIOWARP_FAULT_COUNTER");
  char number[24] = "";
  if (!fault || !file || std::sscanf(fault, "%15s %23s %d", kind_to_fail, number, &error_of_failure) != 3) return;
  set_number(number);
  const int descriptor = next<int(const char*, int, ...)>("open")(file, O_RDWR);
  void* memory = mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory != MAP_FAILED) counter = static_cast<Counter*>(memory);
}

bool is_own(int descriptor) { return descriptor > 2; }

bool is_file(int descriptor) {
  const int before = errno;
  struct stat status {};
  const bool regular = is_own(descriptor) && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  errno = before;
  return regular;
}

const char* kind_of_opening(int flags) { return (flags & O_ACCMODE) == O_RDONLY ? "look" : "open"; }
const char* kind_of_opening(const char* mode) { return mode[0] == 'r' && !std::strchr(mode, '+') ? "look" : "open"; }

/// What a stream of the C library does when its file takes no more.
bool stream_fails(std::FILE* stream) {
  if (!is_file(fileno(stream)) || !fails("write")) return false;
  stream->_flags |= _IO_ERR_SEEN;
  return true;
}

int (*real_main)(int, char**, char**) = nullptr;

void open_as(int descriptor, const char* file, int flags) {
  const int opened = next<int(const char*, int, ...)>("open")(file, flags, 0666);
  dup2(opened, descriptor);
  next<int(int)>("close")(opened);
}

/// Returns in each fork; the server itself ends with its input.
void serve() {
  char line[4200], number[24], folder[4096];
  while (std::fgets(line, sizeof line, stdin)) {
    if (std::sscanf(line, "%15s %23s %d %4095s", kind_to_fail, number, &error_of_failure, folder) != 4) _exit(2);
    counter->calls = counter->failed = 0;
    const pid_t process = next<pid_t()>("fork")();
    if (process == 0) {
      char errors[4200];
      std::snprintf(errors, sizeof errors, "%s.errors", folder);
      open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
      open_as(STDOUT_FILENO, "/dev/null", O_WRONLY);
      open_as(STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC);
      for (const char* name : {"HOME", "TMPDIR"}) setenv(name, folder, 1);
      alarm(120);
      if (chdir(folder) != 0) _exit(2);
      return set_number(number);
    }
    int status = -1;
    waitpid(process, &status, 0);
    char answer[80];
    const int length = std::snprintf(answer, sizeof answer, "%d %llu %llu\n", status,
                                     static_cast<unsigned long long>(counter->calls.load()),
                                     static_cast<unsigned long long>(counter->failed.load()));
    if (::write(STDOUT_FILENO, answer, static_cast<std::size_t>(length)) != length) break;
  }
  _exit(0);
}

int counted_main(int argc, char** argv, char** environment) {
  if (counter && std::getenv("CARDIOWARP_FAULT_SERVER")) serve();
  in_main = true;
  const int code = real_main(argc, argv, environment);
  in_main = false;
  return code;
}

}  // namespace

// The C library's names of its own allocator, which need no dlsym, which allocates.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start = int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

#define NEXT(name) static auto* const real = next<decltype(name)>(#name)

ssize_t write(int descriptor, const void* data, std::size_t bytes) {
  NEXT(write);
  return is_own(descriptor) && fails("write") ? -1 : real(descriptor, data, bytes);
}
ssize_t writev(int descriptor, const iovec* pieces, int count) {
  NEXT(writev);
  return is_own(descriptor) && fails("write") ? -1 : real(descriptor, pieces, count);
}
ssize_t pwrite(int descriptor, const void* data, std::size_t bytes, off_t offset) {
  NEXT(pwrite);
  return fails("write") ? -1 : real(descriptor, data, bytes, offset);
}
ssize_t pwrite64(int descriptor, const void* data, std::size_t bytes, off64_t offset) {
  NEXT(pwrite64);
  return fails("write") ? -1 : real(descriptor, data, bytes, offset);
}
std::size_t fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* stream) {
  NEXT(fwrite);
  return stream_fails(stream) ? 0 : real(data, size, count, stream);
}
int fputs(const char* text, std::FILE* stream) {
  NEXT(fputs);
  return stream_fails(stream) ? EOF : real(text, stream);
}
int fprintf(std::FILE* stream, const char* format, ...) {
  if (stream_fails(stream)) return -1;
  va_list values;
  va_start(values, format);
  const int written = std::vfprintf(stream, format, values);
  va_end(values);
  return written;
}
int fflush(std::FILE* stream) {
  NEXT(fflush);
  return stream && stream_fails(stream) ? EOF : real(stream);
}

int fsync(int descriptor) {
  NEXT(fsync);
  return fails("sync") ? -1 : real(descriptor);
}
int fdatasync(int descriptor) {
  NEXT(fdatasync);
  return fails("sync") ? -1 : real(descriptor);
}
// A file whose close fails is closed.
int close(int descriptor) {
  NEXT(close);
  const bool failing = is_file(descriptor) && fails("close");
  const int reason = errno, result = real(descriptor);
  if (failing) errno = reason;
  return failing ? -1 : result;
}
int fclose(std::FILE* stream) {
  NEXT(fclose);
  const bool failing = is_file(fileno(stream)) && fails("close");
  const int reason = errno, result = real(stream);
  if (failing) errno = reason;
  return failing ? EOF : result;
}

int rename(const char* from, const char* to) {
  NEXT(rename);
  return fails("rename") ? -1 : real(from, to);
}
int mkdir(const char* folder, mode_t mode) {
  NEXT(mkdir);
  return fails("mkdir") ? -1 : real(folder, mode);
}
int unlink(const char* file) {
  NEXT(unlink);
  return fails("unlink") ? -1 : real(file);
}
int remove(const char* file) {
  NEXT(remove);
  return fails("unlink") ? -1 : real(file);
}
int unlinkat(int folder, const char* file, int flags) {
  NEXT(unlinkat);
  return fails("unlink") ? -1 : real(folder, file, flags);
}
int ftruncate(int descriptor, off_t bytes) {
  NEXT(ftruncate);
  return fails("truncate") ? -1 : real(descriptor, bytes);
}
int ftruncate64(int descriptor, off64_t bytes) {
  NEXT(ftruncate64);
  return fails("truncate") ? -1 : real(descriptor, bytes);
}

#define OPEN_WITH_MODE(name)                                               \
  int name(const char* file, int flags, ...) {                             \
    NEXT(name);                                                            \
    va_list more;                                                          \
    va_start(more, flags);                                                 \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                          \
    return fails(kind_of_opening(flags)) ? -1 : real(file, flags, mode);   \
  }
OPEN_WITH_MODE(open)
OPEN_WITH_MODE(open64)
std::FILE* fopen(const char* file, const char* mode) {
  NEXT(fopen);
  return fails(kind_of_opening(mode)) ? nullptr : real(file, mode);
}
std::FILE* fopen64(const char* file, const char* mode) {
  NEXT(fopen64);
  return fails(kind_of_opening(mode)) ? nullptr : real(file, mode);
}
ssize_t read(int descriptor, void* data, std::size_t bytes) {
  NEXT(read);
  return is_own(descriptor) && fails("read") ? -1 : real(descriptor, data, bytes);
}
DIR* opendir(const char* folder) {
  NEXT(opendir);
  return fails("folder") ? nullptr : real(folder);
}
dirent* readdir(DIR* folder) {
  NEXT(readdir);
  return fails("folder") ? nullptr : real(folder);
}
pid_t fork() {
  NEXT(fork);
  return fails("process") ? -1 : real();
}
int pipe2(int ends[2], int flags) noexcept {
  NEXT(pipe2);
  return fails("process") ? -1 : real(ends, flags);
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  NEXT(mmap);
  return fails("map") ? MAP_FAILED : real(address, bytes, protection, flags, descriptor, offset);
}
void* mmap64(void* address, std::size_t bytes, int protection, int flags, int descriptor, off64_t offset) {
  NEXT(mmap64);
  return fails("map") ? MAP_FAILED : real(address, bytes, protection, flags, descriptor, offset);
}
void* malloc(std::size_t bytes) { return fails("alloc") ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return fails("alloc") ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* memory, std::size_t bytes) { return fails("alloc") ? nullptr : __libc_realloc(memory, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return fails("alloc") ? nullptr : __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return fails("alloc") ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (fails("alloc")) return ENOMEM;
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}

}  // extern "C"
