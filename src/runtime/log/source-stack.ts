// Maps stack traces of the bundle to the sources. Node can do that by itself (`--enable-source-maps`), but then keeps every map in memory
// from the start; its `SourceMap` takes 260 ms and 130 MB for the largest. This takes about 45 ms, once for each distinct frame.

import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { installation } from "#runtime/program.ts";

const bundle = new URL("build/service/", installation);

/** A frame's position within the bundle's folder. */
const place = /^([\w.-]+\.mjs):(\d+):(\d+)/;

/** Frames that were looked up, so that a repeated error costs nothing. */
const known = new Map<string, string>();
const maxKnown = 2_000;

/** `stack` with the frames of the bundle as `src/FILE.ts:LINE:COLUMN`. A frame without a map stays as it is. */
export function sourceStack(stack: string): string {
  if (!stack.includes(bundle.href)) return stack;
  const [before, ...parts] = stack.split(bundle.href);
  const unknown = parts
    .map((part) => place.exec(part))
    .filter((found) => found !== null && !known.has(found[0]))
    .map((found) => found ?? []);
  for (const [file, inFile] of Map.groupBy(unknown, ([, file = ""]) => file)) {
    if (known.size > maxKnown) known.clear();
    const sources = originalPlaces(
      file,
      inFile.map(([, , line, column]) => ({ line: Number(line) - 1, column: Number(column) - 1 })),
    );
    for (const [index, [whole = ""]] of inFile.entries())
      known.set(whole, sources[index] ?? `${bundle.href}${whole}`);
  }
  return `${before}${parts.map((part) => part.replace(place, (whole) => known.get(whole) ?? whole)).join("")}`;
}

/** A position in a file; lines and columns count from 0. */
interface Place {
  line: number;
  column: number;
}

interface Original extends Place {
  /** Its index among the sources of the map. */
  source: number;
}

/** The sources of these positions in a file of the bundle, in their order. Undefined if its map has none, or does not exist. */
function originalPlaces(file: string, places: readonly Place[]): (string | undefined)[] {
  let map: { sources: string[]; mappings: string };
  try {
    map = JSON.parse(readFileSync(new URL(`${file}.map`, bundle), "utf8"));
  } catch {
    return [];
  }
  return lookUp(map.mappings, places).map((found) => {
    const source = found === null ? undefined : map.sources[found.source];
    if (found === null || source === undefined) return undefined;
    const path = relative(fileURLToPath(installation), fileURLToPath(new URL(source, bundle)));
    return `${path}:${found.line + 1}:${found.column + 1}`;
  });
}

/** The value of each base64 digit by its character code, and -1 for others. */
const digits = new Int8Array(128).fill(-1);
for (const [value, digit] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries())
  digits[digit.charCodeAt(0)] = value;

/**
 * Reads the `mappings` of a source map (ECMA-426): for each position, the last segment of its line that does not begin after it. A segment
 * is four or five base64 VLQ numbers, each the difference from the one before.
 */
function lookUp(mappings: string, places: readonly Place[]): (Original | null)[] {
  const found: (Original | null)[] = places.map(() => null);
  const byLine = Map.groupBy(places.keys(), (index) => places[index]?.line ?? 0);
  const last = Math.max(...byLine.keys());
  // Generated column, source, line, column, name.
  const state = new Int32Array(5);
  let line = 0;
  let here = byLine.get(0);
  let field = 0;
  let value = 0;
  let shift = 0;
  for (let at = 0; at <= mappings.length && line <= last; at++) {
    const code = at < mappings.length ? mappings.charCodeAt(at) : 0;
    const digit = digits[code] ?? -1;
    if (digit >= 0) {
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      state[field] = (state[field] ?? 0) + (value & 1 ? -(value >> 1) : value >> 1);
      field += 1;
      value = 0;
      shift = 0;
      continue;
    }
    // The end of a segment, which names a source or nothing.
    if (field > 0 && here !== undefined) {
      const [column = 0, source = 0, originalLine = 0, originalColumn = 0] = state;
      for (const index of here)
        if ((places[index]?.column ?? 0) >= column)
          found[index] = field === 1 ? null : { source, line: originalLine, column: originalColumn };
    }
    field = 0;
    if (code === 59) {
      line += 1;
      here = byLine.get(line);
      state[0] = 0;
    }
  }
  return found;
}
