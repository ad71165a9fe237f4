// Sends an SMS so that a repeat is safe, then waits for its final status.
//   TRUNKLINE_API_KEY=… node examples/send.mjs +15550000001 "Hello"

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const base = process.env.BASE_URL ?? "http://127.0.0.1:8080";
const apiKey = process.env.TRUNKLINE_API_KEY;
const [number, message] = process.argv.slice(2);
if (!apiKey || !number || !message) {
  console.error('usage: TRUNKLINE_API_KEY=… node examples/send.mjs NUMBER "TEXT"');
  process.exit(2);
}

/** Repeats what may be repeated: no answer, 429 and 5xx. The key makes sure that all tries together send once. */
async function send(body, idempotencyKey) {
  for (let attempt = 1; ; attempt++) {
    let response = null;
    try {
      response = await fetch(`${base}/api/sms/send`, {
        method: "POST",
        headers: {
          "Api-key": apiKey,
          "Content-Type": "application/json",
          "Idempotency-Key": idempotencyKey,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      });
    } catch (error) {
      if (attempt === 5) throw error;
    }
    if (response?.ok) return (await response.json()).data;
    const repeatable = response === null || response.status === 429 || response.status >= 500;
    if (!repeatable || attempt === 5) throw new Error(`${response?.status}: ${await response?.text()}`);
    const seconds = Number(response?.headers.get("retry-after") ?? 0) || 2 ** attempt;
    await sleep(seconds * 1000);
  }
}

async function lookUp(id) {
  const response = await fetch(`${base}/api/get/sms/${id}`, { headers: { "Api-key": apiKey } });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()).data;
}

const { contact } = await send({ contact: [{ number, message }] }, randomUUID());
const [{ id, status }] = contact;
console.log(`${id} ${status}`);

const pending = new Set(["queued", "scheduled", "sending", "sent"]);
for (let second = 0; second < 60; second++) {
  const record = await lookUp(id);
  if (!pending.has(record.status)) {
    console.log(`${id} ${record.status}`);
    process.exit(record.status === "delivered" ? 0 : 1);
  }
  await sleep(1000);
}
console.log(`${id} has no final status yet. Webhooks tell it when it comes.`);
