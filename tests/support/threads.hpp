#pragma once
#include <omp.h>

namespace cardiowarp::test {

/// Sets the number of threads while it lives.
class Threads {
 public:
  explicit Threads(int number) { omp_set_num_threads(number); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

}  // namespace cardiowarp::test
