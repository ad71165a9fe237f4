// The provider of the power-loss runs: takes every message after a moment, so that some are always on the wire, and counts.

import { createServer } from "node:http";
import { pause } from "./marker.ts";

export const apiKey = `tl_${"p".repeat(40)}`;
const answersAfterMs = 15;

export interface Provider {
  port: number;
  /** How often each message was handed over. */
  taken: Map<string, number>;
  close(): Promise<void>;
}

export async function startProvider(): Promise<Provider> {
  const taken = new Map<string, number>();
  const server = createServer(async (request, reply) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { ref } = JSON.parse(body) as { ref: string };
    taken.set(ref, (taken.get(ref) ?? 0) + 1);
    await pause(answersAfterMs);
    reply.setHeader("content-type", "application/json").end(JSON.stringify({ id: `p-${ref}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    taken,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One account whose one gateway holds what may have been sent. */
export const provisioning = (port: number): object => ({
  accounts: [
    {
      name: "power",
      api_key: apiKey,
      plan: { name: "basic", credit: { sms: 10_000_000 } },
      gateways: [
        {
          identifier: "main",
          channel: "sms",
          kind: "http-api",
          default: true,
          on_unknown: "hold",
          pace: { concurrency: 8 },
          settings: {
            url: `http://127.0.0.1:${port}/send`,
            body: { to: "{{to}}", text: "{{message}}", ref: "{{id}}" },
            success: { reference: "$.id" },
          },
        },
      ],
    },
  ],
});
