// Answers as providers and vendors send them: their heads with what proxies add, whole and in chunks.

const lines = (...all: string[]) => `${all.join("\r\n")}\r\n\r\n`;
export const chunk = (text: string, extension = "") =>
  `${text.length.toString(16)}${extension}\r\n${text}\r\n`;

const completion =
  '{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}';
const frame = (text: string) =>
  `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`;

const openai = [
  "Date: Sat, 28 Nov 2026 09:00:00 GMT",
  "Content-Type: application/json",
  "Connection: keep-alive",
  "access-control-expose-headers: X-Request-ID",
  "openai-organization: acme",
  "openai-processing-ms: 345",
  "openai-version: 2020-10-01",
  "x-ratelimit-limit-requests: 10000",
  "x-ratelimit-limit-tokens: 2000000",
  "x-ratelimit-remaining-requests: 9999",
  "x-ratelimit-remaining-tokens: 1999990",
  "x-ratelimit-reset-requests: 6ms",
  "x-request-id: req_0123456789abcdef",
  "strict-transport-security: max-age=31536000; includeSubDomains; preload",
  "cf-cache-status: DYNAMIC",
  "Set-Cookie: __cf_bm=abc; path=/; expires=Sat, 28-Nov-26 09:30:00 GMT; HttpOnly; Secure",
  "X-Content-Type-Options: nosniff",
  "Set-Cookie: _cfuvid=def; path=/; domain=.api.openai.com; HttpOnly; Secure; SameSite=None",
  "Server: cloudflare",
  "CF-RAY: 9a5f0c3e7d8b1234-FRA",
  'alt-svc: h3=":443"; ma=86400',
];

/** By name; each is complete, and everything after it would be left over. */
export const recordedAnswers: Record<string, string> = {
  "OpenAI, whole": lines("HTTP/1.1 200 OK", ...openai, `Content-Length: ${completion.length}`) + completion,
  "OpenAI, in chunks":
    lines("HTTP/1.1 200 OK", ...openai, "Transfer-Encoding: chunked") + chunk(completion) + chunk(""),
  "a stream, a frame to a chunk":
    lines("HTTP/1.1 200 OK", "content-type: text/event-stream; charset=utf-8", "transfer-encoding: chunked") +
    ["a", "b\\n", "\u00fc", "{}"].map((text) => chunk(frame(text))).join("") +
    chunk("data: [DONE]\n\n") +
    chunk(""),
  "a stream that ends with its connection":
    lines("HTTP/1.1 200 OK", "content-type: text/event-stream", "connection: close") +
    frame("one") +
    frame("two"),
  "an error of a rate limit": `${lines(
    "HTTP/1.1 429 Too Many Requests",
    "retry-after: 2",
    "retry-after-ms: 1500",
    "content-type: application/json",
    "content-length: 24",
  )}{"error":{"code":"429"}}`,
  "Twilio, HTTP/1.1 with a Keep-Alive": `${lines(
    "HTTP/1.1 201 CREATED",
    "Content-Type: application/json",
    "Content-Length: 20",
    "Connection: keep-alive",
    "Keep-Alive: timeout=5, max=100",
    "Twilio-Request-Id: RQ1",
  )}{"sid":"SM01234567"}`,
  "HTTP/1.0, to the close": `${lines("HTTP/1.0 200 OK", "Server: old")}hello`,
  "HTTP/1.0 that stays open": `${lines("HTTP/1.0 200 OK", "Connection: Keep-Alive", "Content-Length: 5")}hello`,
  "nothing, 204": lines("HTTP/1.1 204 No Content", "x-a:", "x-b: \t two \t words \t"),
  "nothing, 304": lines("HTTP/1.1 304 Not Modified", 'etag: "x"'),
  "an empty body": lines("HTTP/1.1 200 OK", "content-length: 0"),
  "no reason": `${lines("HTTP/1.1 200", "content-length: 2")}ok`,
  "an empty reason": `${lines("HTTP/1.1 200 ", "content-length: 2")}ok`,
  "early hints first":
    `${lines("HTTP/1.1 103 Early Hints", "link: </a>")}${lines("HTTP/1.1 102 Processing")}` +
    `${lines("HTTP/1.1 200 OK", "content-length: 2")}ok`,
  "extensions and trailers":
    lines("HTTP/1.1 200 OK", "Transfer-Encoding: Chunked", "Trailer: x-sum") +
    chunk("abc", ";name=value") +
    chunk("0123456789abcdef", ";last") +
    "0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n",
  "sizes with leading zeros and capitals": `${lines("HTTP/1.1 200 OK", "transfer-encoding: chunked")}00A\r\n0123456789\r\n000\r\n\r\n`,
  "bytes of every kind":
    lines("HTTP/1.1 200 OK", "x-a: \u00a0\u00e9\u00ff", "content-length: 256") +
    Array.from({ length: 256 }, (_, at) => String.fromCharCode(at)).join(""),
};
