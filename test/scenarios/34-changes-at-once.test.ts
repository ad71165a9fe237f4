// A thousand changes at once: no accepted one is lost. Each writer owns one field of a resource and sets it again and again while
// others change the other fields, so a change that was computed from an old row would bring back an older value of
// the field. On PostgreSQL two processes take the requests; on SQLite, which serves one process, one does. With real
// processes, which also apply one provisioning file at the same moment.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Pool } from "undici";
import { freePort, type Server, startServer } from "../faults/server.ts";
import { engines } from "../harness.ts";
import { freshDatabase } from "../postgres.ts";

const token = `tlm_${"t".repeat(43)}`;
const provision = {
  accounts: [
    {
      name: "provisioned",
      gateways: Array.from({ length: 5 }, (_, i) => ({
        identifier: `provisioned-${i}`,
        channel: "sms",
        kind: "sandbox",
        default: i === 0,
      })),
      webhooks: [{ url: "https://hook.example.com/1" }, { url: "https://hook.example.com/2" }],
      sending_domains: [{ domain: "example.com" }],
      pools: [
        {
          name: "default",
          members: [1, 2].map((i) => ({ name: `member-${i}`, kind: "sandbox", models: ["echo"] })),
          keys: [{ name: "one" }, { name: "two" }],
        },
      ],
    },
  ],
  management_tokens: [{ name: "race", token, role: "operator" }],
};

interface Reply {
  status: number;
  body: { message: string; code?: string; data: Resource };
}
type Resource = { [field: string]: unknown; id: string; revision: number };
type Ask = (method: string, path: string, body?: object) => Promise<Reply>;

interface Place {
  /** One for each process. */
  asks: Ask[];
  /** What the processes printed. */
  printed(): string;
  close(): Promise<void>;
}

function asking(base: string): { ask: Ask; close: () => Promise<void> } {
  const pool = new Pool(base, { connections: 32 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const ask: Ask = async (method, path, body) => {
    const answer = await pool.request({
      method: method as "GET" | "PATCH" | "POST",
      path: `/api/manage/v1${path}`,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: (await answer.body.json()) as Reply["body"] };
  };
  return { ask, close: () => pool.close() };
}

async function open(engine: (typeof engines)[number]): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "trunkline-changes-"));
  const file = join(folder, "provision.json");
  writeFileSync(file, JSON.stringify(provision));
  const database = engine === "postgres" ? await freshDatabase() : null;
  const env = {
    TRUNKLINE_DATA_DIR: folder,
    TRUNKLINE_MASTER_KEY: "0123456789abcdef0123456789abcdef",
    TRUNKLINE_PROVISION: file,
    ...(database === null ? {} : { TRUNKLINE_DATABASE_URL: database.url }),
  };
  const count = engine === "postgres" ? 2 : 1;
  const logs = Array.from({ length: count }, (_, i) => join(folder, `${i}.log`));
  const servers: Server[] = await Promise.all(
    logs.map(async (logFile) => await startServer({ port: await freePort(), logFile, env })),
  );
  const clients = servers.map(({ base }) => asking(base));
  return {
    asks: clients.map(({ ask }) => ask),
    printed: () => logs.map((log) => readFileSync(log, "utf8")).join(""),
    close: async () => {
      await Promise.all(clients.map(({ close }) => close()));
      await Promise.all(servers.map((server) => server.kill()));
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One field of a resource: the change that sets it to the `n`th value, and its value in a reply. */
interface Field {
  set(n: number): object;
  get(resource: Resource): unknown;
  /** What `get` shows after `set(n)`. */
  value(n: number): unknown;
}

/** The field at a path such as `pace.per_day`, with numbers from `first` on. */
function number(path: string, first: number): Field {
  const names = path.split(".");
  const value = (n: number) => first + n;
  return {
    value,
    set: (n) => names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value(n)) as object,
    get: (resource) =>
      names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], resource),
  };
}

function other(name: string, value: (n: number) => unknown): Field {
  return { value, set: (n) => ({ [name]: value(n) }), get: (resource) => resource[name] };
}

interface Target {
  path: string;
  fields: Field[];
}

