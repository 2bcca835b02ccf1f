#pragma once

namespace cardiowarp {

/// What stands before every generated cell: its functions, for plain numbers and for numbers with derivatives.
inline constexpr const char* generated_prelude =
    R"cell(// A cell model out of a CellML file. Made by a program, and not to be changed.
#ifndef __CUDACC_RTC__
#include <cmath>
#endif
#ifdef __CUDACC__
#define CELL_HD __host__ __device__
#else
#define CELL_HD
#endif

namespace generated_cell {

using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atanh; using ::ceil; using ::cos;
using ::cosh; using ::exp; using ::expm1; using ::fabs; using ::floor; using ::log; using ::pow; using ::sin;
using ::sinh; using ::sqrt; using ::tan; using ::tanh;

/// The type of a number without its derivatives.
template <class T, class = void>
struct NumberOf {
  using Type = T;
};
template <class T>
struct NumberOf<T, decltype(void(&T::value))> {
  using Type = decltype(T::value);
};

template <class T>
CELL_HD typename NumberOf<T>::Type value_of(const T& x) {
  if constexpr (sizeof(T) == sizeof(typename NumberOf<T>::Type)) return x;
  else return x.value;
}

/// The value of a function at x, and its derivative where x has some.
template <class T, class N>
CELL_HD T chain(const T& x, N value, N slope) {
  if constexpr (sizeof(T) == sizeof(N)) return value;
  else return T::of(x, value, slope);
}

#define CELL_FUNCTION(name, formula, derivative)           \
  template <class T>                                       \
  CELL_HD T f_##name(const T& argument) {                  \
    using N = typename NumberOf<T>::Type;                  \
    const N x = value_of(argument), y = formula;           \
    return chain(argument, N(y), N(derivative));           \
  }
CELL_FUNCTION(exp, exp(x), y)
CELL_FUNCTION(log, log(x), 1 / x)
CELL_FUNCTION(sqrt, sqrt(x), N(0.5) / y)
CELL_FUNCTION(abs, fabs(x), x < 0 ? -1 : 1)
CELL_FUNCTION(floor, floor(x), 0)
CELL_FUNCTION(ceiling, ceil(x), 0)
CELL_FUNCTION(sin, sin(x), cos(x))
CELL_FUNCTION(cos, cos(x), -sin(x))
CELL_FUNCTION(tan, tan(x), 1 + y * y)
CELL_FUNCTION(asin, asin(x), 1 / sqrt(1 - x * x))
CELL_FUNCTION(acos, acos(x), -1 / sqrt(1 - x * x))
CELL_FUNCTION(atan, atan(x), 1 / (1 + x * x))
CELL_FUNCTION(sinh, sinh(x), cosh(x))
CELL_FUNCTION(cosh, cosh(x), sinh(x))
CELL_FUNCTION(tanh, tanh(x), 1 - y * y)
CELL_FUNCTION(asinh, asinh(x), 1 / sqrt(x * x + 1))
CELL_FUNCTION(acosh, acosh(x), 1 / sqrt(x * x - 1))
CELL_FUNCTION(atanh, atanh(x), 1 / (1 - x * x))
#undef CELL_FUNCTION

/// x / (exp x - 1) and its derivative, by series near 0. Plain numbers near 0 lose nothing by expm1.
template <class N>
CELL_HD N exp_quotient_value(N x) {
  return x < N(1e-8) && x > N(-1e-8) ? 1 - x / 2 : x / expm1(x);
}
template <class N>
CELL_HD N exp_quotient_derivative(N x) {
  const N y = x * x, q = exp_quotient_value(x);
  if (y < N(0.0625))
    return N(-0.5) + x * (N(1. / 6) + y * (N(-1. / 180) + y * (N(1. / 5040) + y * (N(-1. / 151200) + y * N(1. / 4790016)))));
  return (q * (1 - x) - q * q) / x;
}
template <class T>
CELL_HD T f_exp_quotient(const T& argument) {
  const typename NumberOf<T>::Type x = value_of(argument);
  return chain(argument, exp_quotient_value(x), exp_quotient_derivative(x));
}
template <class T>
CELL_HD T f_exp_quotient_slope(const T& argument) {
  using N = typename NumberOf<T>::Type;
  const N x = value_of(argument), q = exp_quotient_value(x), slope = exp_quotient_derivative(x);
  return chain(argument, slope, N(-(slope * x + q + 2 * q * slope) / x));
}

/// a^b of a number b, and of a b that has derivatives.
template <class T>
CELL_HD T power_of_number(const T& a, typename NumberOf<T>::Type b) {
  using N = typename NumberOf<T>::Type;
  const N x = value_of(a), y = pow(x, b);
  return chain(a, y, N(b * pow(x, b - 1)));
}
template <class T>
CELL_HD T power(const T& a, const T& b) {
  if constexpr (sizeof(T) == sizeof(typename NumberOf<T>::Type)) return pow(a, b);
  else return f_exp(b * f_log(a));
}

)cell";

}  // namespace cardiowarp
