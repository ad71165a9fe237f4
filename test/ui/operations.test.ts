// Every operation of the management API has a caller in the dashboard, or a reason why it has none.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { routes } from "#ui/api/operations.ts";
import { clientOperations } from "../../scripts/docs-client.ts";

/** Operations that the dashboard does not call. */
const uncalled: Record<string, string> = {
  setUp: "the page of the set-up link calls it, which works without the dashboard",
  checkSetupLink: "likewise",
  setUpUser: "likewise",
  createSetupCode: "the command line makes it, on the machine of the installation alone",
  setProvisioningFile: "likewise",
  getProvisioningFile: "likewise",
  registerGateway:
    "a number is registered once, with a PIN that Meta's own pages give; docs/whatsapp.md has the command",
  listEventTypes:
    "for programs: the form of a webhook takes patterns, and docs/reference/events.md lists the types for people",
  releaseSuppressions: "for the day after a fault of the operator's own; docs/email.md has it",
  listPoolMembers: "the pool has its members",
};

/** The first argument of what calls an operation: its name, or the choice of one. What names it besides, such as `live.ts`, calls nothing. */
const calls =
  /\b(?:useRead|usePages|usePaced|useChange|useForm|call|openStream|addressOf)(?:<\w+>)?\(([^,)]*)[,)]|<Act\s+of=("\w+")|\brotate: ("\w+"),/g;

const namesIn = (text: string): string[] =>
  [...text.matchAll(calls)].flatMap(([, ...found]) =>
    [...found.join().matchAll(/"(\w+)"/g)].map(([, name = ""]) => name),
  );

const generated = /^\/\/ Generated /;
const called = new Set(
  globSync("ui/src/**/*.{ts,tsx}")
    .map((path) => readFileSync(path, "utf8"))
    .filter((text) => !generated.test(text))
    .flatMap(namesIn),
);

test("a use is the name where an operation is called, and not where it is listed", () => {
  const text = `useRead("getPool", {}); const touches = ["listPools"]; usePages(all ? "listA" : "listB", {});
  const read = { calls: ["listPoolCalls"] }; form("updatePool");
  <Act of="resumeGateway" input={{}} />; <Act
    of="replayDelivery"
  />; <RotateKey by={{ rotate: "rotateNamedKey", params }} />; type By = { rotate: "rotatePoolKey"; };`;
  assert.deepEqual(namesIn(text), [
    "getPool",
    "listA",
    "listB",
    "resumeGateway",
    "replayDelivery",
    "rotateNamedKey",
  ]);
  assert.ok(generated.test(readFileSync("ui/src/api/operations.ts", "utf8")));
});

test("no operation is without a caller or a reason", () => {
  const names = Object.keys(routes);
  assert.ok(names.length > 90);
  assert.deepEqual(
    names.filter((name) => !called.has(name)),
    names.filter((name) => Object.hasOwn(uncalled, name)),
  );
  for (const name of Object.keys(uncalled)) assert.ok(names.includes(name), `${name} is an operation`);
});

test("what an operation answers has the type that the client reads it as", () => {
  const operation = (operationId: string, type: string) => ({
    get: { operationId, responses: { 200: { content: { [type]: { schema: { type: "string" } } } } } },
  });
  const text = clientOperations({
    paths: {
      "/api/manage/v1/a": operation("getJson", "application/json"),
      "/api/manage/v1/b": operation("getText", "text/plain; charset=utf-8"),
      "/api/manage/v1/c": operation("watch", "text/event-stream"),
      "/api/manage/v1/d": operation("getFile", "application/octet-stream"),
    },
    components: { schemas: {}, parameters: {} },
  });
  assert.deepEqual(
    [...text.matchAll(/^ {2}(\w+): \{.*reply: (\w+) \};$/gm)].map(([, name, reply]) => [name, reply]),
    [
      ["getJson", "string"],
      ["getText", "string"],
      ["watch", "undefined"],
      ["getFile", "undefined"],
    ],
  );
});
