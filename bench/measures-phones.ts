// What linked phones cost: each has its stream of events open, as the app has while it waits.

import { Agent, get, type IncomingMessage } from "node:http";
import { Client, type Dispatcher, request } from "undici";
import { memoryMib } from "../test/process-memory.ts";
import { figure, type Measure, onStage, pause } from "./figure.ts";
import { account, operatorToken } from "./stage.ts";

const phones = process.argv.includes("--short") ? 20 : 200;
const goalMib = 60;
/** A process that has just started or answered much still collects garbage. */
const settleMs = 10_000;
const identifierOf = (phone: number) => `phone-${phone}`;

const phoneAccount = () =>
  account(
    Array.from({ length: phones }, (_, phone) => ({
      identifier: identifierOf(phone),
      channel: "sms",
      kind: "android",
      default: phone === 0,
    })),
  );

async function ask(
  url: string,
  headers: Record<string, string>,
  body?: object,
  dispatcher?: Dispatcher,
): Promise<never> {
  const answer = await request(url, {
    ...(dispatcher === undefined ? {} : { dispatcher }),
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text) as never;
}

/** Links a phone as the app does, and resolves when its stream is open. */
async function linkPhone(
  base: string,
  gateways: string,
  phone: number,
  agent: Agent,
): Promise<IncomingMessage> {
  const operator = { authorization: `Bearer ${operatorToken}` };
  const link = `${base}${gateways}/${identifierOf(phone)}/link`;
  const { data } = (await ask(link, operator, { method: "qr" })) as { data: { code: { text: string } } };
  const sims = [{ slotIndex: 0, simNumber: 1, phoneNumber: "********1820" }];
  const code = { authorization: `Code ${data.code.text}`, "user-agent": "me.capcom.smsgateway/1.70.3" };
  const device = { name: "Google/husky", simCards: sims };
  // Each phone has an address of its own: one address may try 60 codes a minute.
  const network = new Client(base, { localAddress: `127.0.1.${phone + 1}` });
  const { token } = (await ask(`${base}/api/mobile/v1/device`, code, device, network)) as { token: string };
  await network.close();
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  return await new Promise((resolve, reject) => {
    get(`${base}/api/mobile/v1/events`, { headers, agent }, (stream) => {
      stream.resume();
      if (stream.statusCode === 200) resolve(stream);
      else reject(new Error(`The stream answered ${stream.statusCode}.`));
    }).on("error", reject);
  });
}

export const phoneMemory: Measure = (engine) =>
  onStage(
    engine,
    async (stage) => {
      const server = await stage.start();
      const { base, pid } = server;
      const operator = { authorization: `Bearer ${operatorToken}` };
      const { data: accounts } = (await ask(`${base}/api/manage/v1/accounts`, operator)) as {
        data: { id: string }[];
      };
      const gateways = `/api/manage/v1/accounts/${accounts[0]?.id}/gateways`;
      await pause(settleMs);
      const before = memoryMib(pid, "VmRSS");
      const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
      const streams: IncomingMessage[] = [];
      for (let phone = 0; phone < phones; phone += 1)
        streams.push(await linkPhone(base, gateways, phone, agent));
      await pause(settleMs);
      const after = memoryMib(pid, "VmRSS");
      const open = streams.filter(({ closed }) => !closed).length;
      agent.destroy();
      if (before === null || after === null) return [figure("phones", "no memory to read here")];
      const more = after - before;
      return [
        figure(
          `${open} linked phones with an open stream: memory more than idle (${before.toFixed(0)} MiB)`,
          `${more.toFixed(0)} MiB`,
          `< ${goalMib} MiB`,
          more < goalMib && open === phones,
        ),
      ];
    },
    () => [phoneAccount()],
  );
