# usage: cmake -DROOT=FOLDER -DTEMPLATE=FILE.in -DOUTPUT=FILE -P commit.cmake
# Writes TEMPLATE to OUTPUT with @commit@ replaced by the commit that is checked out in ROOT. It runs at every build and
# leaves OUTPUT alone where the commit is the same, so that nothing is compiled again. The parent folder's repository
# says nothing of an unpacked archive that lies in it.
function(git result)
  execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks -C ${ROOT} ${ARGN}
                  OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(text)
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

find_package(Git QUIET)
if(NOT Git_FOUND)
  set(commit "unknown (there was no git where it was built)")
else()
  git(top rev-parse --show-toplevel)
  git(commit rev-parse --short=12 HEAD)
  file(REAL_PATH "${ROOT}" root)
  if(NOT top STREQUAL root OR NOT commit)
    set(commit "unknown (not built from a checkout)")
  else()
    git(changes status --porcelain --untracked-files=no)
    if(changes)
      string(APPEND commit " with changes")
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
