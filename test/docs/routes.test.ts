// Every operation that the documentation names by its method and path is in the OpenAPI document.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { guides, pages } from "./pages.ts";

const document = JSON.parse(readFileSync("docs/reference/openapi.json", "utf8")) as {
  paths: Record<string, Record<string, unknown>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/** The segments of a path, without what follows it. */
const segmentsOf = (path: string) =>
  path
    .replace(/[?#].*$|\/$/, "")
    .replace(/^…?\//, "")
    .split("/");
const isParameter = (segment: string) => segment.startsWith("{") && segment.endsWith("}");

/** Whether a page's path is an operation's, or its end behind `…`. A page may have a value in a parameter's place, but begins with a word. */
function fits(operation: string, method: string, shown: string): boolean {
  const [of = "", path = ""] = operation.split(" ");
  const named = segmentsOf(shown);
  const whole = segmentsOf(path);
  const end = shown.startsWith("…") ? whole.slice(-named.length) : whole;
  return (
    of === method &&
    end.length === named.length &&
    end[0] === named[0] &&
    end.every((segment, at) => isParameter(segment) || segment === named[at])
  );
}

test("operations that pages name are there", () => {
  const wrong: string[] = [];
  let count = 0;
  for (const page of new Set([...guides, ...pages.filter((path) => path.startsWith("docs/"))]))
    for (const [, method = "", shown = ""] of readFileSync(page, "utf8").matchAll(
      /`(GET|POST|PATCH|PUT|DELETE) ((?:…|\/api\/)[^\s`]+)`/g,
    )) {
      count += 1;
      if (!operations.some((operation) => fits(operation, method, shown)))
        wrong.push(`${page}: ${method} ${shown}`);
    }
  assert.deepEqual(wrong, []);
  assert.ok(count >= 50, `${count} operations`);
});