/** Which value a field has; the inverse of `value`. */
const indexOf = (field: Field, resource: Resource) =>
  Array.from({ length: 2 * counts + 1 }, (_, n) => n).find(
    (n) => JSON.stringify(field.value(n)) === JSON.stringify(field.get(resource)),
  );

async function makeTargets(ask: Ask): Promise<Target[]> {
  const make = async (path: string, body: object) => {
    const { status, body: reply } = await ask("POST", path, body);
    assert.equal(status, 201, JSON.stringify(reply));
    return reply.data.id;
  };
  const account = `/accounts/${await make("/accounts", { name: "raced" })}`;
  const settings = { url: "https://sms.example.com/send", body: { to: "{{to}}", text: "{{message}}" } };
  const gateway = { identifier: "raced", channel: "sms", kind: "http-api", settings };
  await make(`${account}/gateways`, gateway);
  const webhook = await make(`${account}/webhooks`, { url: "https://receiver.example.com/" });
  const pool = `${account}/pools/${await make(`${account}/pools`, { name: "raced" })}`;
  const member = await make(`${pool}/members`, { name: "raced", kind: "sandbox", models: ["echo"] });
  const key = await make(`${pool}/keys`, { name: "raced" });
  const password = "a long password of a user";
  const user = await make("/users", {
    email: "raced@example.com",
    name: "Raced",
    role: "member",
    account: account.slice("/accounts/".length),
    password,
  });
  const url = (n: number) => `https://receiver.example.com/${n}`;
  return [
    {
      path: account,
      fields: [
        number("lateness_ms", 60_000),
        number("attachments.max_files", 1),
        number("attachments.max_bytes", 2_000),
        number("plan.credit.email", 100),
      ],
    },
    {
      path: `${account}/gateways/raced`,
      fields: [
        number("pace.per_day", 10),
        number("pace.jitter_ms", 10),
        number("retry.first_ms", 1_000),
        number("settings.timeout_ms", 2_000),
      ],
    },
    {
      path: `${account}/webhooks/${webhook}`,
      fields: [other("url", url), other("events", (n) => [n % 2 ? "message.*" : "message.sent"])],
    },
    {
      path: pool,
      fields: [
        number("headers_after_ms", 1_000),
        number("deadline_ms", 2_000),
        number("timeouts.answer_ms", 100),
        other("name", (n) => `raced-${n}`),
      ],
    },
    {
      path: `${pool}/members/${member}`,
      fields: [
        number("context_tokens", 1),
        number("priority", 1),
        number("timeouts.idle_ms", 100),
        other("models", (n) => [`model-${n}`]),
      ],
    },
    {
      path: `${pool}/keys/${key}`,
      fields: [
        number("limits.requests_per_minute", 1),
        number("limits.tokens_per_minute", 1),
        number("budget.tokens_per_day", 1),
        other("models", (n) => [`model-${n}`]),
      ],
    },
    {
      path: `/users/${user}`,
      fields: [other("name", (n) => `Raced ${n}`), other("active", (n) => n % 2 === 0)],
    },
  ];
}

const rounds = 30;
const counts = 20;
/** Far more than what other changes can overtake: it only ends a run that would never end. */
const maxTries = 1_000;

/** Sends a change until it is accepted. A refusal says so, and changes nothing. */
async function accepted(attempt: () => Promise<Reply>): Promise<Resource> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { status, body } = await attempt();
    if (status === 200) return body.data;
    assert.deepEqual([status, body.code], [409, "conflict"], JSON.stringify(body));
  }
  throw new Error("A change was refused a thousand times.");
}

async function shown(ask: Ask, path: string): Promise<Resource> {
  // A user is shown in the list alone.
  const user = /^\/users\/(.+)$/.exec(path)?.[1];
  const { status, body } = await ask("GET", user === undefined ? path : "/users");
  assert.equal(status, 200);
  if (user === undefined) return body.data;
  const found = (body.data as unknown as Resource[]).find(({ id }) => id === user);
  assert.ok(found);
  return found;
}

/** Sets one field again and again. No other caller sets it, so every reply shows the value that was just accepted. */
async function write(ask: Ask, path: string, field: Field): Promise<void> {
  for (let n = 1; n <= rounds; n += 1) {
    const now = await accepted(() => ask("PATCH", path, field.set(n)));
    assert.deepEqual(field.get(now), field.value(n), `${path}: the reply shows its own change`);
  }
}

