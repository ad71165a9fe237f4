// Requests that bring files: each piece of a file goes to the store before the next one is read from the socket, so
// that neither a large file nor a slow disk fills the memory. Nothing is stored before it is known whose it is, and
// whatever is answered but success, what was stored of the files is removed before.

import type { IncomingMessage } from "node:http";
import type { Account } from "#accounts/account.ts";
import { type Problem, problem, refusals } from "#contract/problem.ts";
import type { Intake } from "#messaging/intake.ts";
import { StorageError } from "#store/database.ts";
import type { Answer } from "./answer.ts";
import {
  asKey,
  authenticate,
  judgeKey,
  type Key,
  keyInBody,
  keyInFront,
  withoutKey,
} from "./authenticate.ts";
import { takeBody } from "./body.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Call, UploadCall } from "./endpoint.ts";
import { boundaryOf, type MultipartEvent, MultipartReader } from "./multipart.ts";
import { badForm, mediaOf, type ParsedBody, parseForm, tooManyFields } from "./parse-body.ts";
import { isProblem, readBody, tooLarge } from "./read-body.ts";

export interface UploadGate {
  /** Of the whole body. */
  maxBytes: number;
  /** Of everything in it but the files. */
  maxFieldBytes: number;
  maxFields: number;
  deadlines: Deadlines;
}

/**
 * A key may stand in the form itself, behind files of who knows whom. So many bytes of them are kept in memory, and
 * none is stored: a stranger must not have the one writer that everybody waits for. A body of JSON without a key in
 * front may take more memory than this, so the number of such uploads needs no bound of its own.
 */
const mostHeldBytes = 2 * 1024 * 1024;
/** What a file counts beside its content: thousands of empty ones are no small thing either. */
const heldPerFile = 1_024;
const filesBeforeKey = problem("body_too_large", {
  message: "Files came before the api_key; send the key in the Api-key header, or before the files.",
});

const retryAfterMs = 5_000;

/** The fields of files that go with the mail, and where among them one stands. */
const fileField = /^attachments(?:\[(\d{0,9})\])?$/;

type FileEvent = Exclude<MultipartEvent, { kind: "field" }>;

/** An upload that was let in and read. */
type Ready = Pick<UploadCall, "account" | "body" | "intake">;

/** Answers a request that may bring files. Null: the client went away. */
export async function answerUpload(
  call: Call,
  handler: (admitted: UploadCall) => Promise<Answer | null>,
): Promise<Answer | null> {
  let opened: Intake | null = null;
  const open = (account: Account): Intake => {
    opened = call.parts.openIntake(account);
    return opened;
  };
  try {
    const { gate, request } = call;
    const keyMayBeInForm = mediaOf(request.headers) === "multipart" && keyInFront(request) === null;
    const ready = await (keyMayBeInForm ? admitByForm : admit)(gate, request, open);
    if (ready === null || isProblem(ready)) return ready;
    return await handler({ ...call, ...ready });
  } catch (error) {
    if (!(error instanceof StorageError) || error.fault === "failed") throw error;
    return problem("unavailable", { retryAfterMs });
  } finally {
    await (opened as Intake | null)?.end();
  }
}

async function admit(
  gate: Call["gate"],
  request: IncomingMessage,
  open: (account: Account) => Intake,
): Promise<Ready | Problem | null> {
  const admitted = await authenticate(gate, request);
  if (admitted === null || isProblem(admitted)) return admitted;
  const { account } = admitted;
  const intake = open(account);
  let body: ParsedBody | Problem | null = admitted.body;
  if (body === null) {
    if (mediaOf(request.headers) === "multipart") {
      const take = intoIntake(intake);
      const onFile = async (event: FileEvent) => {
        await take(event);
        return null;
      };
      body = await readForm(request, gate.uploads, { onFile, onKey: null });
    } else body = await readBody(request, gate.bodyLimits);
  }
  return body === null || isProblem(body) ? body : { account, body, intake };
}

