# Writes into the folder `printed` what `program` prints of itself: manual pages, completion for three shells, and the schema
# of its configuration.
function(print_into file)
  execute_process(COMMAND ${program} ${ARGN} OUTPUT_FILE ${printed}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(MAKE_DIRECTORY ${printed})
print_into(cardiowarp.1 man)
print_into(cardiowarp.yaml.5 man cardiowarp.yaml)
print_into(cardiowarp completion bash)
print_into(_cardiowarp completion zsh)
print_into(cardiowarp.fish completion fish)
print_into(cardiowarp.schema.json check --schema)
