// Lists as other services export them.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { chooseColumn } from "#command-line/import/column.ts";
import { commands } from "../commands.ts";
import { serveHere } from "../serve-here.ts";

const { folder, call, run } = commands();
serveHere(folder, "data");

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const imported = async (path: string, ...words: string[]) => {
  const { code, out, error } = await call("data", "import", "suppressions", path, "--json", ...words);
  assert.equal(code, 0, error);
  return JSON.parse(out);
};

describe("the column", () => {
  const names = ["id", "Email Address", "Reason", "Backup e-mail"];
  const rows = [
    names,
    ["1", "ada@example.com", "bounce", ""],
    ["2", "eve@example.com", "spam", "eve@other.test"],
  ];

  test("is the one with the most recipients, or the one that is named", () => {
    assert.deepEqual(chooseColumn(rows, null, null), {
      at: 1,
      name: names[1],
      channel: "email",
      hasNames: true,
    });
    assert.equal(chooseColumn(rows, "backup E-MAIL", null).at, 3);
    assert.equal(chooseColumn(rows, "4", null).at, 3);
    assert.throws(() => chooseColumn(rows, "phone", null), /There is no column phone\. There are: id, Email/);
    assert.throws(() => chooseColumn(rows, null, "sms"), /No column has phone numbers/);
  });

  test("needs no names", () => {
    const bare = [["+4915112345678"], ["0151 2345-679"]];
    assert.deepEqual(chooseColumn(bare, null, null), { at: 0, name: "", channel: "sms", hasNames: false });
  });
});

test("a list with quotes, semicolons and a byte-order mark is taken over once", async () => {
  const list =
    '\ufeff"Name";"E-Mail";"Datum"\r\n"Lovelace; Ada";"ada@example.com";"2026-01-01"\r\n"";"EVE@example.com";""\r\n\r\n';
  const path = file("list.csv", list);
  const first = await imported(path, "--note", "from the old service");
  assert.deepEqual(
    [first.channel, first.column, first.added, first.present, first.refused],
    ["email", "E-Mail", 2, 0, []],
  );
  const again = await imported(path);
  assert.deepEqual([again.added, again.present], [0, 2]);
});

test("what is refused is named with its line, and the rest is added", async () => {
  const lines = Array.from({ length: 1_500 }, (_, at) => `+49151${String(10_000_000 + at)},x`);
  lines[1_200] = "call me,x";
  lines[3] = "+1,x";
  const found = await imported(file("numbers.csv", `msisdn,why\n${lines.join("\n")}\n`));
  assert.deepEqual([found.channel, found.added, found.refused.length], ["sms", 1_498, 2]);
  assert.deepEqual(
    found.refused.map(({ line, recipient }: { line: number; recipient: string }) => [line, recipient]),
    [
      [5, "+1"],
      [1_202, "call me"],
    ],
  );
});

test("a file without recipients, and one that is missing, end with a sentence", async () => {
  const none = await call("data", "import", "suppressions", file("none.csv", "a,b\n1,2\n"));
  assert.deepEqual(
    [none.code, none.error],
    [1, "trunkline: No column has phone numbers or email addresses. Name one with --column: a, b.\n"],
  );
  assert.match((await run("data", "import", "suppressions", join(folder, "gone.csv"))).error, /ENOENT/);
});
