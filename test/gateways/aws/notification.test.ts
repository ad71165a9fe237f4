// SNS messages: only those that Amazon signed, of our topic, with a certificate from Amazon's own host, in our time.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createCertificates, verifiedNotification } from "#gateways/aws/notification.ts";
import type { Outbound, OutboundResult } from "#runtime/runtime.ts";
import { now, seed, stillClock } from "../conformance-samples.ts";
import {
  amazon,
  certificate,
  certificateUrl,
  envelope,
  keys,
  type Message,
  posted,
  signed,
  subscribeUrl,
  subscription,
  topic,
  validCertificate,
} from "../email/ses/ses-example.ts";
import { answer, scriptedOutbound } from "../scripted-outbound.ts";

const kept = createCertificates();
const check = (message: Message, outbound: Outbound = amazon(), certificates = kept, clock = stillClock) =>
  verifiedNotification(posted(message), topic, certificates, { clock, outbound });

describe("signatures", () => {
  for (const version of ["1", "2"]) {
    test(`version ${version}, with and without a subject`, async () => {
      for (const subject of [{}, { Subject: "Amazon SES Email Event" }, { Subject: "" }] as Message[]) {
        const message = envelope({ SignatureVersion: version, Message: 'ä\n"1"', ...subject });
        assert.deepEqual(await check(signed(message)), {
          kind: "notification",
          id: message.MessageId,
          message: 'ä\n"1"',
        });
      }
    });

    test(`version ${version}: every signed field counts`, async () => {
      for (const message of [
        signed(envelope({ SignatureVersion: version, Subject: "s" })),
        signed(subscription()),
      ]) {
        for (const field of ["Message", "MessageId", "Subject", "SubscribeURL", "Token", "Signature"]) {
          if (!Object.hasOwn(message, field)) continue;
          const changed = { ...message, [field]: `x${message[field]}` };
          assert.equal((await check(changed)).kind, "forbidden", field);
          const { [field]: _gone, ...without } = message;
          assert.equal((await check(without as Message)).kind, "forbidden", `no ${field}`);
        }
      }
    });
  }

  test("another version, another key and another type are refused", async () => {
    for (const SignatureVersion of ["0", "3", "", "sha256"]) {
      assert.equal((await check({ ...signed(envelope()), SignatureVersion })).kind, "forbidden");
    }
    const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
    assert.equal((await check(signed(envelope(), otherKeys.privateKey))).kind, "forbidden");
    assert.equal((await check(signed(envelope({ Type: "Other" })))).kind, "forbidden");
    const both = signed(envelope());
    assert.equal((await check({ ...both, Type: "UnsubscribeConfirmation" })).kind, "forbidden");
  });

  test("a message whose header says another type is refused", async () => {
    const callback = posted(signed(envelope()));
    for (const type of ["SubscriptionConfirmation", "", undefined]) {
      const { "x-amz-sns-message-type": _type, ...headers } = callback.headers;
      const changed = { ...headers, ...(type === undefined ? {} : { "x-amz-sns-message-type": type }) };
      const tools = { clock: stillClock, outbound: amazon() };
      const result = await verifiedNotification({ ...callback, headers: changed }, topic, kept, tools);
      assert.equal(result.kind, "forbidden");
    }
  });
});

