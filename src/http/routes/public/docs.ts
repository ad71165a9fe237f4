// GET /openapi.json, GET /docs and what is below it, GET /llms.txt and GET /setup: documents for people and tools.

import { z } from "zod";
import { problem } from "#contract/problem.ts";
import type { Core } from "#core/core.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import type { SiteFile } from "#http/pages/guides.ts";
import { setupPage } from "#http/pages/setup.ts";
import type { SiteInput } from "#http/pages/site.ts";
import { installation, ownModule } from "#runtime/program.ts";
import { createWorkerThread } from "#runtime/worker-thread.ts";

let site: Promise<ReadonlyMap<string, SiteFile>> | undefined;

async function render({ clock }: Pick<Core, "clock">): Promise<ReadonlyMap<string, SiteFile>> {
  const module = ownModule("http/pages/site-thread");
  const thread = createWorkerThread<SiteInput, ReadonlyMap<string, SiteFile>>({
    module,
    name: "documentation",
    clock,
    limitMs: 60_000,
    maxQueued: 1,
  });
  const result = await thread.run({ folder: new URL("docs/", installation).href, base: "docs/" });
  await thread.close();
  if (result.kind === "done") return result.output;
  throw new Error(`The documentation was not rendered: ${result.reason}.`);
}

/**
 * A file of the documentation, whose pages are rendered at the first request for one. A failure is tried again with the next. One buffer
 * serves all clients.
 */
async function fileOf(core: Pick<Core, "clock">, path: string): Promise<SiteFile | undefined> {
  site ??= render(core).catch((error: unknown) => {
    site = undefined;
    throw error;
  });
  return (await site).get(path);
}

const replyOf = ({ type, bytes, contentSecurityPolicy }: SiteFile) => ({
  status: 200 as const,
  body: bytes,
  type,
  headers: contentSecurityPolicy === undefined ? {} : { "Content-Security-Policy": contentSecurityPolicy },
});

const openapi = endpoint({
  method: "GET",
  path: "/openapi.json",
  name: "openapi",
  tag: "Documentation",
  summary: "This interface as an OpenAPI document",
  family: "open",
  replies: { 200: z.instanceof(Uint8Array) },
})(async ({ core }) => replyOf((await fileOf(core, "openapi.json"))!));

const docs = endpoint({
  method: "GET",
  path: "/docs",
  name: "docs",
  tag: "Documentation",
  summary: "This interface as a page",
  family: "open",
  replies: { 200: z.instanceof(Uint8Array) },
  replyType: "text/html; charset=utf-8",
})(async ({ core }) => replyOf((await fileOf(core, "../docs"))!));

const guides = endpoint({
  method: "GET",
  path: "/docs/{page}",
  wildcard: "page",
  name: "guides",
  tag: "Documentation",
  summary: "The guides as pages",
  family: "open",
  replies: { 200: z.instanceof(Uint8Array) },
  replyType: "text/html; charset=utf-8",
})(async ({ core, params }) => {
  const file = await fileOf(core, params.page ?? "");
  return file === undefined ? problem("not_found") : replyOf(file);
});

const llms = endpoint({
  method: "GET",
  path: "/llms.txt",
  name: "llms",
  tag: "Documentation",
  summary: "The guides, for models",
  family: "open",
  replies: { 200: z.instanceof(Uint8Array) },
  replyType: "text/plain; charset=utf-8",
})(async ({ core }) => replyOf((await fileOf(core, "llms.txt"))!));

const setup = endpoint({
  method: "GET",
  path: "/setup",
  name: "setupPage",
  tag: "Documentation",
  summary: "Where a one-time link makes an operator",
  family: "open",
  replies: { 200: z.string() },
  replyType: "text/html; charset=utf-8",
})(async () => {
  const headers = { "Content-Security-Policy": setupPage.contentSecurityPolicy };
  return { status: 200, body: setupPage.html, type: "text/html; charset=utf-8", headers };
});

/** The pages, and the document that describes the other endpoints; they are not part of what it describes. */
export const docsEndpoints: readonly Endpoint[] = [openapi, docs, guides, llms, setup];
