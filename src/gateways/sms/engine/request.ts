// The requests of SMS vendors: how they carry a message.

type Scalar = string | number | boolean;
/** An undefined field is omitted. */
type Fields = Readonly<Record<string, Scalar | undefined>>;

/** A request for one message; `POST` by default. At most one of `json`, `form` and `body` is given. */
export interface SmsRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH";
  /** With its query, if the whole of it is fixed. */
  url: string;
  /** Added to the URL. Credentials that a vendor takes in the query or the body are fields like the others. */
  query?: Fields;
  headers?: Readonly<Record<string, string>>;
  json?: object;
  form?: Fields;
  /** Sent unchanged; its content type is one of the `headers`. */
  body?: string;
}

/** A request in its final form, except for its authentication. */
export interface Draft {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The request without its authentication. For `json` and `form` it sets the content type, and asks for JSON in the answer. */
export function draftOf({ method = "POST", url, query, headers, json, form, body }: SmsRequest): Draft {
  const draft: Draft = {
    method,
    url: query === undefined ? url : withQuery(url, query),
    headers: { ...headers },
  };
  if (json !== undefined) return withBody(draft, "application/json", JSON.stringify(json));
  if (form !== undefined) return withBody(draft, "application/x-www-form-urlencoded", encodedFields(form));
  return body === undefined ? draft : { ...draft, body };
}

const withBody = (draft: Draft, type: string, body: string): Draft => ({
  ...draft,
  headers: { "content-type": type, accept: "application/json", ...draft.headers },
  body,
});

function withQuery(url: string, query: Fields): string {
  const text = encodedFields(query);
  return text === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${text}`;
}

function encodedFields(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, String(value));
  }
  return form.toString();
}