describe("whose message it is", () => {
  test("a stranger's topic is refused, however well signed, and nothing is fetched for it", async () => {
    const outbound = amazon();
    for (const TopicArn of [
      topic.replace("mail-events", "mail-events2"),
      topic.replace("123456789012", "210987654321"),
      topic.replace("eu-central-1", "eu-west-1"),
      "",
    ]) {
      assert.equal(
        (await check(signed(envelope({ TopicArn })), outbound, createCertificates())).kind,
        "forbidden",
      );
    }
    assert.equal(outbound.requests.length, 0);
  });

  test("a certificate from anywhere else is never asked for", async () => {
    const path = "/SimpleNotificationService-60eadc530605d63b8e62a523676ef735.pem";
    const urls = [
      `http://sns.eu-central-1.amazonaws.com${path}`,
      `https://sns.us-east-1.amazonaws.com${path}`,
      `https://sns.eu-central-1.amazonaws.com.evil.test${path}`,
      `https://sns.eu-central-1.amazonaws.com@evil.test${path}`,
      `https://evil.test/sns.eu-central-1.amazonaws.com${path}`,
      `https://sns.eu-central-1.amazonaws.com:8443${path}`,
      `https://bucket.s3.eu-central-1.amazonaws.com${path}`,
      `https://sns.eu-central-1.amazonaws.com/?Action=Publish`,
      `https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-../../x.pem`,
      `https://sns.eu-central-1.amazonaws.com${path}?x`,
      `https://sns.eu-central-1.amazonaws.com${path}\n`,
      ` https://sns.eu-central-1.amazonaws.com${path}`,
      "",
    ];
    const outbound = scriptedOutbound(answer(200, validCertificate));
    for (const SigningCertURL of urls) {
      const result = await check(signed(envelope({ SigningCertURL })), outbound, createCertificates());
      assert.equal(result.kind, "forbidden", SigningCertURL);
    }
    assert.deepEqual(outbound.requests, []);
  });

  test("in China Amazon's host is another", async () => {
    const TopicArn = "arn:aws-cn:sns:cn-north-1:123456789012:mail";
    const url = "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0123456789abcdef.pem";
    const outbound = scriptedOutbound(answer(200, validCertificate));
    const tools = { clock: stillClock, outbound };
    const message = signed(envelope({ TopicArn, SigningCertURL: url }));
    const result = await verifiedNotification(posted(message), TopicArn, createCertificates(), tools);
    assert.equal(result.kind, "notification");
    assert.deepEqual(
      outbound.requests.map((request) => request.url),
      [url],
    );
  });

  test("three days old is too old, an hour ahead too far", async () => {
    const at = (ms: number) => check(signed(envelope({ Timestamp: new Date(now + ms).toISOString() })));
    assert.equal((await at(-71 * 3_600_000)).kind, "notification");
    assert.equal((await at(-73 * 3_600_000)).kind, "forbidden");
    assert.equal((await at(59 * 60_000)).kind, "notification");
    assert.equal((await at(61 * 60_000)).kind, "forbidden");
    assert.equal((await check(signed(envelope({ Timestamp: "yesterday" })))).kind, "forbidden");
  });
});

describe("subscriptions", () => {
  test("the URL to confirm is handed out, once the message is verified", async () => {
    assert.deepEqual(await check(signed(subscription())), { kind: "subscription", url: subscribeUrl });
    assert.equal((await check(subscription({ Signature: "AAAA" }))).kind, "forbidden");
  });

  test("a URL anywhere else is never handed out, even when it is signed", async () => {
    for (const SubscribeURL of [
      subscribeUrl.replace("https", "http"),
      subscribeUrl.replace("amazonaws.com", "amazonaws.com.evil.test"),
      subscribeUrl.replace("eu-central-1", "us-east-1"),
      subscribeUrl.replace(".com/", ".com:444/"),
      "https://169.254.169.254/latest/meta-data",
      "",
    ]) {
      assert.equal((await check(signed(subscription({ SubscribeURL })))).kind, "malformed", SubscribeURL);
    }
  });

  test("the end of a subscription asks for nothing", async () => {
    const message = signed(subscription({ Type: "UnsubscribeConfirmation" }));
    assert.deepEqual(await check(message), { kind: "ended" });
  });
});

