// Which endpoint a request is for.

import assert from "node:assert/strict";
import test from "node:test";
import { endpoints } from "#http/endpoints.ts";
import { createRouter } from "#http/router.ts";
import { phoneEndpoints } from "#http/routes/phones/phones.ts";
import { docsEndpoints } from "#http/routes/public/docs.ts";
import { mailLinkEndpoints } from "#http/routes/public/mail-links.ts";

const all = [...endpoints, ...docsEndpoints, ...mailLinkEndpoints, ...phoneEndpoints];
const route = createRouter(all);
const found = (method: string, url: string) => {
  const match = route(method, url);
  return match === null ? null : [match.endpoint.head.path, { ...match.params }];
};

test("each endpoint is found at its path, with a query, a slash at the end and its parameters, and by no other method", () => {
  for (const { head } of all) {
    const names = [...head.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const url = head.path.replaceAll(/\{(\w+)\}/g, "v%201-$1");
    const params = Object.fromEntries(names.map((name) => [name, `v 1-${name}`]));
    for (const [each, values] of [
      [url, params],
      [`${url}?a=/b`, params],
      ...(head.wildcard === undefined ? [[`${url}/`, params] as const] : []),
    ] as const) {
      const match = route(head.method, each);
      assert.equal(match?.endpoint.head, head, `${head.method} ${each}`);
      for (const name of names) assert.equal(match?.params[name], values[name], each);
    }
    const others = all
      .filter(({ head: { path } }) => path === head.path)
      .map(({ head: { method } }) => method);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "LINK"] as const)
      if (!others.some((other) => other === method))
        assert.notEqual(route(method, url)?.endpoint.head.path, head.path, `${method} ${head.path}`);
  }
});

test("HEAD is answered where GET is, and nowhere else", () => {
  for (const { head } of all.filter(({ head: { method } }) => method !== "GET")) {
    const hasGet = all.some(({ head: { method, path } }) => method === "GET" && path === head.path);
    if (!hasGet && head.wildcard === undefined)
      assert.notEqual(route("HEAD", head.path.replaceAll(/[{}]/g, ""))?.endpoint, head, head.path);
  }
  for (const { head } of all.filter(({ head: { method } }) => method === "GET"))
    assert.equal(route("HEAD", head.path.replaceAll(/[{}]/g, ""))?.endpoint.head, head, head.path);
});

test("other spellings match nothing, or the parameter that they are", () => {
  for (const [url, expected] of [
    ["/api/SMS/send", null],
    ["/api//sms/send", null],
    ["/api/sms/send;a=1", null],
    ["//api/sms/send", null],
    ["/api/sms/send/x", null],
    ["/api/sms/send/", ["/api/sms/send", {}]],
    ["/api/sms/send#part", ["/api/sms/send", {}]],
    ["http://other.test/api/sms/send?x", ["/api/sms/send", {}]],
    ["/api/%73ms/send", ["/api/sms/send", {}]],
    ["/api/sms/%", null],
    ["*", null],
    ["", null],
  ] as const)
    assert.deepEqual(found("POST", url), expected, url);
  const long = "a".repeat(513);
  assert.equal(found("GET", `/api/get/sms/${long}`), null);
  assert.notEqual(found("GET", `/api/get/sms/${long.slice(1)}`), null);
});
