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
// (sizing_backend.hpp) with none: it runs nothing and counts the memory that is allocated. An algorithm is a template
// over the backend, and all of its data are in the backend's memory, also the numbers by which loops end, so that the
// same source runs on every machine. The host is the side of the CPU, whatever the backend.
//
// Operations happen in the order in which they are called. On a GPU a call returns before its work is done. Only
// upload(), download(), read(), synchronize() and settle() wait for work, and allocate() may; a time step calls none of
// them but read().
//
// A loop body is a value with an operator()(Index i), run once for each index i. It captures pointers to backend memory
// and has, where that helps, these members:
//   ready()               for_each and sum: returns another body, which they call in its place and in which everything
//                         that is the same for all i has been fetched; called once on a CPU, by each thread on a GPU
//   idle()                sum: true if the whole sum is to be skipped; then `result` stays as it was
//   threads_that_share    for_each, a constant: how many neighboring i read data in common; on a GPU the size of a
//                         block

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

/// A `then` that does nothing, after a sum or maximum that decides nothing.
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

/// The operations of a backend. `result`, `go_on` and the pointers that bodies capture are in backend memory.
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
///   maximum(n, result, body)    *result = max_i body(i), NaN if any of them is NaN; requires n >= 1, and every body(i)
///                               is at least 0 or NaN
///   maximum(n, result, body, then)
///                               as above, then then() once
///   repeat_while(repetition, go_on, body)
///                               calls body() as long as *go_on is not 0. body() makes the same calls of for_each, sum,
///                               maximum, repeat_while and stopwatch each time: a GPU records them in `repetition` (a
///                               B::Repetition, a CUDA graph) at the first call and repeats them without the host, then
///                               and in later calls with that repetition. The caller keeps all memory that the bodies
///                               point to where it is for as long as the repetition is used
///   repeat_while(repetition, go_on, body, calls)
///                               as above, but *go_on may be looked at only after every `calls`-th call of body(), so
///                               that up to calls − 1 more follow after it has become 0. `calls` is the same in all
///                               calls with one repetition
///   read(const T*)              one T as a host value, the cheap way for one number; T is trivially copyable and
///                               has at most largest_read bytes
///   synchronize()               returns when everything before it is done
///   stopwatch(double& seconds)  an object that adds to `seconds` the time from its construction to its destruction, as
///                               the backend's own clock has it, at the latest in the next read() or synchronize().
///                               Inside a repetition a caller does not nest stopwatches. Their times are added no later
///                               than in the next settle(), and a stopwatch may also count the time from its end to the
///                               beginning of the next
///   settle(repetition)          synchronize(), after which the stopwatches inside the repetition have added their
///                               times
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

/// Whether a backend runs the general implementation of every operation, the one that is written with for_each, sum and
/// so on. For some operations a backend has kernels of its own, overloads in headers of their own; it then declares a
/// type OwnKernels. The general implementation of such an operation asserts RunsGeneralCode, so a file that forgot the
/// header with the kernel does not compile. Without that it would run slowly, or a program would have two definitions
/// of one function.
template <class B>
concept RunsGeneralCode = !requires {
  typename B::OwnKernels;
};

/// A copy of `host` in the memory of a backend.
template <Backend B, class T, class Memory>
Buffer<T> uploaded(B& backend, const std::vector<T, Memory>& host) {
  Buffer<T> buffer = backend.template allocate<T>(host.size());
  backend.upload(std::span<const T>(host), buffer.data());
  return buffer;
}

}  // namespace cardiowarp
