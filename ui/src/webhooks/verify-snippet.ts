/** Verifies a post in Node, as examples/webhook-receiver.mjs does. `body`: its bytes; `headers`: their names in lower case. */
export const verifySnippet = `import { createHmac, timingSafeEqual } from "node:crypto";

function isGenuine(secret, headers, body) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(id + "." + timestamp + ".").update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((each) => {
    const [version, value = ""] = each.split(",");
    const received = Buffer.from(value, "base64");
    return version === "v1" && received.length === expected.length && timingSafeEqual(received, expected);
  });
}`;
