// A folder of built files, read whole into memory: they are few and small, and a request for one never waits for a disk.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { gunzipSync } from "node:zlib";

export interface StaticFile {
  bytes: Buffer<ArrayBuffer>;
  /** The same, compressed when it was built; null if compression does not make it smaller. */
  gzip: Buffer<ArrayBuffer> | null;
}

/** The files below a folder by their path with slashes (`assets/main.js`); empty where there is no such folder. */
export function readStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const contents = new Map<string, Buffer<ArrayBuffer>>();
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      contents.set(relative(folder, path).replaceAll(sep, "/"), readFileSync(path));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return new Map();
  }
  const files = new Map<string, StaticFile>();
  for (const name of new Set([...contents.keys()].map((path) => path.replace(/\.gz$/, "")))) {
    const gzip = contents.get(`${name}.gz`) ?? null;
    // The npm package has what is compressed in this form alone.
    const bytes = contents.get(name) ?? (gzip && gunzipSync(gzip));
    if (bytes !== null) files.set(name, { bytes, gzip });
  }
  return files;
}
