#pragma once
#include <string>

#include "app/config/fiber_rule.hpp"
#include "fem/vector3.hpp"

namespace cardiowarp {

// The section `fibers`.

enum class FiberSource { none, constant, mesh, rule };

struct FibersConfig {
  FiberSource source = FiberSource::none;
  Vector3 direction{1, 0, 0};  ///< of `constant`; need not have unit length
  std::string place = {};      ///< of `source`
  FiberRuleConfig rule = {};   ///< of `rule`
};

}  // namespace cardiowarp
