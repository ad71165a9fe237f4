// Runs after npm has installed this repository's packages: removes the headers for native add-ons, a third of the pinned Node's 210 MB.
// Nothing here is compiled. Plain JavaScript without dependencies, because the machine's Node runs it.
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runtimePackage } from "../bin/runtimes.mjs";

if (runtimePackage)
  rmSync(fileURLToPath(new URL(`../node_modules/${runtimePackage}/include`, import.meta.url)), {
    recursive: true,
    force: true,
  });
