// Tools of the Responses API as functions: names that every vendor takes, one for each tool, and back.

import assert from "node:assert/strict";
import test from "node:test";
import { ToolNames, UnknownTool } from "#ai/apis/tool-names.ts";

test("a function keeps its name; a namespace, odd characters and length make a name of its own", () => {
  const names = new ToolNames();
  const long = "a".repeat(80);
  const of = (name: string, namespace: string | null = null) =>
    names.flat({ kind: "function", name, namespace });
  assert.equal(of("shell"), "shell");
  assert.equal(of("list", "files"), "files__list");
  const all = [of("a.b"), of("a_b"), of(long), of(`${long}b`)];
  assert.equal(new Set(all).size, 4);
  for (const name of all) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.deepEqual(names.find("files__list"), { kind: "function", name: "list", namespace: "files" });
  assert.deepEqual(names.find("unheard"), { kind: "function", name: "unheard", namespace: null });
});

test("OpenAI's namespace for tools that are in no namespace is left out: a call in the history finds its tool", () => {
  const names = new ToolNames();
  names.add([{ type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] }], []);
  assert.equal(names.tools[0]?.function.name, "exec");
  assert.equal(names.flat({ kind: "custom", name: "exec", namespace: null }), "exec");
  assert.equal(names.find("exec").kind, "custom");
  assert.equal(names.flat({ kind: "function", name: "exec", namespace: "files" }), "files__exec");
});

test("custom tools become functions of one text; hosted ones are left out; others are refused", () => {
  const names = new ToolNames();
  const leftOut: string[] = [];
  names.add(
    [
      {
        type: "custom",
        name: "apply_patch",
        description: "Patch.",
        format: { syntax: "lark", definition: "x" },
      },
      { type: "namespace", name: "files", tools: [{ type: "function", name: "list" }] },
      { type: "web_search" },
    ],
    leftOut,
  );
  assert.deepEqual(leftOut, ["web_search"]);
  const [patch, list] = names.tools;
  assert.ok(patch);
  assert.equal(patch.function.description, "Patch.\n\nThe input follows this lark grammar:\nx");
  assert.deepEqual(Object.keys((patch.function.parameters as { properties: object }).properties), ["input"]);
  assert.equal(names.find("apply_patch").kind, "custom");
  assert.equal(list?.function.name, "files__list");
  assert.throws(() => names.add([{ type: "teleport" }], leftOut), UnknownTool);
});
