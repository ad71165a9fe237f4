// Reads the provisioning file with the variables of this process.

import { resolve } from "node:path";
import { Failure, type Terminal } from "#command-line/terminal.ts";
import type { ProvisionFile } from "#provision/file.ts";

/** Throws all faults of the file. */
export async function readProvision({ environment, folder }: Terminal, path: string): Promise<ProvisionFile> {
  // The parser is loaded only if there is a file.
  const { readProvisionFile } = await import("#provision/file.ts");
  const read = readProvisionFile(resolve(folder, path), environment);
  if ("errors" in read) throw new Failure(read.errors);
  return read.file;
}
