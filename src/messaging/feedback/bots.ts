// Recognises requests for pixels and links that no person makes: mail proxies that load every image, scanners that follow every link, and
// programs. Only their headers give them away, so this is a guess, and it errs towards "bot".

/** The client of a request, by its address and headers. */
export interface Client {
  userAgent: string | null;
  ip: string | null;
  /** `Purpose`, `Sec-Purpose` or `X-Moz`. */
  purpose: string | null;
}

/**
 * Gmail, Yahoo and others load images through proxies, mostly when a mail is opened, but also ahead of it; Apple's
 * Mail Privacy Protection loads all of them with the user agent `Mozilla/5.0`; the rest are scanners and programs.
 */
const botPattern =
  /googleimageproxy|ggpht\.com|yahoomailproxy|^mozilla\/5\.0$|bingpreview|google-safety|safelinks|microsoft office existence|ms-office-existence|proofpoint|mimecast|barracuda|symantec|messagelabs|forcepoint|trendmicro|cloudmark|zscaler|sophos|fireeye|headlesschrome|phantomjs|\b(?:curl|wget|libwww-perl|okhttp|axios|undici|node-fetch|aiohttp|httpx|java|php|ruby|scrapy)\b|python-(?:requests|urllib)|go-http-client|apache-httpclient|facebookexternalhit|whatsapp|telegrambot|slackbot|discordbot|linkexpanding|\b(?!cubot)\w*(?:bot|crawler|spider|scanner|preview|prefetch|monitor)\b/i;

/** Whether the client looks like a bot. */
export function isBot({ userAgent, purpose }: Pick<Client, "userAgent" | "purpose">): boolean {
  const agent = userAgent?.trim() ?? "";
  // Every browser and mail program names itself.
  if (agent === "") return true;
  return botPattern.test(agent.slice(0, 1000)) || /prefetch|preview|prerender/i.test(purpose ?? "");
}
