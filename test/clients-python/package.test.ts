// The Python client, as far as it can be read without Python; `npm run test:clients:python` runs it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (name: string) => readFileSync(new URL(`../../clients/python/${name}`, import.meta.url), "utf8");

test("both clients are the same but for the words of asyncio", () => {
  const sync = (text: string) =>
    text
      .slice(text.indexOf("\nclass"))
      .replace(/\((await [^\n]*)\)\["data"\]/g, '$1["data"]')
      .replaceAll("await ", "")
      .replaceAll("async def", "def")
      .replaceAll("async with", "with")
      .replaceAll("async for", "for")
      .replaceAll("aiter_bytes", "iter_bytes")
      .replaceAll("Awaitable[None]", "None")
      .replaceAll("asyncio.sleep", "time.sleep")
      .replaceAll("aclose", "close")
      .replace(/__a(enter|exit)__/g, "__$1__")
      .replaceAll(" for asyncio", "")
      .replaceAll("Async", "");
  assert.equal(sync(read("src/trunkline/async_client.py")), sync(read("src/trunkline/client.py")));
});

test("its licence is that of the repository", () => {
  const root = readFileSync(new URL("../../LICENSE", import.meta.url), "utf8");
  assert.equal(read("LICENSE"), root);
  assert.match(read("pyproject.toml"), /^license = "Apache-2\.0"$/m);
});

test("the types have every event of the document", () => {
  const document = JSON.parse(
    readFileSync(new URL("../../docs/reference/openapi.json", import.meta.url), "utf8"),
  ) as { webhooks: Record<string, unknown> };
  const types = read("src/trunkline/types.py");
  const known = [...types.matchAll(/^class (\w+)\(TypedDict\):\n {4}type: Literal\["([\w.]+)"\]/gm)];
  assert.deepEqual(known.map(([, , type]) => type).sort(), Object.keys(document.webhooks).sort());
  const union = types.slice(types.indexOf("WebhookEvent = Union["));
  for (const [, name = ""] of known) assert.ok(union.includes(`    "${name}",`), name);
});
