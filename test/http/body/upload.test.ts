// Uploads over real connections: files go to the store as they come, limits hold while they do, and all that is
// answered but success leaves nothing behind.

import assert from "node:assert/strict";
import test from "node:test";
import { refusals } from "#contract/problem.ts";
import { problemReply, validationReply } from "#contract/replies.ts";
import { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import { StorageError } from "#store/database.ts";
import { account, type Edge, expiredKey, key } from "../edge.ts";
import { lastAnswer, withWire } from "../wire.ts";
import { contact, type Field, form, mail, pdf, post } from "./uploading.ts";

const none = ({ staged }: Edge) => assert.deepEqual([...staged.keys()], []);

test("files are stored and handed over in their order", async () => {
  await withWire({}, async (wire) => {
    const body = form(["attachments[1]", Buffer.from("b"), "b.txt"], contact, [
      "attachments[0]",
      pdf(600_000),
      "Rechnung ü.pdf",
    ]);
    const reply = await post(wire, body);
    assert.equal(reply.status, 200, await reply.text());
    const [{ send, files } = assert.fail()] = wire.mails;
    assert.deepEqual(send.contacts[0]?.email, mail.email);
    assert.deepEqual(
      files.map(({ filename, size }) => [filename, size]),
      [
        ["Rechnung ü.pdf", 600_000],
        ["b.txt", 1],
      ],
    );
    assert.ok(Buffer.from(wire.staged.get(files[0]!.id) ?? "", "base64").equals(pdf(600_000)));
  });
});

for (const name of ["attachments", "attachments[]"]) {
  test(`repeated fields called ${name} are several files`, async () => {
    await withWire({}, async (wire) => {
      const body = form(contact, [name, pdf(), "a.pdf"], [name, pdf(), "b.pdf"]);
      assert.equal((await post(wire, body)).status, 200);
      assert.deepEqual(
        wire.mails[0]?.files.map(({ filename }) => filename),
        ["a.pdf", "b.pdf"],
      );
    });
  });
}

test("a form as curl writes it, and a file input that was left empty", async () => {
  await withWire({}, async (wire) => {
    const part = (head: string, value: string) =>
      `--------------------------d74496d66958873e\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const body = [
      part('name="contact[0][email]"', mail.email),
      part('name="contact[0][subject]"', mail.subject),
      part('name="contact[0][message]"', mail.message),
      part('name="attachments[]"; filename="a.txt"\r\nContent-Type: text/plain', "hello"),
      part('name="attachments[]"; filename=""\r\nContent-Type: application/octet-stream', ""),
      "--------------------------d74496d66958873e--\r\n",
    ].join("");
    const type = "multipart/form-data; boundary=------------------------d74496d66958873e";
    const reply = await post(wire, body, { "Api-key": key, "Content-Type": type });
    assert.equal(reply.status, 200, await reply.text());
    assert.deepEqual(
      wire.mails[0]?.files.map(({ filename, size }) => [filename, size]),
      [["a.txt", 5]],
    );
  });
});

const types = "pdf, doc, docx, xls, xlsx, csv, txt, png, jpg, jpeg, gif, zip, rar, svg, webp";
const wrongType = { "attachments.0": [`The attachments.0 field must be a file of type: ${types}.`] };
const faulty: [name: string, fields: Field[], errors: Record<string, string[]>][] = [
  ["a type that may not come", [contact, ["attachments", pdf(), "a.exe"]], wrongType],
  ["a program called a document", [contact, ["attachments", Buffer.from("MZ\0\0"), "a.pdf"]], wrongType],
  ["an image called another", [contact, ["attachments", Buffer.from("GIF89a"), "a.png"]], wrongType],
  [
    "the one file, at an index of its own",
    [contact, ["attachments[5]", pdf(), "a.png"]],
    { "attachments.5": [`The attachments.5 field must be a file of type: ${types}.`] },
  ],
  [
    "too large a file",
    [contact, ["attachments", pdf(1_048_577), "a.pdf"]],
    { "attachments.0": ["The attachments.0 field must not be greater than 1024 kilobytes."] },
  ],
  [
    "too many files",
    [contact, ...Array.from({ length: 3 }, (): Field => ["attachments[]", pdf(), "a.pdf"])],
    { attachments: ["The attachments field must not have more than 2 items."] },
  ],
  [
    "a file under another name",
    [contact, ["file", pdf(), "a.pdf"]],
    { file: ["The file field must not be a file."] },
  ],
  [
    "faults of a contact behind a good file",
    [
      ["attachments", pdf(), "a.pdf"],
      ["contact", '[{"email":"x"}]'],
    ],
    {
      "contact.0.email": ["The contact.0.email field must be a valid email address."],
      "contact.0.subject": ["The contact.0.subject field is required."],
      "contact.0.message": ["The contact.0.message field is required."],
    },
  ],
  [
    "text where files belong",
    [contact, ["attachments", "x"]],
    { attachments: ["The attachments field must be an array."] },
  ],
];
const strict = { ...account, attachments: { maxFiles: 2, maxBytes: 1_048_576 } };
for (const [name, fields, errors] of faulty) {
  test(`422, and nothing stays: ${name}`, async () => {
    await withWire({ authenticate: async () => strict }, async (wire) => {
      const reply = await post(wire, form(...fields));
      assert.equal(reply.status, 422);
      assert.deepEqual(validationReply.parse(await reply.json()).errors, errors);
      none(wire);
    });
  });
}

test("a body that is too large, or whose fields are, is 413, and nothing stays", async () => {
  await withWire({ settings: { maxUploadBytes: 400_000, maxBodyBytes: 50_000 } }, async (wire) => {
    const large = await post(wire, form(contact, ["attachments", pdf(500_000), "a.pdf"]));
    assert.equal(large.status, 413);
    const fields = await post(wire, form(["attachments", pdf(), "a.pdf"], ["contact", "x".repeat(60_000)]));
    assert.equal(problemReply.parse(await fields.json()).code, "body_too_large");
    // Its JSON keeps the smaller limit.
    const json = await post(wire, JSON.stringify({ contact: "x".repeat(60_000) }), {
      "Api-key": key,
      "Content-Type": "application/json",
    });
    assert.equal(json.status, 413);
    none(wire);
  });
});

const head = (more: string[]) =>
  `${["POST /api/email/send HTTP/1.1", "Host: x", "Content-Type: multipart/form-data; boundary=XX", ...more].join("\r\n")}\r\n\r\n`;
const opening = '--XX\r\nContent-Disposition: form-data; name="attachments"; filename="a.pdf"\r\n\r\n';

test("a broken form is 400, and nothing stays", async () => {
  await withWire({}, async (wire) => {
    const body = `${opening}${pdf(300_000)}`;
    const line = await wire.open();
    line.write(`${head([`Api-key: ${key}`, `Content-Length: ${body.length}`])}${body}`);
    await line.until(/"malformed_body"/);
    assert.equal(lastAnswer(line.received()).status, 400);
    none(wire);
  });
});

test("a client that goes away in the middle of a file leaves nothing", async () => {
  await withWire({}, async (wire) => {
    let ended: () => void = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const { openUpload } = wire.core.acceptance;
    wire.core.acceptance.openUpload = (owner) => {
      const upload = openUpload(owner);
      const discard = upload.discard.bind(upload);
      upload.discard = () => discard().then(ended);
      return upload;
    };
    const line = await wire.open();
    line.write(`${head([`Api-key: ${key}`, "Content-Length: 1000000"])}${opening}${pdf(400_000)}`);
    while (wire.staged.size === 0) await new Promise((resolve) => setImmediate(resolve));
    line.socket.destroy();
    await end;
    none(wire);
  });
});

test("an upload has its own time, and then is 408", async () => {
  await withWire({ timeouts: { upload: 120_000 } }, async (wire) => {
    const line = await wire.open();
    line.write(`${head([`Api-key: ${key}`, "Content-Length: 1000000"])}${opening}${pdf(400_000)}`);
    while (wire.staged.size === 0) await new Promise((resolve) => setImmediate(resolve));
    await wire.clock.advance(119_999);
    assert.equal(line.received(), "");
    await wire.clock.advance(1);
    assert.equal(lastAnswer(await line.closed()).status, 408);
    none(wire);
  });
});

test("a wrong key in front is refused before a byte of a file is looked at", async () => {
  await withWire({}, async (wire) => {
    const line = await wire.open();
    line.write(head(["Api-key: wrong", "Content-Length: 100000000"]));
    assert.match(await line.until(/Invalid Api Key"}/), /^HTTP\/1\.1 403 /);
    const late = await post(wire, form(contact, ["attachments", pdf(), "a.pdf"]), { "Api-key": expiredKey });
    assert.equal(late.status, 403);
    none(wire);
  });
});

const keyPart = (apiKey: string) =>
  `--XX\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${apiKey}\r\n`;
const missing = refusals.missing.body;
const invalid = refusals.invalid.body;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a key in the form is found behind the files, and without a right one nothing is stored", async () => {
  await withWire({}, async (wire) => {
    let opened = 0;
    const { openUpload } = wire.core.acceptance;
    wire.core.acceptance.openUpload = (owner) => {
      opened++;
      return openUpload(owner);
    };
    const send = (...keys: Field[]) =>
      post(wire, form(["attachments", pdf(600_000), "a.pdf"], contact, ...keys), {});
    const refused: [keys: Field[], refusal: object][] = [
      [[], missing],
      [[["api_key", " "]], missing],
      [[["api_key", "wrong"]], invalid],
      [[["api_key[]", key]], invalid],
      [[["api_key", "x".repeat(2_000)]], invalid],
    ];
    for (const [keys, refusal] of refused) {
      const reply = await send(...keys);
      assert.equal(reply.status, 403);
      assert.deepEqual(await reply.json(), refusal);
    }
    assert.equal(opened, 0);
    for (const second of ["wrong", ""]) {
      const twice = await send(["api_key", key], ["api_key", second]);
      assert.deepEqual(await twice.json(), invalid);
      none(wire);
    }
    assert.equal((await send(["api_key", ""], ["api_key", key])).status, 200);
    const file = wire.mails[0]?.files[0];
    assert.ok(Buffer.from(wire.staged.get(file?.id ?? "") ?? "", "base64").equals(pdf(600_000)));
  });
});

test("a key in the form that does not let in is refused as soon as it is read", async () => {
  await withWire({}, async (wire) => {
    for (const [apiKey, refusal] of [
      ["wrong", invalid],
      [expiredKey, refusals.expired.body],
    ] as const) {
      const line = await wire.open();
      line.write(`${head(["Content-Length: 4000000"])}${opening}${pdf(400_000)}\r\n${keyPart(apiKey)}--XX`);
      assert.deepEqual(lastAnswer(await line.until(/"error":"[^"]*"\}/)).json, refusal);
    }
    none(wire);
  });
});

test("of files before their key 2 MiB are taken, and none of them is stored", async () => {
  await withWire({}, async (wire) => {
    const line = await wire.open();
    line.write(`${head(["Content-Length: 4000000"])}${opening}${pdf(2_200_000)}`);
    const { status, json } = lastAnswer(await line.until(/"body_too_large"\}/));
    assert.equal(status, 413);
    const message = "Files came before the api_key; send the key in the Api-key header, or before the files.";
    assert.deepEqual(json, { success: false, message, code: "body_too_large" });
    // However they are spread, and empty ones too.
    const halves: Field[] = [
      ["attachments[]", pdf(1_100_000), "a.pdf"],
      ["other", pdf(1_100_000), "b.pdf"],
    ];
    const empty = Array.from({ length: 3_000 }, (): Field => ["attachments[]", Buffer.alloc(0), "a.txt"]);
    for (const files of [halves, empty]) {
      assert.equal((await post(wire, form(...files, ["api_key", key]), {})).status, 413);
    }
    assert.deepEqual(wire.keys, []);
    none(wire);
    const some = form(["attachments", pdf(2_000_000), "a.pdf"], contact, ["api_key", key]);
    assert.equal((await post(wire, some, {})).status, 200);
  });
});

test("behind its key a file streams, within the limits of the account", async () => {
  const own = { ...account, attachments: { maxFiles: 1, maxBytes: 20_000_000 } };
  const authenticate = async (token: string) => (token === key ? own : null);
  await withWire({ authenticate, settings: { maxUploadBytes: 20_000_000 } }, async (wire) => {
    const large = form(["api_key", key], ["attachments", pdf(12_000_000), "a.pdf"], contact);
    assert.equal((await post(wire, large, {})).status, 200);
    assert.equal(wire.mails[0]?.files[0]?.size, 12_000_000);
    wire.staged.clear();
    const [before, behind]: Field[] = [
      ["attachments[]", pdf(), "a.pdf"],
      ["attachments[]", pdf(), "b.pdf"],
    ];
    const refused = await post(wire, form(before!, ["api_key", key], behind!, contact), {});
    assert.deepEqual(validationReply.parse(await refused.json()).errors, {
      attachments: ["The attachments field must not have more than 1 items."],
    });
    none(wire);
    const line = await wire.open();
    line.write(`${head(["Content-Length: 1000000"])}${keyPart(key)}${opening}${pdf(400_000)}`);
    while (wire.staged.size === 0) await turn();
  });
});

test("uploads whose key has not come block no other upload, and have no more time than others", async () => {
  await withWire({ timeouts: { upload: 120_000 } }, async (wire) => {
    const lines = [];
    for (let at = 0; at < 20; at++) {
      const line = await wire.open();
      const started = new Promise((resolve) => wire.app.server.once("request", resolve));
      line.write(`${head(["Content-Length: 1000000"])}${opening}${pdf(100_000)}`);
      await started;
      lines.push(line);
    }
    const sent = await post(wire, form(["attachments", pdf(), "a.pdf"], contact, ["api_key", key]), {});
    assert.equal(sent.status, 200);
    assert.equal(wire.staged.size, 1);
    await wire.clock.advance(120_000);
    for (const line of lines) assert.equal(lastAnswer(await line.closed()).status, 408);
  });
});

test("a form that breaks holds no key, unless that came before", async () => {
  await withWire({}, async (wire) => {
    for (const [start, status] of [
      ["", 403],
      [keyPart(key), 400],
    ] as const) {
      const body = `${start}${opening}${pdf(300_000)}`;
      const line = await wire.open();
      line.write(`${head([`Content-Length: ${body.length}`])}${body}`);
      assert.equal(lastAnswer(await line.until(/\}$/)).status, status);
    }
    none(wire);
  });
});

test("storage that fails on the way is 503", async () => {
  const failing = (fault: "full" | "failed") => ({
    acceptance: {
      openUpload: () => {
        const run = async () => {
          throw new StorageError(fault, "no room");
        };
        const log = { warn: () => {} };
        const deps = { database: { run }, clock: { now: () => 0 }, log, newId: () => "att_1" };
        return new AttachmentUpload(deps as never, account);
      },
    },
  });
  for (const [fault, status] of [
    ["full", 503],
    ["failed", 500],
  ] as const) {
    await withWire(failing(fault), async (wire) => {
      const reply = await post(wire, form(contact, ["attachments", pdf(500_000), "a.pdf"]));
      assert.equal(reply.status, status);
    });
  }
});
