// What a form makes of the schemas of all kinds of gateways and providers.

import assert from "node:assert/strict";
import test from "node:test";
import { poolChanges, poolFields } from "#contract/manage/pools/pools.ts";
import { adapters } from "#gateways/registry.ts";
import { namedSchemas } from "#http/openapi/schemas.ts";
import { schemaOf } from "#http/routes/manage/gateways/kinds.ts";
import { providers } from "#providers/registry.ts";
import {
  applies,
  changed,
  changesOf,
  controlOf,
  deciders,
  isMask,
  type Schema,
  scalarOf,
  withoutNull,
} from "#ui/schema-form/model.ts";
import { labelOf, proseOf, sentencesOf, unitFor, unitsOf } from "#ui/schema-form/words.ts";
import { digitsOf } from "#ui/words/numbers.ts";
import { generate } from "../../scripts/docs.ts";

/** Every schema below a schema, by its path. */
function* walk(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema];
  for (const { properties = {} } of [schema, ...(schema.anyOf ?? [])])
    for (const [name, each] of Object.entries(properties)) yield* walk(each, `${path}.${name}`);
}

test("every setting of every kind has a control, and every secret text a secret one", () => {
  const kinds = [...adapters, ...providers].map(({ kind, settings }) => ({
    kind,
    settings: schemaOf(settings),
  }));
  assert.ok(kinds.length > 10);
  for (const { kind, settings } of kinds) {
    for (const [path, schema] of walk(settings as Schema, kind)) {
      const control = controlOf(schema);
      if (schema.writeOnly === true && schema.type === "string")
        assert.ok(
          control === "secret" || control === "long",
          `${path} is a secret in a control of ${control}`,
        );
    }
  }
});

test("controls follow the type", () => {
  assert.equal(controlOf({ type: "string", enum: ["a"] }), "choice");
  // A consent, which is true or not there.
  assert.equal(controlOf({ type: "boolean", const: true }), "switch");
  assert.equal(controlOf({ type: "array", items: { type: ["string", "number"] } }), "lines");
  assert.equal(controlOf({ type: "array", items: { type: "string", enum: ["a"] } }), "boxes");
  assert.equal(controlOf({ type: "array", items: { type: "object" } }), "json");
  assert.equal(controlOf({ type: "string", format: "date-time" }), "instant");
  assert.equal(controlOf({ type: "object", additionalProperties: { type: "string" } }), "pairs");
  assert.equal(controlOf({ anyOf: [{ type: "string" }, { type: "object" }] }), "json");
  assert.equal(controlOf({ type: "string", description: "The key in PEM.", writeOnly: true }), "long");
});

test("a value that may be null has the control of its values", () => {
  const text = { type: "string" };
  for (const [schema, control] of [
    [{ anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] }, "number"],
    [{ anyOf: [{ type: "array", items: text }, { type: "null" }] }, "lines"],
    [{ anyOf: [{ type: "object", properties: {} }, { type: "null" }] }, "group"],
    [{ type: ["string", "null"] }, "text"],
    [{ type: "string", const: "p95" }, "choice"],
    [{ type: "object", additionalProperties: { type: "object", properties: {} } }, "groups"],
    [{ anyOf: [text, { type: "object" }, { type: "null" }] }, "json"],
  ] as const)
    assert.equal(controlOf(schema), control);
  const bound = { description: "A bound.", default: 80, anyOf: [{ type: "integer" }, { type: "null" }] };
  assert.deepEqual(withoutNull(bound), {
    schema: { type: "integer", description: "A bound.", default: 80 },
    nullable: true,
  });
});

const forms = JSON.parse((await generate()).get("ui/src/api/forms.json") ?? "") as Record<string, Schema>;

test("every field of a request with a form has a control that needs no JSON", () => {
  const fields = Object.entries(forms).flatMap(([name, form]) => [...walk(form, name)]);
  assert.ok(fields.length > 40);
  assert.deepEqual(
    fields.filter(([, schema]) => controlOf(schema) === "json").map(([path]) => path),
    [],
  );
  assert.deepEqual(Object.keys(forms.pool?.properties ?? {}), Object.keys(poolFields.shape));
});

