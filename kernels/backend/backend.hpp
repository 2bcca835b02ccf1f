#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/backend/buffer.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

// The vocabulary in which every algorithm of the program is written: memory, loops over indices, sums, maxima, and
// repetitions ("call this as long as that number is not 0"). A backend is a class that speaks it for one machine:
// CpuBackend (cpu_backend.hpp) with the threads of the host, CudaBackend (cuda_backend.cuh) with one GPU, SizingBackend
// (sizing_backend.hpp) with none, to count memory. An algorithm has the backend as a template parameter and its data in
// the backend's memory, numbers that decide something included, so that its text is the same on every machine. The
// host is the side of the CPU, whatever the backend.
//
// Operations happen in the order in which they are called. On a GPU a call returns before its work is done; upload(),
// download(), read(), synchronize() and settle() alone wait, and in a time step nothing but read() is called of these.
//
// A loop body is a value with an operator()(Index i), run once for each index i. It captures pointers to backend memory
// and has, where that helps, these members:
//   ready()               for_each and sum: a value that they call in place of the body, which has fetched what is
//                         the same for all i; made once on a CPU, once by each thread on a GPU
//   idle()                sum: whether there is nothing to do for any i
//   threads_that_share    for_each, a constant: so many neighbouring i have reads in common; a GPU makes them a block

/// The largest value that read() can bring, in bytes.
inline constexpr std::size_t largest_read = 256;

/// The terms that one index adds to N sums; an aggregate, so that device code can return it.
template <int N>
struct Terms {
  Real value[N];
};

/// A stand-in for any loop body in the concept below: nvcc refuses lambdas there.
template <class Result>
struct AnyBody {
  CARDIOWARP_HD Result operator()(Index) const { return Result(); }
};

/// The `then` of a sum or maximum after which nothing is decided.
struct Nothing {
  CARDIOWARP_HD void operator()() const {}
};

/// body.ready() where the body has one, else the body itself.
template <class Body>
CARDIOWARP_HD decltype(auto) ready(const Body& body) {
  if constexpr (requires { body.ready(); })
    return body.ready();
  else
    return (body);
}

/// body.idle() where the body has one, else false.
template <class Body>
CARDIOWARP_HD bool is_idle(const Body& body) {
  if constexpr (requires { body.idle(); })
    return body.idle();
  else
    return false;
}

/// What a backend can do. `result`, `go_on` and the pointers that bodies capture are in backend memory.
///
///   allocate<T>(n)              n values of T, set to zero; a Buffer frees them
///   upload(host span, T*)       copies from the host; returns when the host's memory may be reused
///   download(const T*, span)    copies to the host; returns when the values are there
///   for_each(n, body)           body(i) for i in [0, n), in any order
///   sum<N>(n, result, body)     result[k] = Σ_i body(i).value[k] for k < N, in a fixed order: the same bits in any run
///                               and for any number of threads. `body` may also write what belongs to index i, so that
///                               a product and its dot, or an update and its norm, are one pass over memory
///   sum<N>(n, result, body, then)
///                               as above, then then() once, which may decide by result[k]; a body that is idle()
///                               leaves `result` as it was, and then() is not called
///   maximum(n, result, body)    *result = max_i body(i) for n >= 1 and body(i) >= 0; NaN where one of them is NaN
///   maximum(n, result, body, then)
///                               as above, then then() once
///   repeat_while(repetition, go_on, body)
///                               calls body() as long as *go_on is not 0. body() makes the same calls of for_each, sum,
///                               maximum, repeat_while and stopwatch each time, so that a GPU may record them in
///                               `repetition` (a B::Repetition) once and repeat them by itself, then and in later calls
///                               with that repetition. What they point to stays where it is
///   repeat_while(repetition, go_on, body, rounds)
///                               as above, but *go_on may be looked at only after every `rounds`-th call of body(), so
///                               that up to rounds − 1 calls follow after it has become 0. `rounds` is the same in all
///                               calls with one repetition
///   read(const T*)              one T as a host value; T is trivially copyable and has at most largest_read bytes
///   synchronize()               returns when everything before it is done
///   stopwatch(double& seconds)  an object that adds to `seconds` the time from its construction to its destruction, as
///                               the backend's own clock has it, at the latest in the next read() or synchronize().
///                               Inside a repetition stopwatches are not nested, add at the latest in the next
///                               settle(), and one may have the time until the next begins added to it
///   settle(repetition)          synchronize(), and the stopwatches inside the repetition have added their times
template <class B>
concept Backend = requires(B& backend, Index n, Real* result, std::span<Real> host, std::span<const Real> const_host,
                           double seconds, typename B::Repetition repetition, const int* go_on) {
  { backend.template allocate<Real>(std::size_t{}) } -> std::same_as<Buffer<Real>>;
  backend.upload(const_host, result);
  backend.download(static_cast<const Real*>(result), host);
  backend.for_each(n, AnyBody<void>());
  backend.template sum<2>(n, result, AnyBody<Terms<2>>());
  backend.template sum<2>(n, result, AnyBody<Terms<2>>(), Nothing());
  backend.maximum(n, result, AnyBody<Real>());
  backend.maximum(n, result, AnyBody<Real>(), Nothing());
  backend.repeat_while(repetition, go_on, Nothing());
  backend.repeat_while(repetition, go_on, Nothing(), 2);
  { backend.read(static_cast<const Real*>(result)) } -> std::same_as<Real>;
  backend.synchronize();
  backend.stopwatch(seconds);
  backend.settle(repetition);
};

/// Whether a backend runs the plain text of every operation: the one that is written over the vocabulary. Some
/// operations have beside it a kernel for one backend, which overloads it in a header of its own. Such a backend names
/// a type OwnKernels, and the plain text of these operations asserts RunsPlainText: a file that lacks the header of a
/// kernel does not compile, where it would otherwise be slow or, beside other files, have two texts of one function in
/// one program.
template <class B>
concept RunsPlainText = !requires {
  typename B::OwnKernels;
};

/// A copy of `host` in the memory of a backend.
template <Backend B, class T>
Buffer<T> uploaded(B& backend, const std::vector<T>& host) {
  Buffer<T> buffer = backend.template allocate<T>(host.size());
  backend.upload(std::span<const T>(host), buffer.data());
  return buffer;
}

}  // namespace cardiowarp
