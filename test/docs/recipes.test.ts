// Every recipe of docs/recipes.md works as written: addresses, headers, fields and settings are read from its blocks, and what the program
// sends for them becomes messages. Each function that posts does what the program's source does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { presets } from "#contract/hooks/presets.ts";
import { type Harness, harness } from "../harness.ts";
import { bearer, manage, tokenFor } from "../http/managing.ts";
import { type Dialect, dialects } from "../http/submission/dialects.ts";
import { lines, settled, submitting, talk } from "../http/submission/submitting.ts";
import { inject } from "../inject.ts";
import { blocksOf } from "./pages.ts";
import { phpValue } from "./php.ts";

const page = "docs/recipes.md";
const text = readFileSync(page, "utf8").split("\n");
/** The number of the page. */
const number = "+15550000001";
const alarm = '[Shop] [🔴 Down] "connect" <ECONNREFUSED>\nnow';

/** The blocks below a heading, with `key` for the API key. */
function recipe(heading: string, key: string): string[] {
  const start = text.indexOf(`## ${heading}`);
  assert.ok(start >= 0, heading);
  const next = text.findIndex((line, at) => at > start && line.startsWith("## "));
  const end = next < 0 ? text.length : next;
  return blocksOf(page)
    .filter(({ line }) => line > start && line <= end)
    .map(({ code }) => code.replaceAll("tl_…", key));
}

interface Posted {
  url: string;
  headers: Record<string, string>;
  body: string;
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const formType = { "content-type": "application/x-www-form-urlencoded" };
const jsonType = { "content-type": "application/json" };

/** apprise/plugins/custom_form.py: `+` sets a header, `:` a field, or another name of one of its four. */
function apprise(command: string): Posted {
  const url = /'forms:\/\/([^']+)'/.exec(command)?.[1] ?? "";
  const option = (name: string) => new RegExp(` -${name} "([^"]+)"`).exec(command)?.[1] ?? "";
  const [place = "", query = ""] = url.split("?");
  // A `+` that begins a name is Apprise's own, and no blank.
  const parameters = query.split("&").map((pair) => pair.split("=").map(decodeURIComponent));
  const fields: Record<string, string> = {
    version: "1.0",
    title: option("t"),
    message: option("b"),
    type: "info",
  };
  const renamed: Record<string, string> = {};
  const extras: Record<string, string> = {};
  const headers: Record<string, string> = { "User-Agent": "Apprise", ...formType };
  for (const [name = "", value = ""] of parameters) {
    if (name.startsWith("+")) headers[name.slice(1)] = value;
    else if (Object.hasOwn(fields, name.slice(1))) renamed[name.slice(1)] = value;
    else extras[name.slice(1)] = value;
  }
  const posted = Object.entries(fields).map(([name, value]) => [renamed[name] ?? name, value]);
  return { url: `https://${place}`, headers, body: form({ ...Object.fromEntries(posted), ...extras }) };
}

