// Server-side request forgery by literals, in every spelling, with a real listener on loopback that must not
// see a connection. Names are in connect.test.ts, redirects in outbound.test.ts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readAllowList } from "#runtime/address.ts";
import { createOutbound } from "#runtime/outbound.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { answer, openPeer, type Peer } from "./peer.ts";

const none = readAllowList("");
const timeoutMs = 5000;
const get = (outbound: Outbound, url: string) => outbound.request({ method: "GET", url, timeoutMs });

/** Spellings of an IPv4 address that some parser on the way takes for the same. */
function spellings(ip: string): string[] {
  const [a, b, c, d] = ip.split(".").map(Number) as [number, number, number, number];
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (n: number) => `0x${n.toString(16)}`;
  const octal = (n: number) => `0${n.toString(8)}`;
  const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  const words = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [
    ip,
    `${ip}.`,
    String(whole),
    hex(whole),
    `0X${whole.toString(16).toUpperCase()}`,
    octal(whole),
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((n) => `000${n.toString(8)}`).join("."),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    wide(ip),
    ip.replaceAll(".", "。"),
    ip.replaceAll(".", "%2e"),
    [...ip].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(""),
    `[::ffff:${ip}]`,
    `[::ffff:${words}]`,
    `[0:0:0:0:0:FFFF:${words.toUpperCase()}]`,
    `[::${words}]`,
    `[64:ff9b::${ip}]`,
    `[64:ff9b:1::${words}]`,
    `[2002:${words}::]`,
  ];
}

const classes = [
  "127.0.0.1",
  "127.0.0.53",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.0.1",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.254",
  "255.255.255.255",
];

const others = [
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::0001]",
  "[fe80::1]",
  "[FE80::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[2001::1]",
  "[2001:db8::1]",
  "[2001:2::1]",
  "[100::1]",
  "[3fff::1]",
  "[4000::1]",
  "localhost",
  "LOCALHOST",
  "LocalHost",
  "localhost.",
  "localhost..",
  "a.localhost",
  "a.b.localhost.",
  "loc%61lhost",
  "ｌocalhost",
  "ⓛocalhost",
  // Not URLs at all; they have to stay that.
  "[fe80::1%25eth0]",
  "[::1%lo]",
  "[127.0.0.1]",
  "127.0.0.1.5",
  "127.0.0.256",
  "0x100000000",
  "",
];

describe("literals and loopback names", () => {
  let inside: Peer;
  before(async () => {
    inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
  });
  after(() => inside.close());

  const forms = [...classes.flatMap(spellings), ...others];

  test(`${forms.length} hosts are refused before a socket is opened`, async () => {
    assert.ok(forms.length >= 600);
    const outbound = createOutbound({ allow: none });
    for (const host of forms) {
      for (const url of [`http://${host}:${inside.port}/?q=1`, `https://${host}:${inside.port}/`]) {
        assert.notEqual(outbound.refuses(url), null, url);
        const result = await get(outbound, url);
        assert.ok(
          result.kind === "not_sent" && result.code === "url_not_allowed",
          `${url} ${JSON.stringify(result)}`,
        );
      }
    }
    await outbound.close();
    assert.equal(inside.connections(), 0);
  });

  test("other ways to write a URL around the same host", async () => {
    const outbound = createOutbound({ allow: none });
    const at = `127.0.0.1:${inside.port}`;
    const urls = [
      `http://user@${at}/`,
      `http://:secret@${at}/`,
      `http://1.1.1.1@${at}/`,
      `http://1.1.1.1:80@${at}/`,
      `http://1.1.1.1%20@${at}/`,
      `http:\\\\${at}\\`,
      `http:/${at}/`,
      `http:${at}/`,
      `HTTP://${at}/`,
      ` http://${at}/ `,
      `http://127.0.\n0.1:${inside.port}/`,
      `\thttp://${at}/`,
      `http://${at}#@1.1.1.1/`,
      `http://${at}?@1.1.1.1/`,
      "ftp://1.1.1.1/",
      "file:///etc/passwd",
      "gopher://1.1.1.1/",
      "data:text/plain,x",
      "javascript:1",
      "blob:http://1.1.1.1/x",
      "ws://1.1.1.1/",
      "unix:/run/docker.sock",
      "http+unix://%2Frun%2Fdocker.sock/",
      "about:blank",
      "http://",
      "//127.0.0.1/",
      "127.0.0.1",
      "",
      "http://user:pass@example.test/",
      "http://a b/",
    ];
    for (const url of urls) {
      assert.notEqual(outbound.refuses(url), null, url);
      const result = await get(outbound, url);
      assert.ok(
        result.kind === "not_sent" && result.code === "url_not_allowed",
        `${url} ${JSON.stringify(result)}`,
      );
      assert.ok(!/secret|:pass/.test(result.reason), result.reason);
    }
    await outbound.close();
    assert.equal(inside.connections(), 0);
  });

  test("control: with the block allowed, the same spellings of 127.0.0.1 do reach the listener", async () => {
    const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
    const reaching = spellings("127.0.0.1").filter((form) => !form.startsWith("["));
    const before = inside.connections();
    for (const host of [...reaching, "localhost", "a.localhost."]) {
      assert.equal(outbound.refuses(`http://${host}:${inside.port}/`), null, host);
      const result = await get(outbound, `http://${host}:${inside.port}/`);
      assert.ok(
        result.kind === "answer" && result.body.toString() === "inside",
        `${host} ${JSON.stringify(result)}`,
      );
    }
    await outbound.close();
    assert.ok(inside.connections() > before);
  });

  test("public addresses, names and odd ports may be saved; the reason for the rest names the way out", () => {
    const outbound = createOutbound({ allow: none });
    for (const url of [
      "https://api.example.test/v1?x=1",
      "http://8.8.8.8:9100/",
      "https://[2606:4700::1]:8443/",
      "http://example.test.:25/",
      "https://bücher.test/",
      "http://10.example.test/",
    ]) {
      assert.equal(outbound.refuses(url), null, url);
    }
    assert.equal(
      outbound.refuses("http://10.0.0.8:9100/"),
      "10.0.0.8 is a private address; TRUNKLINE_OUTBOUND_ALLOW can let it through",
    );
    assert.equal(
      outbound.refuses("http://localhost/"),
      "localhost is a loopback name; TRUNKLINE_OUTBOUND_ALLOW can let it through",
    );
    assert.equal(outbound.refuses("ftp://x.test/"), "only http and https URLs are allowed");
  });
});