/** Counts a field up from what was read, which only the revision makes safe. */
async function count(ask: Ask, path: string, field: Field): Promise<void> {
  for (let done = 0; done < counts; done += 1)
    await accepted(async () => {
      const before = await shown(ask, path);
      const n = indexOf(field, before);
      assert.ok(n !== undefined, `${path}: the counter has a value of its own`);
      return await ask("PATCH", path, { ...field.set(n + 1), revision: before.revision });
    });
}

for (const engine of engines)
  describe(engine, () => {
    let place: Place;
    let targets: Target[];
    after(() => place?.close());

    test("one file is applied by the processes that start at once, and each secret is shown once", async () => {
      place = await open(engine);
      const secrets = [...place.printed().matchAll(/^(\S.*) \(shown once\): (\S+)$/gm)];
      assert.deepEqual(secrets.map(([, what]) => what).sort(), [
        "API key of account provisioned",
        "Key one of pool default of account provisioned",
        "Key two of pool default of account provisioned",
        "Secret of webhook 1 of account provisioned",
        "Secret of webhook 2 of account provisioned",
      ]);
      for (const ask of place.asks) {
        const { body } = await ask("GET", "/accounts");
        const [account, ...more] = body.data as unknown as Resource[];
        assert.deepEqual([account?.name, more], ["provisioned", []]);
        const path = `/accounts/${account?.id}`;
        const list = async (name: string) =>
          (await ask("GET", `${path}/${name}`)).body.data as unknown as Resource[];
        const gateways = await list("gateways");
        assert.deepEqual(
          gateways.map(({ default: isDefault }) => isDefault),
          gateways.map(({ identifier }) => identifier === "provisioned-0"),
        );
        const [pool, ...pools] = await list("pools");
        assert.equal(pools.length, 0);
        assert.deepEqual(
          [gateways.length, (await list("webhooks")).length, (await list("sending-domains")).length],
          [5, 2, 1],
        );
        assert.equal((pool?.members as object[] | undefined)?.length, 2);
        assert.equal((await list(`pools/${pool?.id}/keys`)).length, 2);
      }
    });

    test("of a thousand changes no accepted one is lost", async () => {
      const [first, last] = [place.asks[0]!, place.asks.at(-1)!];
      targets = await makeTargets(first);
      const writers = targets.flatMap(({ path, fields }) =>
        fields.map((field, i) => write(i % 2 === 0 ? first : last, path, field)),
      );
      await Promise.all(writers);
      for (const { path, fields } of targets) {
        const end = await shown(last, path);
        for (const field of fields) assert.deepEqual(field.get(end), field.value(rounds), path);
        // The pool's revision counts its members' changes too: the first made one, and each of its four fields changed.
        const ofMembers = path.includes("/pools/") && end.members !== undefined ? 1 + 4 * rounds : 0;
        assert.equal(
          end.revision,
          1 + fields.length * rounds + ofMembers,
          `${path}: each change counted once`,
        );
      }

      const counters = targets.map(({ path, fields }) => ({ path, field: fields[0]! }));
      for (const { path, field } of counters) await accepted(() => first("PATCH", path, field.set(0)));
      await Promise.all(
        counters.flatMap(({ path, field }) => [count(first, path, field), count(last, path, field)]),
      );
      for (const { path, field } of counters)
        assert.equal(indexOf(field, await shown(first, path)), 2 * counts, `${path}: each step counted once`);
      assert.ok(writers.length * rounds + counters.length * (2 * counts + 1) >= 1_000);
    });

    test("a change with a revision that is over is refused, and changes nothing", async () => {
      for (const { path, fields } of targets) {
        const before = await shown(place.asks[0]!, path);
        const { status, body } = await place.asks.at(-1)!("PATCH", path, {
          ...fields[0]!.set(7),
          revision: before.revision + 1,
        });
        assert.deepEqual([status, body.code], [409, "conflict"]);
        assert.deepEqual(await shown(place.asks[0]!, path), before);
      }
    });
  });
