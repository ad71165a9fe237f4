// Imported before anything else: libsignal prints private keys of sessions to the console.

for (const name of ["log", "info", "warn", "error", "debug", "trace", "dir", "table"] as const)
  console[name] = () => {};
