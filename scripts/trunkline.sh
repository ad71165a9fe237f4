#!/bin/sh
# The command of the image: `trunkline` runs the service, `trunkline key ACCOUNT` and the other words of src/main.ts do one
# thing and end, `trunkline health` tells whether the service in this container is ready.
app=/app
if [ "${1-}" = health ]; then
  exec node "$app/scripts/health.mjs"
fi
exec node --disable-sigusr1 --max-semi-space-size=8 --import "$app/scripts/compile-cache.mjs" "$app/src/main.ts" "$@"