test("a form sends what changed: fields of groups one by one, the default of what was emptied", () => {
  const stored = poolFields.parse({ name: "default", hedge: {} });
  const pool = forms.pool ?? {};
  const changes = (values: object) => changesOf(pool, stored, { ...stored, ...values });
  assert.deepEqual(changes({}), {});
  for (const [values, sent] of [
    [
      { repeat: 2, budget: { ...stored.budget, low_percent: null } },
      { repeat: 2, budget: { low_percent: null } },
    ],
    [{ deadline_ms: undefined }, { deadline_ms: 600_000 }],
    [{ hedge: { max_share: 0.1 } }, { hedge: { max_share: 0.1 } }],
    [{ hedge: null }, { hedge: null }],
  ]) {
    assert.deepEqual(changes(values!), sent);
    assert.ok(poolChanges.safeParse(sent).success);
  }
  const kind = {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "object", properties: {} } },
  };
  const member = { type: "object", properties: { settings: kind } };
  const before = { settings: { a: "1", b: { c: 1, d: 1 } } };
  assert.deepEqual(changesOf(member, before, { settings: { b: { c: 2, d: 1 } } }), {
    settings: { a: null, b: { c: 2, d: 1 } },
  });
});

test("a line is a number or a truth value where it may be one", () => {
  assert.equal(scalarOf("200", { type: ["string", "number"] }), 200);
  assert.equal(scalarOf("200", { type: "string" }), "200");
  assert.equal(scalarOf("true", { type: ["string", "boolean"] }), true);
  assert.equal(scalarOf("2xx", { type: ["string", "number"] }), "2xx");
});

test("an emptied value leaves, a mask is known, and names become labels", () => {
  assert.deepEqual(changed({ a: 1, b: 2 }, "a", undefined), { b: 2 });
  assert.ok(isMask("••••") && !isMask("text") && !isMask(1));
  assert.equal(labelOf("auth_token"), "Auth token");
  assert.deepEqual(
    ["base_url", "sms", "idle_ms"].map((name) => labelOf(name)),
    ["Base URL", "SMS", "Idle"],
  );
});

test("what a person reads names neither JSON's values, nor fields of the API, nor a unit that the control shows", () => {
  const kinds = [...adapters, ...providers].map(
    ({ kind, settings }) => [kind, schemaOf(settings) as Schema] as const,
  );
  const all = [...Object.entries(forms), ...kinds].flatMap(([name, schema]) => [...walk(schema, name)]);
  const quantities = all.filter(([path, schema]) => unitsOf(path, schema) !== null);
  assert.ok(quantities.length > 20);
  const fields = new Set(all.map(([path]) => path.split(".").at(-1) ?? ""));
  for (const [path, schema] of all) {
    const name = path.split(".").at(-1) ?? "";
    const { text = "" } = proseOf(schema);
    const coded = [...text.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);
    // SMPP's own names are what its users look for.
    const ofApi = coded.filter(
      (word) =>
        /^(true|false)$/.test(word) || (/_/.test(word) && fields.has(word) && !path.startsWith("smpp.")),
    );
    assert.deepEqual(ofApi, [], path);
    assert.doesNotMatch(text, /\bnull\b|[,;.] *[,;.]|, (in )?(ms|s|bytes)\b|millisecond|many seconds/i, path);
    assert.doesNotMatch(labelOf(name, schema), /\b(ms|bytes|Sms|Url|Api)\b/, path);
  }
  for (const [path, whole] of quantities) {
    const units = unitsOf(path, whole) ?? [];
    assert.equal(controlOf(whole), "number", path);
    const [, times] = unitFor(whole.default, units);
    if (typeof whole.default === "number") assert.ok(Number.isInteger(whole.default / times), path);
  }
});

test("a field that only some choices have is shown for those, or as long as it has a value", () => {
  const bound = [...adapters, ...providers].flatMap(({ kind, settings }) => {
    const schema = schemaOf(settings) as Schema;
    return Object.entries(schema.properties ?? {}).flatMap(([name, { only = {} }]) =>
      Object.entries(only).map(([other, words]) => ({ kind, schema, name, other, words })),
    );
  });
  assert.ok(bound.length >= 5);
  for (const { kind, schema, name, other, words } of bound) {
    assert.ok(deciders(schema).has(other));
    const choices = schema.properties?.[other]?.enum ?? [];
    assert.ok(words.length > 0 && words.every((word) => choices.includes(word)), `${kind}.${name}`);
    for (const choice of choices)
      assert.equal(applies(schema, name, { [other]: choice }), words.includes(choice), `${kind}.${name}`);
    assert.ok(!applies(schema, name, {}), "the default choice is another");
    assert.ok(applies(schema, name, { [other]: "openai", [name]: "left over" }));
  }
});