/** server/notification-providers/webhook.js, with its Liquid template, of which `{{ msg | json }}` is the one expression. */
function uptimeKuma([template = "", headers = ""]: string[]): Posted {
  const url = /\*Post URL\* `([^`]+)`/.exec(text.join("\n"))?.[1] ?? "";
  const body = template.replace("{{ msg | json }}", JSON.stringify(alarm));
  assert.doesNotMatch(body, /\{\{/);
  return { url, headers: { ...formType, ...lowerCase(JSON.parse(headers)) }, body };
}

const lowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

interface HomeAssistant {
  notify: [Record<string, string> & { headers: Record<string, string> }];
  rest_command: { send_sms: Record<string, string> & { headers: Record<string, string> } };
}

/** homeassistant/components/rest/notify.py: the message, then the first target, as a form. */
function homeAssistantNotifier([yaml = ""]: string[]): Posted {
  const [{ platform, method, resource = "", headers, message_param_name = "", target_param_name = "" }] = (
    parse(yaml) as HomeAssistant
  ).notify;
  assert.deepEqual([platform, method], ["rest", "POST"]);
  const body = form({ [message_param_name]: alarm, [target_param_name]: number });
  return { url: resource, headers: { ...formType, ...headers }, body };
}

/** homeassistant/components/rest_command: the rendered payload. */
function homeAssistantCommand([yaml = ""]: string[]): Posted {
  const {
    url = "",
    method,
    headers,
    content_type = "",
    payload = "",
  } = (parse(yaml) as HomeAssistant).rest_command.send_sms;
  assert.equal(method, "post");
  const values: Record<string, string> = { number, message: alarm };
  const body = payload.replace(/\{\{ (\w+) \| to_json \}\}/g, (_, name) => JSON.stringify(values[name]));
  return { url, headers: { ...headers, "content-type": content_type }, body };
}

/** Illuminate\Http\Client: a post is JSON unless something else is said. */
function laravel(php: string, key: string): Posted {
  const headers = /withHeaders\((\[[^\]]+\])\)/.exec(php)?.[1] ?? "";
  const [, url = "", data = ""] = /->post\('([^']+)', (\[[\s\S]+\])\)->throw/.exec(php) ?? [];
  assert.ok(headers !== "" && data !== "");
  const read = phpValue(headers.replace("config('services.trunkline.key')", `'${key}'`));
  const accept = { accept: "application/json", "user-agent": "GuzzleHttp/7" };
  return {
    url,
    headers: { ...jsonType, ...accept, ...(read as Record<string, string>) },
    body: JSON.stringify(phpValue(data)),
  };
}

/** receivers/webhook in grafana/alerting. */
function grafana([yaml = ""]: string[]): Posted {
  const [{ type, settings }] = parse(yaml).contactPoints[0].receivers;
  assert.deepEqual([type, settings.httpMethod], ["webhook", "POST"]);
  return {
    url: settings.url,
    headers: {
      ...jsonType,
      "user-agent": "Grafana",
      authorization: `${settings.authorization_scheme} ${settings.authorization_credentials}`,
    },
    body: JSON.stringify({
      ...presets.grafana.example,
      version: "1",
      groupKey: "{}",
      truncatedAlerts: 0,
      orgId: 1,
    }),
  };
}

interface Recipe {
  heading: string;
  channel: "sms" | "email";
  post: (blocks: string[], key: string) => Posted;
  message: string;
  to?: string;
  subject?: string;
}

const recipes: Recipe[] = [
  { heading: "Apprise", channel: "sms", post: ([sms = ""]) => apprise(sms), message: "The backup is done." },
  {
    heading: "Apprise",
    channel: "email",
    post: ([, mail = ""]) => apprise(mail),
    message: "The backup is done.",
    to: "ada@example.net",
    subject: "Backup",
  },
  { heading: "Uptime Kuma", channel: "sms", post: uptimeKuma, message: alarm },
  { heading: "Home Assistant", channel: "sms", post: homeAssistantNotifier, message: alarm },
  { heading: "Home Assistant", channel: "sms", post: homeAssistantCommand, message: alarm },
  {
    heading: "Laravel",
    channel: "sms",
    post: ([, php = ""], key) => laravel(php, key),
    message: "Your order is ready.",
  },
  {
    heading: "Grafana",
    channel: "sms",
    post: grafana,
    message: "[FIRING:1] DiskFull (critical)\nDiskFull: The disk of db1 is 95 % full",
  },
];

let it: Harness;
let key: string;
before(async () => {
  it = await harness();
  const account = await it.account();
  key = account.key;
  for (const channel of ["sms", "email"] as const)
    await it.gateway({ identifier: `${channel}-main`, channel, kind: "sandbox", default: true });
  const hook = {
    name: "grafana",
    preset: "grafana",
    channel: "sms",
    to: [number],
    key: "choose-a-Long-key-4711",
  };
  const headers = bearer(await tokenFor(it, account.id));
  const made = await manage(it, "POST", `/accounts/${account.id}/hooks`, { headers, body: hook });
  assert.equal(made.statusCode, 201, made.body);
});
after(() => it?.close());

for (const [at, { heading, channel, post, message, to = number, subject }] of recipes.entries())
  test(`${heading} sends ${channel} (${at})`, async () => {
    const { url, headers, body } = post(recipe(heading, key), key);
    const { origin, pathname, search } = new URL(url);
    assert.equal(origin, "https://sms.example.com");
    const known = new Set(await ids(channel));
    const reply = await inject(it.system.app, {
      method: "POST",
      url: pathname + search,
      headers,
      payload: body,
    });
    assert.equal(reply.statusCode, 200, reply.body);
    const [id, ...others] = (await ids(channel)).filter((each) => !known.has(each));
    assert.deepEqual(others, []);
    const record = (await it.get(`/api/get/${channel}/${id}`)).json().data;
    assert.deepEqual([record.email ?? record.number, record.message], [to, message]);
    if (subject !== undefined) assert.equal(record.subject, subject);
  });

const ids = async (channel: string): Promise<string[]> =>
  (await it.get(`/api/get/${channel}`)).json().data.map(({ id }: { id: string }) => id);

/** What a program is given for SMTP, and how it asks for TLS. */
interface Mailing {
  host: unknown;
  port: unknown;
  tls: unknown;
  user: string;
  password: string;
  from: string;
}

const ini = (code: string): Record<string, string> =>
  Object.fromEntries([...code.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]));

const mailers: Record<
  string,
  { dialect: Dialect; tls: unknown; read: (blocks: string[], key: string) => Mailing }
> = {
  Laravel: {
    dialect: dialects["Laravel (Symfony Mailer)"],
    // Symfony uses STARTTLS wherever it is offered.
    tls: "smtp",
    read: ([env = ""]) => {
      const set = ini(env);
      return {
        host: set.MAIL_HOST,
        port: set.MAIL_PORT,
        tls: set.MAIL_MAILER,
        user: set.MAIL_USERNAME ?? "",
        password: set.MAIL_PASSWORD ?? "",
        from: set.MAIL_FROM_ADDRESS ?? "",
      };
    },
  },
  Django: {
    dialect: dialects["Django (Python's smtplib)"],
    tls: "True",
    read: ([python = ""], own) => {
      const set = ini(python.replaceAll(" = ", "=").replaceAll('"', ""));
      assert.equal(set.EMAIL_HOST_PASSWORD, "os.environ[TRUNKLINE_API_KEY]");
      assert.equal(set.SERVER_EMAIL, set.DEFAULT_FROM_EMAIL);
      return {
        host: set.EMAIL_HOST,
        port: set.EMAIL_PORT,
        tls: set.EMAIL_USE_TLS,
        user: set.EMAIL_HOST_USER ?? "",
        password: own,
        from: set.DEFAULT_FROM_EMAIL ?? "",
      };
    },
  },
  WordPress: {
    dialect: dialects["WordPress (PHPMailer)"],
    tls: "tls",
    read: ([php = ""], own) => {
      const of = (name: string) => new RegExp(`->${name} += '?([^';]+)'?;`).exec(php)?.[1] ?? "";
      assert.deepEqual([of("SMTPAuth"), of("Password")], ["true", "TRUNKLINE_API_KEY"]);
      assert.match(php, /\$mailer->isSMTP\(\);/);
      const from = /'wp_mail_from', fn \(\) => '([^']+)'/.exec(php)?.[1] ?? "";
      return {
        host: of("Host"),
        port: of("Port"),
        tls: of("SMTPSecure"),
        user: of("Username"),
        password: own,
        from,
      };
    },
  },
  Keycloak: {
    dialect: dialects["Keycloak (Jakarta Mail)"],
    tls: "true",
    read: ([json = ""]) => {
      const { auth, starttls, ...set } = JSON.parse(json).smtpServer;
      assert.equal(auth, "true");
      return { ...set, tls: starttls };
    },
  },
  n8n: {
    dialect: dialects["n8n (nodemailer)"],
    // Nodemailer uses STARTTLS where it is offered, unless it is switched off.
    tls: "starttls",
    read: ([json = ""]) => {
      const [{ type, data }] = JSON.parse(json);
      const { secure, disableStartTls, ...set } = data;
      assert.deepEqual([type, secure, disableStartTls], ["smtp", false, false]);
      return { ...set, tls: "starttls", from: "news@example.com" };
    },
  },
};

