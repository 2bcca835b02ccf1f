// A library to be preloaded: pthread_create succeeds as often as CARDIOWARP_TEST_THREADS says and then fails as it does
// at a limit of the system, which does not hold for root.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
  static const char* const most = std::getenv("CARDIOWARP_TEST_THREADS");
  static std::atomic<int> started = 0;
  if (started++ >= (most ? std::atoi(most) : 0)) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, start, argument);
}
