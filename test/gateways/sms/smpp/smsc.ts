// An SMSC for tests, made of the npm package `smpp` in its role as a server: an independent reading of the specification.
// It answers as its script says, and is a peer for the suite of sessions.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { Server, Socket } from "node:net";
import type { SessionPeer } from "../../sessions/place.ts";

export const password = "kern4123";

/** A PDU as the package reads it. */
export interface SmscPdu {
  command: string;
  sequence_number: number;
  response(fields?: object): object;
  [field: string]: unknown;
}

/** A client's connection at the server. */
export interface SmscSession {
  socket: Socket;
  send(pdu: object): boolean;
  deliver_sm(fields: object, answered: (answer: SmscPdu & { command_status: number }) => void): boolean;
  enquire_link(answered: (answer: SmscPdu) => void): boolean;
  unbind(answered: (answer: SmscPdu) => void): boolean;
  on(event: string, listener: (pdu: SmscPdu) => void): void;
}

interface SmppPackage {
  createServer(options: object, onSession: (session: SmscSession) => void): Server;
  PDU: new (command: string, fields?: object) => { toBuffer(): Buffer };
}

export const smppPackage = createRequire(import.meta.url)("smpp") as SmppPackage;

/** `answer` sends the response with these fields. */
export type SubmitScript = (pdu: SmscPdu, answer: (fields?: object) => void, session: SmscSession) => void;

export interface SmscOptions {
  key?: string;
  cert?: string;
  onSubmit?: SubmitScript;
  /** The status of the answer to a bind; null: none comes. */
  onBind?: (pdu: SmscPdu) => number | null;
}

export interface Smsc {
  port: number;
  /** Bound connections, oldest first. */
  bound: SmscSession[];
  /** All that was submitted. */
  submitted: SmscPdu[];
  binds: SmscPdu[];
  /** From here on no enquire_link is answered. */
  fallSilent(): void;
  /** Changes the script. */
  script(onSubmit: SubmitScript): void;
  close(): Promise<void>;
}

/** The text of a submitted PDU, without its header. */
export function textOf(pdu: SmscPdu): string {
  const message = (pdu.message_payload ?? pdu.short_message) as { message: string | Buffer } | undefined;
  return String(message?.message ?? "");
}

export async function openSmsc({ key, cert, onSubmit, onBind = () => 0 }: SmscOptions = {}): Promise<Smsc> {
  const bound: SmscSession[] = [];
  const submitted: SmscPdu[] = [];
  const binds: SmscPdu[] = [];
  const sockets = new Set<Socket>();
  let ids = 0;
  let silent = false;
  let script: SubmitScript =
    onSubmit ??
    ((_pdu, answer) => {
      ids += 1;
      answer({ message_id: `id${ids}` });
    });
  const server = smppPackage.createServer({ key, cert }, (session) => {
    sockets.add(session.socket);
    session.socket.on("close", () => {
      sockets.delete(session.socket);
      if (bound.includes(session)) bound.splice(bound.indexOf(session), 1);
    });
    session.on("error", () => {});
    const bind = (pdu: SmscPdu) => {
      binds.push(pdu);
      const status = pdu.password === password ? onBind(pdu) : 0x0e;
      if (status === null) return;
      if (status === 0) bound.push(session);
      session.send(pdu.response({ command_status: status, system_id: status === 0 ? "smsc" : password }));
    };
    for (const mode of ["bind_transceiver", "bind_transmitter", "bind_receiver"]) session.on(mode, bind);
    session.on("submit_sm", (pdu) => {
      submitted.push(pdu);
      script(pdu, (fields) => void session.send(pdu.response(fields)), session);
    });
    session.on("enquire_link", (pdu) => {
      if (!silent) session.send(pdu.response());
    });
    session.on("unbind", (pdu) => {
      session.send(pdu.response());
      session.socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    bound,
    submitted,
    binds,
    fallSilent: () => {
      silent = true;
    },
    script: (next) => {
      script = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The same as a peer for the suite of sessions. */
export async function openSmscPeer(): Promise<SessionPeer> {
  const taken: string[] = [];
  const references = new Map<string, string>();
  const acknowledged = new Set<string>();
  let withheld: (() => void)[] = [];
  let holding = false;
  let refusing = false;
  let maxAtOnce = 0;
  let parts = 0;
  const smsc = await openSmsc({
    onBind: () => {
      if (refusing) return 0x0d;
      queueMicrotask(() => {
        maxAtOnce = Math.max(maxAtOnce, smsc.bound.length);
      });
      return 0;
    },
    onSubmit: (pdu, answer) => {
      const text = textOf(pdu);
      taken.push(text);
      const reference = createHash("sha256").update(`${text}${taken.length}`).digest("hex").slice(0, 12);
      references.set(text, reference);
      const reply = () => answer({ message_id: reference });
      if (holding) withheld.push(reply);
      else reply();
    },
  });
  const drop = () => {
    for (const { socket } of [...smsc.bound]) socket.destroy();
  };
  return {
    settings: {
      host: "127.0.0.1",
      port: smsc.port,
      system_id: "acme",
      password,
      response_timeout_s: 300,
      enquire_link_s: 600,
    },
    secrets: [password],
    taken,
    connections: () => smsc.bound.length,
    maxAtOnce: () => maxAtOnce,
    staleStates: () => 0,
    hold: () => {
      holding = true;
    },
    answer: () => {
      holding = false;
      for (const reply of withheld) reply();
      withheld = [];
    },
    refuse: () => {
      refusing = true;
      drop();
    },
    allow: () => {
      refusing = false;
    },
    drop,
    // A part of a message has to be stored before it is acknowledged.
    changeState: () => {
      parts += 1;
      for (const session of smsc.bound)
        session.deliver_sm(
          {
            source_addr: "4915100000000",
            source_addr_ton: 1,
            destination_addr: "4915123456789",
            sar_msg_ref_num: parts,
            sar_total_segments: 2,
            sar_segment_seqnum: 1,
            short_message: "half of it",
          },
          () => {},
        );
    },
    deliver: (text) => {
      const id = references.get(text);
      for (const session of smsc.bound)
        session.deliver_sm(
          {
            esm_class: 4,
            source_addr: "4915123456789",
            destination_addr: "acme",
            short_message: `id:${id} sub:001 dlvrd:001 submit date:2611231200 done date:2611231201 stat:DELIVRD err:000 text:`,
          },
          (answer) => {
            if (answer.command_status === 0) acknowledged.add(text);
          },
        );
    },
    acknowledged: (text) => acknowledged.has(text),
    close: smsc.close,
  };
}