/** Reads a form that may hold its key. As soon as that has come it is judged, and what was held of files is stored. */
async function admitByForm(
  gate: Call["gate"],
  request: IncomingMessage,
  open: (account: Account) => Intake,
): Promise<Ready | Problem | null> {
  let key: Key | null = null;
  let admitted: (Omit<Ready, "body"> & { take: (event: FileEvent) => Promise<void> }) | null = null;
  let refusal: Problem | null = null;
  const held: FileEvent[] = [];
  let heldBytes = 0;

  async function onKey(value: string): Promise<Problem | null> {
    if (key !== null) return null;
    key = asKey(value);
    if (key === null) return null;
    const account = await judgeKey(gate, key);
    if (isProblem(account)) {
      refusal = account;
      return refusal;
    }
    const intake = open(account);
    const take = intoIntake(intake);
    admitted = { account, intake, take };
    for (const event of held.splice(0)) await take(event);
    return null;
  }
  async function onFile(event: FileEvent): Promise<Problem | null> {
    if (admitted !== null) {
      await admitted.take(event);
      return null;
    }
    if (event.kind === "file") heldBytes += heldPerFile;
    if (event.kind === "piece") heldBytes += event.bytes.length;
    if (heldBytes > mostHeldBytes) {
      refusal = filesBeforeKey;
      return refusal;
    }
    // A copy, for a few bytes would keep all that came with them from the socket.
    held.push(event.kind === "piece" ? { kind: "piece", bytes: Buffer.from(event.bytes) } : event);
    return null;
  }
  const body = await readForm(request, gate.uploads, { onFile, onKey });
  if (body === null) return null;
  // What the two functions above have set, which the compiler cannot see.
  const whose = admitted as Omit<Ready, "body"> | null;
  if (isProblem(body)) return whose !== null || body === refusal ? body : withoutKey(body);
  // Of two keys, and of one that is a list, no two parts of a system may read different things.
  if (keyInBody(body) !== key) return refusals.invalid;
  return whose === null ? refusals.missing : { account: whose.account, intake: whose.intake, body };
}

/** Takes the files that go with the mail in. Rejects with a `StorageError`. */
function intoIntake(intake: Pick<Intake, "begin" | "write" | "close">): (event: FileEvent) => Promise<void> {
  let taking = false;
  return async (event) => {
    switch (event.kind) {
      case "file": {
        const found = fileField.exec(event.name);
        taking = found !== null;
        if (found) intake.begin(event.filename, found[1] ? Number(found[1]) : null);
        return;
      }
      case "piece":
        if (taking) await intake.write(event.bytes);
        return;
      case "file_end":
        if (taking) await intake.close();
    }
  };
}

/** What is done with a form while it is read; a problem from either ends the reading. */
interface FormTakers {
  onFile(event: FileEvent): Promise<Problem | null>;
  /** A field called `api_key`; null: nobody waits for one. */
  onKey: ((value: string) => Promise<Problem | null>) | null;
}

/** Reads a form: its fields, and the names of files that do not go with the mail. Null: the client went away. */
async function readForm(
  request: IncomingMessage,
  limits: UploadGate,
  { onFile, onKey }: FormTakers,
): Promise<ParsedBody | Problem | null> {
  const boundary = boundaryOf(request.headers["content-type"] ?? "");
  if (boundary === null) return badForm;
  const reader = new MultipartReader(boundary, limits);
  const pairs: [string, string][] = [];
  const files: string[] = [];
  let fault: Problem | null = null;

  async function takePart(event: MultipartEvent): Promise<Problem | null> {
    if (event.kind === "field") return (await onKey?.(event.value)) ?? null;
    if (event.kind === "file" && !fileField.test(event.name)) files.push(event.name);
    return await onFile(event);
  }
  const faults = { malformed: badForm, too_many: tooManyFields, too_large: tooLarge(limits.maxFieldBytes) };
  let some = false;
  const end = await takeBody(request, limits.maxBytes, limits.deadlines, async (chunk) => {
    some = true;
    const events = reader.write(chunk);
    for (;;) {
      const next = events.next();
      if (next.done) {
        if (next.value !== null) fault = faults[next.value];
        return next.value === null;
      }
      const event = next.value;
      if (event.kind === "field") pairs.push([event.name, event.value]);
      // A bulk form has tens of thousands of fields: only what is waited for is worth a promise.
      if (event.kind === "field" && event.name !== "api_key") continue;
      fault = await takePart(event);
      if (fault !== null) return false;
    }
  });
  switch (end) {
    case "ended":
      // A body of no bytes is null, whatever its type.
      if (!some) return { value: null, files: [] };
      return reader.complete ? parseForm(pairs, files) : badForm;
    case "stopped":
      return fault ?? badForm;
    case "too_large":
      return tooLarge(limits.maxBytes);
    case "too_slow":
      return problem("request_timeout");
    case "gone":
      return null;
  }
}