test("fields have titles, cards and places in the schemas, of which the public document says nothing", () => {
  const { pool = {}, member = {}, account = {}, gateway = {} } = forms;
  const of = (schema: Schema, name: string) => schema.properties?.[name] ?? {};
  assert.equal(labelOf("lateness_ms", of(account, "lateness_ms")), "Too late after");
  assert.equal(labelOf("for_ms", of(of(gateway, "retry"), "for_ms")), "Give up after");
  assert.deepEqual(unitsOf("low_percent", of(of(pool, "budget"), "low_percent")), [["%", 1]]);
  const cards = Object.groupBy(Object.entries(pool.properties ?? {}), ([, { group = "" }]) => group);
  const named = ([title, fields = []]: [string, [string, Schema][] | undefined]) => [
    title,
    fields.map(([name]) => name),
  ];
  assert.deepEqual(Object.entries(cards).map(named).toSorted().slice(1), [
    ["Answers", ["answer_model", "stream_mode", "headers_after_ms", "params", "whole_answers"]],
    ["Failover", ["deadline_ms", "repeat", "wait_ms", "affinity"]],
  ]);
  const unfolded = Object.entries(member.properties ?? {}).filter(([, { advanced }]) => advanced === false);
  assert.deepEqual(named(["", unfolded])[1], ["models", "priority"]);
  const keywords = new Set(
    Object.values(namedSchemas())
      .flatMap((schema) => [...walk(schema, "")])
      .flatMap(([, each]) => Object.keys(each)),
  );
  for (const word of ["title", "group", "unit", "advanced", "only"]) assert.ok(!keywords.has(word), word);
});

test("a choice whose values are described is one of sentences", () => {
  const { affinity, params } = forms.pool?.properties ?? {};
  assert.match(sentencesOf(affinity?.description ?? "", ["prefix", "none"])?.of.get("none") ?? "", /^Each/);
  assert.equal(sentencesOf(params?.description ?? "", ["adapt", "other"]), null);
  for (const [text, rest, one] of [
    ["`one`: first; `two`: both.", "", "First."],
    [
      "Who is called. `one`: the first, `b`. `two`: both. If not set, none.",
      "Who is called. If not set, none.",
      "The first, `b`.",
    ],
  ] as const) {
    const found = sentencesOf(text, ["one", "two"]);
    assert.deepEqual([found?.rest, found?.of.get("one"), found?.of.get("two")], [rest, one, "Both."]);
  }
});

test("a number is in groups, and what is no number is whole", () => {
  for (const [text, groups] of [
    ["+4915123456789", "+49 151 2345 6789"],
    ["+15550000001", "+1 555 000 0001"],
    ["+33612345678", "+33 612 345 678"],
    ["+971501234567", "+971 501 234 567"],
    ["+491512345", "+49 151 2345"],
    ["ada@acme.example", "ada@acme.example"],
    ["+49151", "+49151"],
    ["4915123456789", "4915123456789"],
  ] as const)
    assert.equal(digitsOf(text).join(" "), groups);
});

test("a description names what an empty control means", () => {
  for (const [description, text, empty] of [
    ["Tokens per day; null for no limit.", "Tokens per day.", "no limit"],
    [
      "How long it tries, in seconds. Null: as long as it likes.",
      "How long it tries.",
      "as long as it likes",
    ],
    ["Longest wait, ms.", "Longest wait.", null],
    ["When it ends (ISO 8601); null if it does not.", "When it ends; empty if it does not.", null],
    [
      "A cache. If null, every request calls a member.",
      "A cache. If not set, every request calls a member.",
      null,
    ],
    ["It is tried for some seconds of silence.", "It is tried for some seconds of silence.", null],
  ] as const)
    assert.deepEqual(proseOf({ description }), { text, empty });
  assert.deepEqual(unitFor(259_200_000, unitsOf("lateness_ms") ?? []), ["d", 86_400_000]);
  assert.deepEqual(unitFor(1_500, unitsOf("idle_ms") ?? []), ["ms", 1]);
  assert.deepEqual(unitFor(10_485_760, unitsOf("max_bytes") ?? []), ["MiB", 1_048_576]);
  assert.equal(unitsOf("requests_per_minute"), null);
});
