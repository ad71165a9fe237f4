// Requests to Trunkline with the keys of a credential.

import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type ILoadOptionsFunctions,
  type JsonObject,
  NodeApiError,
} from "n8n-workflow";

interface Request {
  method: IHttpRequestMethods;
  /** Below the base URL. */
  path: string;
  body?: IDataObject;
  headers?: IDataObject;
}

type Credential = "trunklineApi" | "trunklineManagementApi";

/** The whole reply. Rejects with a `NodeApiError` that says what Trunkline says. */
export async function ask(
  node: IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions,
  credential: Credential,
  { method, path, body, headers }: Request,
  itemIndex?: number,
): Promise<IDataObject> {
  const { baseUrl } = await node.getCredentials(credential, itemIndex);
  const url = `${String(baseUrl)
    .trim()
    .replace(/(?<!\/)\/+$/, "")}${path}`;
  try {
    return (await node.helpers.httpRequestWithAuthentication.call(node, credential, {
      method,
      url,
      json: true,
      // The key is for this address alone.
      disableFollowRedirect: true,
      ...(body && { body }),
      ...(headers && { headers }),
    })) as IDataObject;
  } catch (error) {
    const sentence = sentenceOf(error);
    throw new NodeApiError(node.getNode(), error as JsonObject, {
      ...(sentence !== null && { message: sentence }),
      ...(itemIndex !== undefined && { itemIndex }),
    });
  }
}

/** The same; null if there is no such thing (404). */
export async function askIfThere(...parameters: Parameters<typeof ask>): Promise<IDataObject | null> {
  return await ask(...parameters).catch((error: NodeApiError) =>
    error.httpCode === "404" ? null : Promise.reject(error),
  );
}

/** What the body of a refusal says: its fields' errors, or else its message. Null if it has none. */
function sentenceOf(error: unknown): string | null {
  const { response } = error as { response?: { data?: unknown } };
  if (typeof response?.data !== "object" || response.data === null) return null;
  const {
    message,
    errors,
    error: own,
  } = response.data as {
    message?: unknown;
    errors?: Record<string, string[]>;
    error?: { message?: unknown };
  };
  if (errors !== undefined && errors !== null) return Object.values(errors).flat().join(" ");
  const sentence = message ?? own?.message;
  return typeof sentence === "string" ? sentence : null;
}
