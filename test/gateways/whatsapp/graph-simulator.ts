// The Graph API of the WhatsApp Cloud API over real HTTP: it refuses what Meta's OpenAPI document of the Business
// Messaging API refuses (facts, not code), in Meta's shape of errors, and remembers what it took.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageFault } from "./graph-rules.ts";

export const phoneNumberId = "106540352242922";
export const businessAccountId = "102290129340398";
export const token = "EAAtoken-0123456789";

const uploadTypes = [
  ...["image/jpeg", "image/png", "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
  ...["video/mp4", "video/3gpp", "text/plain", "application/pdf", "application/msword"],
  ...["application/vnd.ms-excel", "application/vnd.ms-powerpoint"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
];

/** A message that the API took. */
export interface TakenMessage {
  wamid: string;
  body: Record<string, unknown>;
}

/** A failure in Meta's shape. */
export interface GraphError {
  status: number;
  code: number;
  message?: string;
  details?: string;
}

export interface GraphSimulator {
  url: string;
  taken: TakenMessage[];
  /** Files that the API took; a message may name the ids of these alone. */
  uploads: { id: string; type: string; bytes: Buffer }[];
  /** What the number is, as Meta shows it; `pin`: with which it is registered. */
  number: Record<string, unknown> & { pin?: string };
  /** Apps that are subscribed to the account. */
  apps: object[];
  /** Files of messages from people, by their ids. */
  received: Map<string, { type: string; bytes: Buffer }>;
  /** Every request, as `METHOD /path`. */
  calls: string[];
  /** The next message meets this failure; `null`: the connection is cut after the message was taken. */
  failNext(...failures: (GraphError | null)[]): void;
  /** The same for the next upload. */
  failUpload(...failures: (GraphError | null)[]): void;
  /** Runs when the next message was taken, before the answer. */
  beforeAnswer(run: (message: TakenMessage) => Promise<void>): void;
  close(): Promise<void>;
}

export function graphError({ status, code, message = "(#0) Failed", details }: GraphError) {
  const error = {
    message,
    type: "OAuthException",
    code,
    ...(details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details } }),
    fbtrace_id: "AzTraceId12345",
  };
  return { status, body: { error } };
}