describe("certificates", () => {
  const url = (n: number) => certificateUrl.replace("60eadc53", n.toString(16).padStart(8, "0"));

  test("one is fetched once, also when several messages come at once", async () => {
    const outbound = amazon();
    const certificates = createCertificates();
    const message = signed(envelope());
    const kinds = await Promise.all([1, 2, 3].map(() => check(message, outbound, certificates)));
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ["notification", "notification", "notification"],
    );
    await check(message, outbound, certificates);
    assert.deepEqual(outbound.requests, [
      { method: "GET", url: certificateUrl, timeoutMs: 5000, maxBytes: 65_536 },
    ]);
  });

  test("when Amazon cannot be reached the callback is to come again, and the next one asks anew", async () => {
    const results: OutboundResult[] = [
      { kind: "not_sent", code: "unreachable", reason: "DNS" },
      { kind: "no_answer", reason: "timeout" },
      answer(503),
      answer(429),
      answer(200, validCertificate),
    ];
    const outbound = scriptedOutbound(() => results.shift()!);
    const certificates = createCertificates();
    for (let i = 0; i < 4; i += 1) {
      assert.equal((await check(signed(envelope()), outbound, certificates)).kind, "unavailable");
    }
    assert.equal((await check(signed(envelope()), outbound, certificates)).kind, "notification");
  });

  test("what is no certificate, or none of RSA, or not valid now, proves nothing", async () => {
    const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" });
    for (const body of [
      "",
      "<html></html>",
      validCertificate.slice(0, 200),
      certificate(
        { publicKey: elliptic.publicKey, privateKey: keys.privateKey },
        "20200101000000Z",
        "21200101000000Z",
      ),
      certificate(keys, "20200101000000Z", "20261120115959Z"),
      certificate(keys, "20261120120001Z", "21200101000000Z"),
    ]) {
      const outbound = scriptedOutbound(answer(200, body));
      assert.equal((await check(signed(envelope()), outbound, createCertificates())).kind, "forbidden");
    }
    const own = certificate(elliptic, "20200101000000Z", "21200101000000Z");
    const signedByIt = signed(envelope(), elliptic.privateKey);
    assert.equal(
      (await check(signedByIt, scriptedOutbound(answer(200, own)), createCertificates())).kind,
      "forbidden",
    );
    const missing = scriptedOutbound(answer(404, validCertificate));
    assert.equal((await check(signed(envelope()), missing, createCertificates())).kind, "forbidden");
  });

  test("a certificate that is kept still has to be valid when it is used", async () => {
    const outbound = scriptedOutbound(answer(200, certificate(keys, "20200101000000Z", "20261120120001Z")));
    const certificates = createCertificates();
    assert.equal((await check(signed(envelope()), outbound, certificates)).kind, "notification");
    const later = { ...stillClock, now: () => now + 2000 };
    assert.equal((await check(signed(envelope()), outbound, certificates, later)).kind, "forbidden");
  });

  test("at most four are fetched at once, and twenty kept", async () => {
    const waiting: (() => void)[] = [];
    let asked = 0;
    const outbound: Outbound = {
      ...amazon(),
      request: () => {
        asked += 1;
        return new Promise((resolve) => waiting.push(() => resolve(answer(200, validCertificate))));
      },
    };
    const certificates = createCertificates();
    const tools = { clock: stillClock, outbound };
    const first = [0, 1, 2, 3].map((n) => certificates(url(n), tools));
    assert.equal(await certificates(url(4), tools), "unavailable");
    for (const resume of waiting.splice(0)) resume();
    await Promise.all(first);
    for (let n = 4; n < 21; n += 1) {
      const next = certificates(url(n), tools);
      waiting.pop()!();
      await next;
    }
    assert.equal(asked, 21);
    await certificates(url(1), tools);
    assert.equal(asked, 21, "the second of 21 is still kept");
    const again = certificates(url(0), tools);
    waiting.pop()!();
    await again;
    assert.equal(asked, 22, "the first has made room");
  });
});

test("no body of any shape throws or gets past", async () => {
  const names = fc.constantFrom(...Object.keys(subscription()), "Signature", "__proto__");
  const values = fc.oneof(
    fc.string(),
    fc.constantFrom(...Object.values(signed(subscription()))),
    fc.jsonValue(),
  );
  const bodies = fc.oneof(
    fc.array(fc.tuple(names, values)).map((pairs) => JSON.stringify(Object.fromEntries(pairs))),
    fc.json(),
    fc.string(),
    fc.constant("[".repeat(50_000)),
  );
  const types = fc.constantFrom("Notification", "SubscriptionConfirmation", "");
  await fc.assert(
    fc.asyncProperty(bodies, types, async (body, type) => {
      const callback = { ...posted(envelope()), body: Buffer.from(body) };
      callback.headers["x-amz-sns-message-type"] = type;
      const outbound = amazon();
      const result = await verifiedNotification(callback, topic, kept, { clock: stillClock, outbound });
      assert.equal(result.kind, "forbidden");
      assert.ok(
        outbound.requests.every(({ url }) => url.startsWith("https://sns.eu-central-1.amazonaws.com/")),
      );
    }),
    { numRuns: 1000, seed },
  );
});
