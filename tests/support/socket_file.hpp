#pragma once
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace cardiowarp::test {

/// A socket of that name, which stays when nobody listens any more.
inline void make_socket(const std::filesystem::path& file) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = file.string();
  if (name.size() >= sizeof address.sun_path) throw std::length_error(name);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const int failed = ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  ::close(descriptor);
  if (failed != 0) throw std::system_error(error, std::generic_category(), name);
}

}  // namespace cardiowarp::test
