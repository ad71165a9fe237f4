// Mails over many SMTP connections while the process is killed with `kill -9` and started again: no mail whose 250 was read is lost, and none
// is handed to the mail server twice. `node test/faults/submission.ts 10000` plays it at length.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { cert } from "../gateways/email/certificate.ts";
import { openScriptedSmtp } from "../gateways/email/scripted-smtp.ts";
import { pause } from "./marker.ts";
import { freePort, type Server, startServer } from "./server.ts";

const key = `tl_${"s".repeat(32)}`;
const connections = 20;
/** Transmissions that one kill can leave undecided. */
const concurrency = 8;

interface SubmissionRun {
  /** Mails whose 250 was read. */
  acknowledged: number;
  /** Acknowledged mails that are not stored, or were neither sent nor left undecided. */
  lost: string[];
  /** Mails that the server got more than once. */
  twice: string[];
  /** Acknowledged mails of which it is not known whether they were sent. */
  undecided: number;
  /** Most of them that the kills can explain. */
  explained: number;
  seconds: number;
}

/** Sends `mails` mails, and kills the process `kills` times on the way. */
export async function killedSubmission(mails: number, kills: number): Promise<SubmissionRun> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-submission-"));
  const sink = await openScriptedSmtp({ security: "starttls" });
  const [httpPort, smtpPort] = [await freePort(), await freePort()];
  const provision = join(folder, "provision.json");
  const settings = { host: "localhost", port: sink.port, ca: cert, from: "news@example.com" };
  writeFileSync(
    provision,
    JSON.stringify({
      accounts: [
        {
          name: "acme",
          api_key: key,
          plan: { name: "basic", expires_at: null, credit: { email: 1_000_000 } },
          gateways: [
            {
              identifier: "mail",
              channel: "email",
              kind: "smtp",
              default: true,
              on_unknown: "hold",
              pace: { concurrency },
              settings,
            },
          ],
        },
      ],
    }),
  );
  const start = () =>
    startServer({
      port: httpPort,
      logFile: join(folder, "log"),
      env: {
        TRUNKLINE_DATA_DIR: join(folder, "data"),
        TRUNKLINE_PROVISION: provision,
        TRUNKLINE_SMTP_PORT: String(smtpPort),
        TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
        TRUNKLINE_LOG_REQUESTS: "false",
      },
    });
  let server = await start();
  const begun = performance.now();
  try {
    const acknowledged = new Map<string, string>();
    let next = 0;
    const worker = async () => {
      while (next < mails) {
        const client = await signedIn(smtpPort);
        if (client === null) {
          await pause(50);
          continue;
        }
        while (next < mails) {
          const name = `mail-${next++}@client.test`;
          const id = await handIn(client, name);
          if (id === null) break;
          acknowledged.set(name, id);
        }
        client.close();
      }
    };
    const workers = Array.from({ length: connections }, worker);
    for (let kill = 1; kill <= kills; kill += 1) {
      while (next < (mails * kill) / (kills + 1)) await pause(5);
      await server.kill();
      server = await start();
    }
    await Promise.all(workers);
    return await judged(server, acknowledged, sink.handed, { kills, begun });
  } finally {
    await server.kill();
    await sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A connection that has signed in; null if there is none at the moment. */
function signedIn(port: number): Promise<SMTPConnection | null> {
  const client = new SMTPConnection({ host: "127.0.0.1", port, ignoreTLS: true });
  return new Promise((resolve) => {
    client.once("error", () => resolve(null));
    client.once("end", () => resolve(null));
    client.connect((error) => {
      if (error) return resolve(null);
      client.login({ user: "any", pass: key }, (refused) => resolve(refused ? null : client));
    });
  });
}

/** Our id of the mail whose 250 was read; null if none was. */
function handIn(client: SMTPConnection, name: string): Promise<string | null> {
  const raw = `From: app@example.com\r\nTo: ada@example.net\r\nSubject: ${name}\r\nMessage-ID: <${name}>\r\n\r\nHello\r\n`;
  return new Promise<string | null>((resolve) => {
    const lost = () => resolve(null);
    client.once("end", lost);
    const answered = (id: string | null) => {
      client.off("end", lost);
      resolve(id);
    };
    client.send({ from: "app@example.com", to: ["ada@example.net"] }, raw, (error, info) =>
      answered(error ? null : (/msg_\w+/.exec(info.response)?.[0] ?? null)),
    );
  });
}

async function statusOf(server: Server, id: string): Promise<string> {
  const reply = await fetch(`${server.base}/api/get/email/${id}`, { headers: { "api-key": key } });
  if (reply.status !== 200) return `answered with ${reply.status}`;
  return ((await reply.json()) as { data: { status: string } }).data.status;
}

async function judged(
  server: Server,
  acknowledged: ReadonlyMap<string, string>,
  handed: readonly { raw: Buffer }[],
  { kills, begun }: { kills: number; begun: number },
): Promise<SubmissionRun> {
  const lost: string[] = [];
  let undecided = 0;
  const until = performance.now() + 120_000;
  for (const [name, id] of acknowledged) {
    let status = await statusOf(server, id);
    while (/^(?:queued|sending)$/.test(status) && performance.now() < until) {
      await pause(50);
      status = await statusOf(server, id);
    }
    if (status === "unknown") undecided += 1;
    else if (status !== "sent") lost.push(`${name} ${id} ${status}`);
  }
  const times = new Map<string, number>();
  for (const { raw } of handed) {
    const name = /^Message-ID: <(.+)>/m.exec(raw.toString("latin1", 0, 4096))?.[1] ?? "";
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  for (const [name, id] of acknowledged)
    if (!times.has(name) && (await statusOf(server, id)) === "sent")
      lost.push(`${name} ${id} never handed over`);
  return {
    acknowledged: acknowledged.size,
    lost,
    twice: [...times].filter(([, count]) => count > 1).map(([name]) => name),
    undecided,
    explained: kills * concurrency,
    seconds: (performance.now() - begun) / 1000,
  };
}

if (import.meta.main) {
  const mails = Number(process.argv[2] ?? 10_000);
  const run = await killedSubmission(mails, 5);
  console.log(JSON.stringify(run));
  process.exit(run.lost.length + run.twice.length === 0 ? 0 : 1);
}
