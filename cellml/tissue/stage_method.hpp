#pragma once

namespace cardiowarp::stage_method {

// The numbers of Newton's method for the pools of a CellML cell (cellml_lanes.hpp), which the interpreted stage and its
// text for a GPU share.

inline constexpr int most_iterations = 32;
/// Rates with a kink can send Newton's method to and fro, which half a step now and then ends.
inline constexpr int half_every = 8;
/// A stage of at most so many ms may end below 0.
inline constexpr double short_ms = 0.02;
/// A bounded pool that begins below 0 by less than this share of its initial value begins at 0, ..
inline constexpr double just_below = 0.05;
/// .. and the method at no less than this share.
inline constexpr double least_guess = 1e-6;
/// No step takes a bounded pool below this share of what it is.
inline constexpr double least_share = 0.1;
/// Newton's method ends where no pool changes by more than `near_enough` of its size: its error squares in each
/// iteration, and the effect of the last change is taken linearly. To the size of a pool that may pass through 0 the
/// share `of_signed` of its initial or old value is added, to every size `least`.
inline constexpr double near_enough = 1e-5, of_signed = 1e-4, least = 1e-12;

/// Where all changes are below the share `close`, the text for a GPU computes the remaining changes with the
/// derivatives that it has, and ends where they are below `near_enough_again`: the error is then of the order of the
/// product of both.
inline constexpr double close = 0.05, near_enough_again = 1e-4;

}  // namespace cardiowarp::stage_method
