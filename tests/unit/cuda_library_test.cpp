#include "kernels/libraries/cuda_library.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "kernels/libraries/cublas_library.hpp"
#include "kernels/libraries/cusparse_library.hpp"

namespace cardiowarp {
namespace {

template <class Action>
std::string missing(const Action& action) {
  try {
    action();
  } catch (const MissingLibrary& error) {
    return error.what();
  }
  return "nothing is missing";
}

TEST(CudaLibrary, FindsAFunctionOrNamesIt) {
  const CudaLibrary library("libc", "libc.so.6", "1.0");
  std::size_t (*length)(const char*) = nullptr;
  int (*absolute)(int) = nullptr;
  library.find("strlen", length, "abs", absolute);
  EXPECT_EQ(length("four"), 4u);
  EXPECT_EQ(absolute(-3), 3);
  EXPECT_EQ(missing([&] { library.find("strlenn", length); }),
            "no libc: libc.so.6 lacks strlenn, which CUDA 1.0 and newer have");
}

TEST(CudaLibrary, SaysWhereItWasLookedFor) {
  const char* const home = std::getenv("CUDA_HOME");
  const std::string before = home ? home : "";
  ::setenv("CUDA_HOME", "/no/cuda", 1);
  const std::string message = missing([] { CudaLibrary("cuNONE", "libcunone.so.1", "1.0"); });
  if (home)
    ::setenv("CUDA_HOME", before.c_str(), 1);
  else
    ::unsetenv("CUDA_HOME");
  EXPECT_EQ(message.find("no cuNONE: libcunone.so.1 could not be loaded: "), 0u) << message;
  for (const char* place : {"/no/cuda/lib64/libcunone.so.1", "; /usr/local/cuda/lib64/libcunone.so.1"})
    EXPECT_NE(message.find(place), std::string::npos) << message;
}

TEST(CudaLibrary, HasTheFunctionsOfCublasAndCusparseWhereTheyAreInstalled) {
  const std::string messages = missing([] { cublas_library(); }) + missing([] { cusparse_library(); });
  EXPECT_EQ(messages.find("lacks"), std::string::npos) << messages;
  if (messages.find("could not be loaded") != std::string::npos) GTEST_SKIP() << messages;
}

}  // namespace
}  // namespace cardiowarp
