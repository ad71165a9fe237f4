// Reads the JSON key file of a service account, as created by Google Cloud's console. Source: cloud.google.com/iam/docs/keys-create-delete
// and developers.google.com/identity/protocols/oauth2/service-account

import { createPrivateKey } from "node:crypto";
import { isObject } from "#contract/normalise.ts";
import { parseJson, textOf } from "#providers/translate/json.ts";

/** Where Google exchanges service accounts' signed assertions for tokens; each assertion names this address as its audience. */
export const googleTokenUrl = "https://oauth2.googleapis.com/token";

interface ServiceAccount {
  email: string;
  /** PEM. */
  privateKey: string;
  keyId: string | null;
  /** Empty if the file names none. */
  project: string;
}

/** The account of a file that `credentialsIssue` accepts. */
export function accountOf(text: string): ServiceAccount {
  const value = parseJson(text);
  const file = isObject(value) ? value : {};
  return {
    email: textOf(file.client_email),
    privateKey: textOf(file.private_key),
    keyId: textOf(file.private_key_id) || null,
    project: textOf(file.project_id),
  };
}

/** What is wrong with the file; null if it can be used. The message contains no part of it. */
export function credentialsIssue(text: string): string | null {
  const file = parseJson(text);
  if (!isObject(file)) return "must be the JSON file of a service account's key, as one text";
  if (file.type !== "service_account")
    return "must be the key of a service account (`type` is `service_account`); other kinds of credentials are not supported";
  const { email, privateKey } = accountOf(text);
  if (!/^[\w.:-]{1,200}@[\w.-]{1,200}$/.test(email)) return "has no `client_email`";
  const { token_uri: uri, universe_domain: universe } = file;
  if (uri !== undefined && uri !== googleTokenUrl)
    return `has another \`token_uri\` than ${googleTokenUrl}, and is sent nowhere else`;
  if (universe !== undefined && universe !== "googleapis.com")
    return "is of another cloud than Google's (`universe_domain`)";
  return isRsaKey(privateKey) ? null : "has no `private_key` that is an RSA key of 2048 to 4096 bits in PEM";
}

function isRsaKey(pem: string): boolean {
  if (!/^\s*-----BEGIN (?:RSA )?PRIVATE KEY-----\s/.test(pem)) return false;
  try {
    const key = createPrivateKey({ key: pem, format: "pem" });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === "rsa" && bits >= 2048 && bits <= 4096;
  } catch {
    return false;
  }
}
