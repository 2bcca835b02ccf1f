#pragma once

namespace cardiowarp {

// Whether this is compiled with a sanitizer, which GCC tells by macros and Clang by features. A sanitizer has an
// allocator of its own, reserves terabytes of addresses and writes what it finds to standard error; what cannot be had
// together with that is left out then.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CARDIOWARP_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CARDIOWARP_MALLOC_OF_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CARDIOWARP_ADDRESS_SANITIZER
#endif
#if defined(CARDIOWARP_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__)
#define CARDIOWARP_MALLOC_OF_SANITIZER  ///< malloc() and its kin are a sanitizer's
#endif

#ifdef CARDIOWARP_ADDRESS_SANITIZER
inline constexpr bool has_address_sanitizer = true;
#else
inline constexpr bool has_address_sanitizer = false;
#endif

}  // namespace cardiowarp
