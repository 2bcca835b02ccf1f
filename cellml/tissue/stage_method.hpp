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
/// The change that is left to a pool, relative to it: Newton's error squares from one iteration to the next, and what
/// is left is taken linearly. A pool that may pass through 0 has this share of its initial or old value besides.
inline constexpr double near_enough = 1e-5, of_signed = 1e-4, least = 1e-12;

/// Where all changes are below the first share, the text for a GPU looks whether what is left of them with the same
/// derivatives is below the second: the error is then of the order of their product.
inline constexpr double close = 0.05, near_enough_again = 1e-4;

}  // namespace cardiowarp::stage_method
