// Every text that a body may hold, found by walking the schemas of all routes and of the provisioning file: none takes
// what cannot be stored, and none but those listed here takes control or direction characters. A field that is added
// is in the walk by itself, and has to be a `nameText`, have a form of its own, or be listed as free text.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { provisionFile } from "#provision/file.ts";
import { everyRoute } from "../every-route.ts";

/** Texts of people for people, which may have lines and any script. Nothing here may be a name. */
const freeText = [
  "contact.message",
  "contact.subject",
  "contact.sender_name",
  "contact.number",
  "contact.gateway_identifier",
  "contact.filename",
  "contact.button",
  "contact.header",
  "contact.footer",
  "contact.sections.title",
  "contact.sections.rows.id",
  "contact.sections.rows.title",
  "contact.sections.rows.description",
  "contact.text",
  "message",
  "missing",
  "messages.content",
  "note",
  "recipients",
  "stop",
  // A hook's template; what it becomes is made one line.
  "subject",
];
/** Judged by the readers of sends, which their own tests hold to the same. */
const judgedThere = [
  "contact.tags",
  "attachments.filename",
  "attachments.content",
  "attachments.content_type",
];
/** Typed in, hashed and compared, never stored or shown as they are. */
const passwords = ["password", "current_password", "code"];
/** A word out of a list that the code knows; what is not in it is refused and not stored. */
const lists = ["kind"];

type Schema = z.core.$ZodType;

/** The schemas of texts inside a schema, with the path of their names; elements of lists have their list's. */
function* texts(schema: Schema, path: string, seen = new Set<Schema>()): Generator<[string, Schema]> {
  if (seen.has(schema)) return;
  const inside = new Set(seen).add(schema);
  const { def } = schema._zod;
  const inner = def as {
    innerType?: Schema;
    element?: Schema;
    options?: Schema[];
    shape?: Record<string, Schema>;
    in?: Schema;
    keyType?: Schema;
  };
  if (def.type === "string") yield [path, schema];
  for (const [name, field] of Object.entries(inner.shape ?? {}))
    yield* texts(field, path === "" ? name : `${path}.${name}`, inside);
  for (const one of [inner.innerType, inner.element, inner.in, ...(inner.options ?? [])])
    if (one !== undefined) yield* texts(one, path, inside);
}

const bad = {
  nul: "\0",
  "half a character": "\ud800",
  "a line end": "\n",
  "a control character": "\u0007",
  "a C1 control": "\u0085",
  "a line separator": "\u2028",
  "right-to-left override": "\u202e",
  "a right-to-left mark": "\u200f",
  "an isolate": "\u2067",
};

/** Texts of many forms, each with the character in it, so that one of them has the field's form but for it. */
const carriers = (character: string) => [
  `a${character}b`,
  `a${character}b@example.com`,
  `ann@ex${character}ample.com`,
  `https://example.com/a${character}b`,
  `a${character}b.example.com`,
  `tl_0123456789abcdef0123456789abcdef${character}`,
  `message.queued${character}`,
  `a${character}${"b".repeat(40)}`,
];

const bodies = everyRoute
  // What is said to models is passed on untouched, and nothing of it is stored.
  .filter(({ body, family }) => body !== undefined && family !== "pool")
  .map(({ name, body }) => [name, body as Schema] as const);
const all = [...bodies, ["provisioning file", provisionFile as Schema] as const].flatMap(([route, schema]) =>
  [...texts(schema, "")].map(([path, field]) => ({ route, path, field })),
);
const leaf = (path: string) => path.split(".").at(-1)!;
const takes = (field: Schema, text: string) => z.safeParse(field, text).success;

test("there is something to walk, down to the names of members in the provisioning file", () => {
  const paths = new Set(all.map(({ path }) => path));
  for (const path of [
    "name",
    "plan.name",
    "identifier",
    "accounts.pools.members.name",
    "accounts.pools.keys.name",
  ])
    assert.ok(paths.has(path), `${path} of ${[...paths].join(", ")}`);
});

/** Fields that take one of these characters although they are none of `exempt`, each with the first that it takes. */
function takers(characters: Record<string, string>, exempt: readonly string[]): string[] {
  const found = all
    .filter(({ path }) => !exempt.includes(path) && !exempt.includes(leaf(path)))
    .flatMap(({ route, path, field }) => {
      const taken = Object.entries(characters).find(([, character]) =>
        carriers(character).some((text) => takes(field, text)),
      );
      return taken === undefined ? [] : [`${route}: ${path} takes ${taken[0]}`];
    });
  return [...new Set(found)].sort();
}

test("no text of a body takes what cannot be stored", () => {
  const { nul, "half a character": half } = bad;
  assert.deepEqual(takers({ nul, half }, [...passwords, ...lists, ...judgedThere]), []);
});

test("no name takes control or direction characters; what does is free text, and is listed", () => {
  assert.deepEqual(takers(bad, [...freeText, ...passwords, ...lists, ...judgedThere]), []);
});
