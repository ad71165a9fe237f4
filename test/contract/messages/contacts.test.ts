// The list of contacts, with rules of a channel that does not exist: one field, `to`.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { asRequired, contactReader, fitsOptional } from "#contract/messages/contacts.ts";
import { gatewayIdentifier } from "#contract/messages/fields.ts";
import { isObject, trimOrNull } from "#contract/normalise.ts";
import { checker } from "#contract/wording.ts";

interface Draft {
  to: string | undefined;
}

const { read, slices } = contactReader<Draft>({
  fastPath: ({ to }) => (to === "quick" ? { to } : null),
  normalise: ({ to }) => ({ to: asRequired(trimOrNull(to)) }),
  check: checker(z.object({ to: z.string() })),
});
const limits = { maxContacts: 3 };

test("the quick way is taken where it says so, the careful one for all else", () => {
  const { contacts, issues } = read({ contact: [{ to: "quick" }, { to: " slow " }, { to: [] }] }, limits);
  assert.deepEqual(contacts, [{ to: "quick" }, { to: "slow" }, { to: undefined }]);
  assert.deepEqual(issues, [{ path: ["contact", 2, "to"], message: "The contact.2.to field is required." }]);
});

test("a body without a usable list has one issue and no contacts", () => {
  const faults: [body: unknown, message: string][] = [
    [null, "The contact field is required."],
    [[{ to: "a" }], "The contact field is required."],
    [{ contact: [] }, "The contact field is required."],
    [{ contact: "x" }, "The contact field must be an array."],
    [{ contact: {} }, "The contact field must be an array."],
    [{ contact: [1, 2, 3, 4] }, "The contact field must not have more than 3 items."],
  ];
  for (const [body, message] of faults) {
    assert.deepEqual(read(body, limits), { contacts: [], issues: [{ path: ["contact"], message }] });
  }
});

test("it pauses after each slice", () => {
  const some = slices({ contact: [1, 2, 3] }, limits, 2);
  assert.equal(some.next().done, false);
  assert.equal(some.next().done, true);
});

test("maps, required and optional values", () => {
  assert.deepEqual([{}, [], null, "x"].map(isObject), [true, false, false, false]);
  assert.deepEqual([[], [1], "", null].map(asRequired), [null, [1], "", null]);
  assert.deepEqual(
    [null, "main", "x".repeat(256), 5, undefined].map((value) => fitsOptional(value, gatewayIdentifier)),
    [true, true, false, false, false],
  );
});
