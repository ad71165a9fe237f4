// Those who manage the installation come in, by the right secrets and by wrong ones.

import assert from "node:assert/strict";
import type { Injected } from "../../inject.ts";
import { planted } from "./planted.ts";
import type { Story } from "./story.ts";

/** A first operator, a member, sessions and tokens; each way in right and wrong. */
export async function signIn({ it, evidence, manage, known }: Story): Promise<void> {
  const code = evidence.learn("setupCode", await it.system.createSetupCode());
  const operator = { email: "op@example.test", name: "Op" };
  const setUp = (input: object) => manage("POST", "/setup", { ...operator, ...input }, {});
  const { operatorPassword, changedPassword, refusedPassword, wrongPassword } = planted;
  assert.equal((await setUp({ code: planted.wrongSetupCode, password: operatorPassword })).statusCode, 401);
  assert.equal((await setUp({ code, password: refusedPassword })).statusCode, 422);
  evidence.inputs.push(code);
  // Cookie and CSRF token are shown here, and in a session's own answers.
  const shows = ["sessionCookie", "csrfToken", "secondSessionCookie", "secondCsrfToken"];
  const browser = (reply: Injected, first: string, second: string) => {
    assert.equal(reply.statusCode, 200, reply.body);
    const cookie = String(reply.headers["set-cookie"]).split(";", 1)[0]!;
    evidence.learn(first, cookie.split("=")[1]!);
    const csrf = evidence.learn(second, reply.json().data.csrf_token);
    return { cookie, "x-csrf-token": csrf, "sec-fetch-site": "same-origin" };
  };
  const made = await manage("POST", "/setup", { ...operator, code, password: operatorPassword }, {}, shows);
  browser(made, "sessionCookie", "csrfToken");
  assert.equal((await setUp({ code, password: operatorPassword })).statusCode, 401);

  const signedIn = (email: string, password: string) =>
    manage("POST", "/session", { email, password }, {}, shows);
  assert.equal((await signedIn(operator.email, wrongPassword)).statusCode, 401);
  assert.equal((await signedIn("unknown@example.test", wrongPassword)).statusCode, 401);
  assert.equal((await signedIn(planted.passwordAsAddress, wrongPassword)).statusCode, 401);
  const malformed = `{"email":"op@example.test","password":"${planted.passwordOfMalformedBody}`;
  assert.equal((await manage("POST", "/session", malformed, {})).statusCode, 400);
  assert.equal(
    (await manage("POST", "/session", { email: 1, password: [wrongPassword] }, {})).statusCode,
    422,
  );
  const session = browser(
    await signedIn(operator.email, operatorPassword),
    "secondSessionCookie",
    "secondCsrfToken",
  );
  const own = (
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object,
    headers: object = {},
    shown = shows,
  ) => manage(method, path, body, { ...session, ...headers }, shown);
  assert.equal((await own("GET", "/session")).statusCode, 200);
  const csrf = { "x-csrf-token": planted.wrongCsrfToken };
  assert.equal((await own("POST", "/tokens", { name: "x", role: "operator" }, csrf)).statusCode, 403);
  const wrongCookie = { cookie: `__Host-trunkline=${planted.wrongSessionCookie}` };
  assert.equal((await manage("GET", "/session", undefined, wrongCookie)).statusCode, 401);

  const member = { email: "member@example.test", name: "M", role: "member", account: known.get("acme") };
  const makeUser = (password: string) => own("POST", "/users", { ...member, password });
  assert.equal((await makeUser(refusedPassword)).statusCode, 422);
  const user = await makeUser(planted.memberPassword);
  assert.equal(user.statusCode, 201, user.body);
  known.set("user", user.json().data.id);
  const invited = { email: "invited@example.test", name: "I", role: "operator" };
  const link = await own("POST", "/users", invited, {}, [...shows, "userSetupCode"]);
  evidence.learn("userSetupCode", link.json().data.setup_link.split("#")[1]!);
  const another = await own("POST", `/users/${link.json().data.id}/setup-link`, undefined, {}, [
    ...shows,
    "secondUserSetupCode",
  ]);
  const userCode = evidence.learn("secondUserSetupCode", another.json().data.setup_link.split("#")[1]!);
  evidence.inputs.push(userCode);
  const wrong = { code: planted.wrongSetupCode, password: refusedPassword };
  assert.equal((await manage("POST", "/setup/user", wrong, {})).statusCode, 401);
  assert.equal((await manage("POST", "/setup/link", { code: userCode }, {})).statusCode, 200);
  const refusal = await manage("POST", "/setup/user", { code: userCode, password: refusedPassword }, {});
  assert.equal(refusal.statusCode, 422);
  const key = `/accounts/${known.get("acme")}/api-key`;
  assert.equal((await own("POST", `${key}/reveal`, { password: planted.wrongPassword })).statusCode, 422);
  const revealed = await own("POST", `${key}/reveal`, { password: operatorPassword }, {}, [
    ...shows,
    "apiKeyInHeader",
  ]);
  // The search sees what an answer does show.
  assert.equal(revealed.json().data.api_key, planted.apiKeyInHeader);
  const change = (current_password: string, password: string) =>
    own("POST", "/session/password", { current_password, password });
  assert.equal((await change(planted.wrongCurrentPassword, changedPassword)).statusCode, 422);
  assert.equal((await change(operatorPassword, refusedPassword)).statusCode, 422);
  assert.equal((await change(operatorPassword, changedPassword)).statusCode, 200);
  await it.advance(120_000);

  const token = await manage("POST", "/tokens", { name: "once", role: "operator" }, undefined, ["madeToken"]);
  const text = evidence.learn("madeToken", token.json().data.token);
  known.set("token", token.json().data.id);
  const wrongs: Record<string, string>[] = [
    { authorization: `Bearer ${planted.wrongManagementToken}` },
    {
      authorization: `Basic ${Buffer.from(`op:${planted.basicPasswordOfManagementCall}`).toString("base64")}`,
    },
  ];
  for (const headers of wrongs)
    assert.equal((await manage("GET", "/tokens", undefined, headers)).statusCode, 401);
  const inQuery = `/tokens?token=${planted.managementTokenInQuery}`;
  assert.equal((await manage("GET", inQuery, undefined, {})).statusCode, 401);
  assert.equal((await manage("GET", inQuery)).statusCode, 422);
  assert.equal((await manage("DELETE", `/tokens/${known.get("token")}`)).statusCode, 204);
  assert.equal(
    (await manage("GET", "/tokens", undefined, { authorization: `Bearer ${text}` })).statusCode,
    401,
  );
}
