// The package for n8n as n8n loads it: its sources as JavaScript, beside a stand-in for `n8n-workflow`, and what n8n gives a node that runs.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The classes and constants of `n8n-workflow` that the nodes use. */
const workflow = `
class NodeError extends Error {
  constructor(node, error, options = {}) {
    super(options.message ?? (typeof error === "string" ? error : error.message), { cause: error });
    this.name = this.constructor.name;
    this.context = { itemIndex: options.itemIndex };
    const status = error.response?.status;
    this.httpCode = status === undefined ? null : String(status);
  }
}
exports.NodeApiError = class NodeApiError extends NodeError {};
exports.NodeOperationError = class NodeOperationError extends NodeError {};
exports.NodeConnectionTypes = { Main: "main" };
`;

export type Json = Record<string, unknown>;
type Method = (this: object, ...parameters: never[]) => Promise<unknown>;

interface NodeType {
  description: { name: string; properties: { name: string; default: unknown; displayOptions?: object }[] };
  execute: Method;
  webhook: Method;
  webhookMethods: { default: Record<"checkExists" | "create" | "delete", Method> };
  methods: { loadOptions: { getEvents: Method } };
}

interface Credential {
  authenticate:
    | ((data: Json, request: Json) => Promise<Json>)
    | { properties: { headers: Record<string, string> } };
}

export interface Package {
  node(name: "Trunkline" | "TrunklineTrigger"): NodeType;
  credential(name: "TrunklineApi" | "TrunklineManagementApi"): Credential;
}

/** Compiles the package into a folder of its own, which is removed after the tests. */
export function openPackage(after: (done: () => void) => void): Package {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-n8n-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const compiler = join(root, "test/node_modules/typescript/bin/tsc");
  // `npm run build` of the package checks the types, with those of n8n.
  const options = ["--noCheck", "--outDir", folder];
  execFileSync(process.execPath, [compiler, "-p", join(root, "integrations/n8n"), ...options]);
  const standIn = join(folder, "node_modules/n8n-workflow");
  mkdirSync(standIn, { recursive: true });
  writeFileSync(join(standIn, "index.js"), workflow);
  const load = createRequire(join(folder, "index.js"));
  return {
    node: (name) => new (load(`./nodes/${name}/${name}.node.js`)[name])(),
    credential: (name) => new (load(`./credentials/${name}.credentials.js`)[name])(),
  };
}

/** What n8n's helper does: the credential's headers, JSON both ways, and an error with the response for any status but 2xx. */
export async function request(credential: Credential, data: Json, asked: Json): Promise<unknown> {
  const { authenticate } = credential;
  const { method, url, headers, body, disableFollowRedirect } = (
    typeof authenticate === "function"
      ? await authenticate(data, asked)
      : {
          ...asked,
          headers: Object.fromEntries(
            Object.entries(authenticate.properties.headers).map(([name, value]) => [
              name,
              value.slice(1).replace(/\{\{\$credentials\.(\w+)\}\}/g, (_, field) => String(data[field])),
            ]),
          ),
        }
  ) as {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: object;
    disableFollowRedirect?: boolean;
  };
  const response = await fetch(url, {
    method,
    redirect: disableFollowRedirect === true ? "manual" : "follow",
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = text === "" ? "" : JSON.parse(text);
  if (response.ok) return answer;
  throw Object.assign(new Error(`Request failed with status code ${response.status}`), {
    response: { status: response.status, data: answer },
  });
}
