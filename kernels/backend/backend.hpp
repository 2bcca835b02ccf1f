#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/backend/buffer.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// Bytes that read() brings at most.
inline constexpr std::size_t largest_read = 256;

/// The values of one index in a sum of N quantities at once; an aggregate so that it can be returned from device code.
template <int N>
struct Terms {
  Real value[N];
};

/// Any loop body, for the concept below; lambdas there are beyond nvcc.
template <class Result>
struct AnyBody {
  CARDIOWARP_HD Result operator()(Index) const { return Result(); }
};

/// No more to do.
struct Nothing {
  CARDIOWARP_HD void operator()() const {}
};

/// The body as a thread runs it: with what is the same for every i at hand, where the body can say so by a ready().
template <class Body>
CARDIOWARP_HD decltype(auto) ready(const Body& body) {
  if constexpr (requires { body.ready(); })
    return body.ready();
  else
    return (body);
}

/// Whether a body says by an idle() that there is nothing to do for any i.
template <class Body>
CARDIOWARP_HD bool is_idle(const Body& body) {
  if constexpr (requires { body.idle(); })
    return body.idle();
  else
    return false;
}

/// The vocabulary in which every algorithm of the solver is written. A backend owns one memory and one way to loop.
///   allocate<T>(n)              n values of T, set to zero
///   upload(host span, T*)       host to backend memory; returns when `host` may be reused
///   download(const T*, span)    backend memory to host; returns when the values are there
///   for_each(n, body)           body(i) for i in [0, n), in any order; a body may have a constant threads_that_share:
///                               how many neighbouring i make a block because their reads overlap
///   sum<N>(n, result, body)     result[k] = Σ_i body(i).value[k], k < N, in a fixed order: the same bits in every run
///                               and for any number of threads. `body` may write what belongs to index i, so that a
///                               product and its dot, or an update and its norm, are one pass over memory.
///   sum<N>(n, result, body, then)   and then() once, when result[k] are there: what a number decides; neither where
///                               the body has an idle() that is true
///   maximum(n, result, body)    *result = max_i body(i), n >= 1 and body(i) >= 0; NaN if any is NaN
///   maximum(n, result, body, then)   and then() once, as of a sum
///   repeat_while(loop, go_on, body)   body() as long as *go_on (backend memory) is not 0. It says for_each, sum,
///                               maximum and repeat_while, the same ones each time: a backend far from the host may
///                               have it say them once, keep them in `loop` (a B::Loop) and repeat them by itself, now
///                               and in later calls with that loop, for which nothing that they name may have moved
///   repeat_while(loop, go_on, body, rounds)   the same, but once *go_on is 0 body() may be repeated until the number
///                               of its rounds is a multiple of this, which is the same for a loop in all calls
///   read(const T*)              the T in backend memory as a host value, T trivially copyable and of no more than
///                               largest_read bytes: in a step the only word that waits for the backend
///   synchronize()               returns when everything before it is done
///   stopwatch(double& seconds)  adds the backend's time of the enclosing scope, at the latest with the next read or
///                               synchronize. Those inside a loop follow one another, none within another; they add
///                               it at the latest with the next settle, and what is said between two may count for
///                               the first
///   settle(loop)                returns when everything before it is done and stopwatches in the loop have told
/// A body of for_each or sum may have a ready(): the body to run, which has read what is the same for all i.
/// `result` and the pointers a body captures are backend memory. Scalars live there too, so that an algorithm's text is
/// the same where the host is far from the data.
template <class B>
concept Backend = requires(B& backend, Index n, Real* result, std::span<Real> host, std::span<const Real> const_host,
                           double seconds, typename B::Loop loop, const int* go_on) {
  { backend.template allocate<Real>(std::size_t{}) } -> std::same_as<Buffer<Real>>;
  backend.upload(const_host, result);
  backend.download(static_cast<const Real*>(result), host);
  backend.for_each(n, AnyBody<void>());
  backend.template sum<2>(n, result, AnyBody<Terms<2>>());
  backend.template sum<2>(n, result, AnyBody<Terms<2>>(), Nothing());
  backend.maximum(n, result, AnyBody<Real>());
  backend.maximum(n, result, AnyBody<Real>(), Nothing());
  backend.repeat_while(loop, go_on, Nothing());
  backend.repeat_while(loop, go_on, Nothing(), 2);
  { backend.read(static_cast<const Real*>(result)) } -> std::same_as<Real>;
  backend.synchronize();
  backend.stopwatch(seconds);
  backend.settle(loop);
};

/// Some operations have, beside their plain text over the vocabulary, a kernel for one backend, which overloads the
/// plain text in a header of its own. Such a backend names a type OwnKernels, and the plain text of these operations
/// asserts that its backend RunsPlainText: a file that lacks the header of a kernel does not compile, where it would
/// otherwise be slow or, beside other files, have two texts of one function in one program.
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
