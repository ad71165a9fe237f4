// What a server learns from the TLS greeting, and which certificates are trusted.
// Runs in a process of its own: it changes the environment and the certificate authorities of the process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { readAllowList } from "#runtime/net/address.ts";
import { guardedConnector } from "#runtime/net/connect.ts";
import { cert, key } from "../certificate.ts";
import { openPeer } from "../peer.ts";

test("TLS names the server, offers HTTP/1.1 alone, and trusts no unknown certificate, also if the environment says so", async (context) => {
  const kept = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  context.after(() => {
    if (kept === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = kept;
  });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  const greetings: string[] = [];
  const ALPNCallback = ({ servername, protocols }: { servername: string; protocols: string[] }) => {
    greetings.push(`${servername}: ${protocols.join(", ")}`);
    return "http/1.1";
  };
  const peer = await openPeer({ tls: { key, cert, ALPNCallback } });
  const allow = readAllowList("127.0.0.0/8");
  const connector = guardedConnector(allow, async () => [{ address: "127.0.0.1", family: 4 }]);
  const ask = (hostname: string) =>
    new Promise<string>((resolve) =>
      connector.connect({ hostname, protocol: "https:", port: String(peer.port) }, (error, socket) => {
        socket?.destroy();
        resolve((error as NodeJS.ErrnoException | null)?.code ?? "open");
      }),
    );
  assert.equal(await ask("peer.test"), "DEPTH_ZERO_SELF_SIGNED_CERT");
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, cert]);
  context.after(() => setDefaultCACertificates(trusted));
  assert.equal(await ask("peer.test"), "open");
  assert.equal(await ask("other.test"), "ERR_TLS_CERT_ALTNAME_INVALID");
  assert.equal(await ask("127.0.0.1"), "ERR_TLS_CERT_ALTNAME_INVALID");
  await peer.close();
  const expected = ["peer.test: http/1.1", "peer.test: http/1.1", "other.test: http/1.1", "false: http/1.1"];
  assert.deepEqual(greetings, expected);
});
