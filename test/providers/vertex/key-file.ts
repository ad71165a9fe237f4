// A service account's key as Google Cloud's console hands it out, with a key that was made for this run.

import { generateKeyPairSync } from "node:crypto";

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });

export const publicKey = pair.publicKey;
export const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

export const keyFile = {
  type: "service_account",
  project_id: "example-project",
  private_key_id: "0123456789abcdef0123456789abcdef01234567",
  private_key: privateKey,
  client_email: "caller@example-project.iam.gserviceaccount.com",
  client_id: "123456789012345678901",
  auth_uri: "https://accounts.google.com/o/oauth2/auth",
  token_uri: "https://oauth2.googleapis.com/token",
  universe_domain: "googleapis.com",
};

export const credentials = JSON.stringify(keyFile, null, 2);