export async function graphSimulator(): Promise<GraphSimulator> {
  const taken: TakenMessage[] = [];
  const calls: string[] = [];
  const uploads: GraphSimulator["uploads"] = [];
  const number: GraphSimulator["number"] = {
    id: phoneNumberId,
    display_phone_number: "+1 555-078-3881",
    verified_name: "Acme",
    code_verification_status: "VERIFIED",
    quality_rating: "GREEN",
    throughput: { level: "STANDARD" },
    health_status: { can_send_message: "AVAILABLE", entities: [] },
    name_status: "APPROVED",
    whatsapp_business_manager_messaging_limit: "TIER_10K",
    status: "CONNECTED",
  };
  const received: GraphSimulator["received"] = new Map();
  const apps: object[] = [{ whatsapp_business_api_data: { id: "67084324", name: "Trunkline" } }];
  const failures: (GraphError | null)[] = [];
  const uploadFailures: (GraphError | null)[] = [];
  const early: ((message: TakenMessage) => Promise<void>)[] = [];
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname } = new URL(request.url ?? "/", "http://graph.test");
    calls.push(`${request.method} ${pathname}`);
    const [, folder, file = ""] = pathname.split("/");
    if (folder === "files") {
      const found = received.get(file);
      const isOurs = request.headers.authorization === `Bearer ${token}`;
      if (found === undefined || !isOurs) response.writeHead(404).end();
      else
        response
          .writeHead(200, { "content-type": found.type, "content-length": found.bytes.length })
          .end(found.bytes);
      return;
    }
    const reply = await answerTo(request, pathname, Buffer.concat(chunks));
    if (reply === null) {
      response.destroy();
      return;
    }
    response.writeHead(reply.status, { "content-type": "application/json; charset=UTF-8" });
    response.end(JSON.stringify(reply.body));
  }

  async function answerTo(request: IncomingMessage, path: string, bytes: Buffer) {
    if (request.headers.authorization !== `Bearer ${token}`)
      return graphError({ status: 401, code: 190, message: "Error validating access token" });
    const [, version, id, edge] = path.split("/");
    if (version !== "v26.0")
      return graphError({ status: 400, code: 2500, message: "Unknown path components: /messages" });
    if (request.method === "GET" && id === businessAccountId && edge === "subscribed_apps")
      return { status: 200, body: { data: apps } };
    const file = received.get(id ?? "");
    if (request.method === "GET" && file !== undefined && edge === undefined) {
      const url = `http://${request.headers.host}/files/${id}`;
      const body = {
        url,
        mime_type: file.type,
        file_size: file.bytes.length,
        id,
        messaging_product: "whatsapp",
      };
      return { status: 200, body };
    }
    if (id !== phoneNumberId) {
      const message = `Unsupported post request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`;
      return graphError({ status: 400, code: 100, message });
    }
    if (request.method === "POST" && edge === "messages") return takeMessage(request, bytes);
    if (request.method === "GET" && edge === undefined) return showNumber(request);
    if (request.method === "POST" && edge === "register") return registerNumber(bytes);
    if (request.method === "POST" && edge === "media") return takeFile(request, bytes);
    return graphError({ status: 400, code: 2500, message: `Unknown path components: /${edge}` });
  }

  function showNumber({ url = "" }: IncomingMessage) {
    const fields = new URL(url, "http://graph.test").searchParams.get("fields")?.split(",") ?? ["id"];
    const body = Object.fromEntries([...fields, "id"].map((name) => [name, number[name]]));
    return { status: 200, body };
  }

  function registerNumber(bytes: Buffer) {
    const { messaging_product, pin } = JSON.parse(bytes.toString("utf8"));
    if (messaging_product !== "whatsapp" || !/^\d{6}$/.test(pin))
      return graphError({ status: 400, code: 100, message: "(#100) The parameter pin is required." });
    if (number.pin !== undefined && number.pin !== pin)
      return graphError({
        status: 400,
        code: 133005,
        message: "(#133005) Two step verification PIN mismatch",
      });
    Object.assign(number, { pin, status: "CONNECTED" });
    return { status: 200, body: { success: true } };
  }

  async function takeFile(request: IncomingMessage, bytes: Buffer) {
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    const form = await new Response(new Uint8Array(bytes), { headers }).formData();
    const file = form.get("file");
    if (form.get("messaging_product") !== "whatsapp" || !(file instanceof File))
      return graphError({ status: 400, code: 100, message: "(#100) The parameter file is required." });
    // It is the part's own type that counts.
    if (!uploadTypes.includes(file.type))
      return graphError({
        status: 400,
        code: 100,
        message: `(#100) Param file must be a file with one of the following types: ${uploadTypes.join(", ")}.`,
      });
    const failure = uploadFailures.shift();
    if (failure != null) return graphError(failure);
    const id = String(9_000_000_000 + uploads.length);
    uploads.push({ id, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) });
    return failure === null ? null : { status: 200, body: { id } };
  }

  async function takeMessage(request: IncomingMessage, bytes: Buffer) {
    if (request.headers["content-type"] !== "application/json")
      return graphError({
        status: 400,
        code: 100,
        message: "(#100) The parameter messaging_product is required.",
      });
    const body = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    const fault = messageFault(body);
    if (fault !== null) return graphError({ status: 400, code: 100, message: `(#100) ${fault}` });
    const part = body[String(body.type)] as { id?: string } | undefined;
    if (part?.id !== undefined && !uploads.some(({ id }) => id === part.id))
      return graphError({ status: 400, code: 131053, message: "(#131053) Media upload error" });
    const failure = failures.shift();
    if (failure != null) return graphError(failure);
    const wamid = `wamid.${Buffer.from(`${taken.length}:${String(body.to ?? body.recipient)}`).toString("base64")}`;
    taken.push({ wamid, body });
    await early.shift()?.({ wamid, body });
    if (failure === null) return null;
    const contact =
      "to" in body ? { input: body.to, wa_id: String(body.to).replace("+", "") } : { input: body.recipient };
    return {
      status: 200,
      body: { messaging_product: "whatsapp", contacts: [contact], messages: [{ id: wamid }] },
    };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    number,
    apps,
    received,
    calls,
    uploads,
    failNext: (...next) => void failures.push(...next),
    failUpload: (...next) => void uploadFailures.push(...next),
    beforeAnswer: (run) => void early.push(run),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
