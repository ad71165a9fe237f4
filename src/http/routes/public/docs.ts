// GET /openapi.json, GET /docs and what is below it, GET /llms.txt and GET /setup: documents for people and tools.

import { z } from "zod";
import { problem } from "#contract/problem.ts";
import type { Core } from "#core/core.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { openapiDocument } from "#http/openapi/document.ts";
import { docsPage } from "#http/pages/docs.ts";
import { guideFiles, type SiteFile } from "#http/pages/guides.ts";
import { setupPage } from "#http/pages/setup.ts";
import { installation } from "#runtime/program.ts";

let document: object | undefined;
let documentBytes: Buffer<ArrayBuffer> | undefined;
let page: { html: Buffer<ArrayBuffer>; contentSecurityPolicy: string } | undefined;

/** Created at the first request: it takes about 20 ms, which would slow down the start. */
function theDocument(): object {
  document ??= openapiDocument();
  return document;
}

/** One buffer for all clients: 640 KB, of which each slow client would otherwise keep its own copy. */
function theDocumentBytes(): Buffer<ArrayBuffer> {
  documentBytes ??= Buffer.from(JSON.stringify(theDocument()));
  return documentBytes;
}

const openapi = endpoint({
  method: "GET",
  path: "/openapi.json",
  name: "openapi",
  tag: "Documentation",
  summary: "This interface as an OpenAPI document",
  family: "open",
  replies: { 200: z.instanceof(Uint8Array) },
})(async () => ({
  status: 200,
  body: theDocumentBytes(),
  type: "application/json; charset=utf-8",
}));

const docs = endpoint({
  method: "GET",
  path: "/docs",
  name: "docs",
  tag: "Documentation",
  summary: "This interface as a page",
  family: "open",
  replies: { 200: z.instanceof(Uint8Array) },
  replyType: "text/html; charset=utf-8",
})(async () => {
  if (page === undefined) {
    const { html, contentSecurityPolicy } = docsPage(theDocument());
    page = { html: Buffer.from(html), contentSecurityPolicy };
  }
  const headers = { "Content-Security-Policy": page.contentSecurityPolicy };
  return { status: 200, body: page.html, type: "text/html; charset=utf-8", headers };
});

let site: Promise<ReadonlyMap<string, SiteFile>> | undefined;

/** Rendered at the first request for one of them: about 0.3 s. A failure is tried again with the next. */
function theSite({ clock }: Pick<Core, "clock">): Promise<ReadonlyMap<string, SiteFile>> {
  const openapi = theDocumentBytes();
  site ??= guideFiles(
    new URL("docs/", installation),
    { ...docsPage(theDocument(), "index.html"), openapi },
    "docs/",
    () => clock.sleep(0),
  ).catch((error: unknown) => {
    site = undefined;
    throw error;
  });
  return site;
}

const replyOf = ({ type, bytes, contentSecurityPolicy }: SiteFile) => ({
  status: 200 as const,
  body: bytes,
  type,
  headers: contentSecurityPolicy === undefined ? {} : { "Content-Security-Policy": contentSecurityPolicy },
});

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
  const file = (await theSite(core)).get(params.page ?? "");
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
})(async ({ core }) => replyOf((await theSite(core)).get("llms.txt")!));

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
