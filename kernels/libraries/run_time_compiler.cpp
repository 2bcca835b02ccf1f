#include "kernels/libraries/run_time_compiler.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/cuda_library.hpp"

namespace cardiowarp {
namespace {

/// A program of NVRTC, nvrtcProgram.
using Program = struct NvrtcProgram*;

/// The functions of nvrtc.h that are called, which return 0 where all is well. They are declared here, as a toolkit may
/// lack that header.
struct NvrtcLibrary {
  int (*version)(int*, int*);
  int (*create)(Program*, const char* text, const char* name, int, const char* const*, const char* const*);
  int (*compile)(Program, int, const char* const*);
  int (*destroy)(Program*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*code_size)(Program, std::size_t*);
  int (*code)(Program, char*);
  const char* (*error_text)(int);
};

const NvrtcLibrary& nvrtc_library() {
  static const NvrtcLibrary nvrtc = [] {
    const CudaLibrary library("NVRTC", "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000), "11.1");
    NvrtcLibrary found{};
    library.find("nvrtcVersion", found.version, "nvrtcGetErrorString", found.error_text);
    library.find("nvrtcCreateProgram", found.create, "nvrtcDestroyProgram", found.destroy);
    library.find("nvrtcCompileProgram", found.compile);
    library.find("nvrtcGetProgramLogSize", found.log_size, "nvrtcGetProgramLog", found.log);
    library.find("nvrtcGetCUBINSize", found.code_size, "nvrtcGetCUBIN", found.code);
    return found;
  }();
  return nvrtc;
}

void require(int status, const char* call) {
  if (status != 0) throw DeviceError(std::string("NVRTC: ") + call + ": " + nvrtc_library().error_text(status));
}

std::array<std::string, 2> options_for(int compute_capability) {
  return {"--gpu-architecture=sm_" + std::to_string(compute_capability), "--std=c++17"};
}

struct Destroy {
  void operator()(Program program) const noexcept { nvrtc_library().destroy(&program); }
};
using OwnedProgram = std::unique_ptr<NvrtcProgram, Destroy>;

OwnedProgram program_of(const std::string& text) {
  Program program = nullptr;
  require(nvrtc_library().create(&program, text.c_str(), "cells.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  return OwnedProgram(program);
}

/// What the compiler has said, up to some lines of it.
std::string messages_of(Program program) {
  constexpr std::size_t most = 600;
  std::size_t size = 0;
  require(nvrtc_library().log_size(program, &size), "nvrtcGetProgramLogSize");
  std::string messages(size, '\0');
  require(nvrtc_library().log(program, messages.data()), "nvrtcGetProgramLog");
  while (!messages.empty() && (messages.back() == '\0' || messages.back() == '\n')) messages.pop_back();
  if (messages.size() > most) messages = messages.substr(0, most) + " ..";
  return messages;
}

}  // namespace

std::string run_time_compiler(int compute_capability) {
  int major = 0, minor = 0;
  require(nvrtc_library().version(&major, &minor), "nvrtcVersion");
  std::string text = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
  for (const std::string& option : options_for(compute_capability)) text += " " + option;
  return text;
}

std::string compiled_for_gpu(const std::string& text, int compute_capability) {
  const NvrtcLibrary& nvrtc = nvrtc_library();
  const OwnedProgram program = program_of(text);
  const std::array<std::string, 2> options = options_for(compute_capability);
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  if (const int status = nvrtc.compile(program.get(), static_cast<int>(words.size()), words.data()); status != 0)
    throw DeviceError(std::string("NVRTC: ") + nvrtc.error_text(status) + ": " + messages_of(program.get()));
  std::size_t size = 0;
  require(nvrtc.code_size(program.get(), &size), "nvrtcGetCUBINSize");
  std::string code(size, '\0');
  require(nvrtc.code(program.get(), code.data()), "nvrtcGetCUBIN");
  return code;
}

}  // namespace cardiowarp
