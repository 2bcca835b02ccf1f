# Libraries that a build takes where they are found: CARDIOWARP_NAME is AUTO, ON or OFF, CARDIOWARP_WITH_NAME what came of it.
macro(cardiowarp_optional_library name description)
  set(CARDIOWARP_${name} AUTO CACHE STRING "${description}, ON, OFF")
  set_property(CACHE CARDIOWARP_${name} PROPERTY STRINGS AUTO ON OFF)
  set(CARDIOWARP_WITH_${name} OFF)
endmacro()

# Where the library `what` was not found: an error if it is ON, else a line that says that `purpose` is left out.
function(cardiowarp_library_not_found name what purpose)
  if(CARDIOWARP_${name} STREQUAL "ON")
    message(FATAL_ERROR "CARDIOWARP_${name} is ON, but ${what} was not found")
  endif()
  message(STATUS "${purpose}: no (${what} was not found)")
endfunction()
