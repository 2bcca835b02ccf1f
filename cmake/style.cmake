# cmake --build BUILD --target format | format-check | tidy
foreach(action format format-check tidy)
  add_custom_target(
    ${action}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/style.sh ${action} ${PROJECT_BINARY_DIR}
    USES_TERMINAL VERBATIM)
endforeach()
