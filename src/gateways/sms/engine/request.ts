// The requests of SMS vendors: how they carry a message.

type Scalar = string | number | boolean;
/** An undefined field is left out. */
type Fields = Readonly<Record<string, Scalar | undefined>>;

/** A request for one message; `POST` unless it says otherwise. At most one of `json`, `form` and `body` is given. */
export interface SmsRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH";
  /** With its query, if the whole of it is fixed. */
  url: string;
  /** Added to the URL. Credentials that a vendor takes in the query or the body are fields like the others. */
  query?: Fields;
  headers?: Readonly<Record<string, string>>;
  json?: object;
  form?: Fields;
  /** As it is; its content type is one of the `headers`. */
  body?: string;
}

/** A request as it leaves, except for what authenticates it. */
export interface Draft {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The request without its authentication. Of `json` and `form` the headers say so, and ask for JSON in the answer. */
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
