// GET /openapi.json, GET /docs and GET /setup: documents for people and tools.

import { z } from "zod";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { openapiDocument } from "#http/openapi/document.ts";
import { docsPage } from "#http/pages/docs.ts";
import { setupPage } from "#http/pages/setup.ts";

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
export const docsEndpoints: readonly Endpoint[] = [openapi, docs, setup];