test("what sends mail by SMTP signs in with the settings of its recipe, and its mail goes out", async (context) => {
  const own = await submitting(context);
  for (const [heading, { dialect, tls, read }] of Object.entries(mailers)) {
    const { user, password, from, ...server } = read(recipe(heading, own.key), own.key);
    assert.deepEqual(server, { host: "mail.example.com", port: server.port, tls }, heading);
    assert.equal(Number(server.port), 587, heading);
    const wire = await talk(own.port.port);
    for (const [line, code] of dialect(password, user, from)) {
      const answer = await wire.say(line);
      assert.equal(answer.slice(0, 3), code, `${heading}: ${line.slice(0, 20)}: ${answer}`);
      if (/^ehlo/i.test(line)) assert.match(answer, /^250[- ]STARTTLS$/m, heading);
    }
    const mail = lines(`From: ${from}`, "To: ada@example.net", "Subject: Hello", "", "Hello Ada.", ".");
    const answer = await wire.say(Buffer.from(mail));
    const id = /^250 2\.0\.0 Accepted as (msg_\w+)$/.exec(answer)?.[1] ?? "";
    assert.notEqual(id, "", `${heading}: ${answer}`);
    await wire.say("QUIT");
    assert.equal((await settled(own, id)).status, "sent", heading);
  }
});

test("every recipe is played", () => {
  const played = new Set([...recipes.map(({ heading }) => heading), ...Object.keys(mailers)]);
  const written = text.filter((line) => line.startsWith("## ")).map((line) => line.slice(3));
  assert.deepEqual(written.toSorted(), [...played].toSorted());
});
