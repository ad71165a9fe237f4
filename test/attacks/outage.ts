// The database goes away under load: 503 with Retry-After and nothing else, readiness says so, and it is back at once.

import { type Attack, tally } from "./attack.ts";
import { apiKey, bearer, secrets } from "./installation.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const outage: Attack = {
  family: "outage",
  name: "PostgreSQL cut off under load",
  expected: "503 + Retry-After, no 500; ready within 2 s after it is back",
  short: true,
  engines: ["postgres"],
  judged: false,
  async run(stage, size) {
    const it = tally();
    const { link } = stage;
    if (link === null) throw new Error("no wire to cut");
    const own = apiKey(secrets.ourKey);
    const message = { contact: [{ number: "+15550000001", message: "in an outage" }] };
    const asks = [
      { path: "/api/sms/send", body: message, headers: own },
      { path: "/api/sms/send", body: { api_key: secrets.ourKey, ...message } },
      {
        path: "/api/email/send",
        body: { contact: [{ email: "a@example.com", subject: "x", message: "x" }] },
        headers: own,
      },
      { path: "/api/account", headers: own },
      { path: "/api/get/sms", headers: own },
      { path: "/api/get/sms/msg_01k3j5m8q2x9v7n4c6b0d1f3gh", headers: own },
      { method: "POST", path: "/api/cancel/sms/msg_01k3j5m8q2x9v7n4c6b0d1f3gh", headers: own },
      { path: "/api/received/sms", headers: own },
      { path: "/callbacks/mailgun-ours", body: {} },
      { path: "/api/manage/v1/accounts", headers: bearer(secrets.operator) },
      { path: "/api/manage/v1/session", body: { email: "a@example.com", password: "wrong" } },
      { path: "/api/ai/v1/models", headers: bearer(secrets.poolKey) },
    ];
    let over = false;
    let away = false;
    const load = asks.map(async (asked) => {
      while (!over) {
        const during = away;
        const { status, headers, text } = await stage.ask({ ...asked, timeoutMs: 30_000 });
        const label = `${asked.method ?? (asked.body === undefined ? "GET" : "POST")} ${asked.path}`;
        it.add(
          `${during ? "away" : "well"} ${status}`,
          (status === 500 || status === 502 || status === 0) && `${label}: ${status} ${text.slice(0, 120)}`,
        );
        if (status === 503 && headers["retry-after"] === undefined && !asked.path.startsWith("/callbacks/"))
          it.fault(`${label}: 503 without Retry-After`);
        await pause(20);
      }
    });
    await pause(500);
    away = true;
    link.cut();
    await pause(size === "whole" ? 12_000 : 2_500);
    link.mend();
    const back = performance.now();
    let ready = 0;
    let sends = 0;
    while ((ready === 0 || sends === 0) && performance.now() - back < 20_000) {
      if (ready === 0 && (await stage.ask({ path: "/health/ready" })).status === 200)
        ready = performance.now() - back;
      if (
        sends === 0 &&
        (await stage.ask({ path: "/api/sms/send", body: message, headers: own })).status === 200
      )
        sends = performance.now() - back;
      await pause(20);
    }
    away = false;
    over = true;
    await Promise.all(load);
    it.add(`ready after ${Math.round(ready)} ms, sends after ${Math.round(sends)} ms`);
    // Times are for the long program to judge.
    const max = size === "whole" ? 2_000 : 20_000;
    if (sends === 0 || sends > max) it.fault(`the first send after ${Math.round(sends)} ms`);
    if (ready === 0 || ready > max) it.fault(`ready after ${Math.round(ready)} ms`);
    return it;
  },
};

export const outageAttacks: readonly Attack[] = [outage];
