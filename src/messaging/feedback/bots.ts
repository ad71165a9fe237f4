// Who loads a pixel or follows a link without being a person: mail proxies that load every image, scanners that try
// every link, and programs. Told by what they say of themselves, so it is a guess that errs towards "machine".

/** What a request says about who makes it. */
export interface Client {
  userAgent: string | null;
  ip: string | null;
  /** `Purpose`, `Sec-Purpose` or `X-Moz`. */
  purpose: string | null;
}

/**
 * Gmail, Yahoo and others load images through proxies, mostly when a mail is opened, but also ahead of it; Apple's
 * Mail Privacy Protection loads all of them and says nothing but `Mozilla/5.0`; the rest are scanners and programs.
 */
const botPattern =
  /googleimageproxy|ggpht\.com|yahoomailproxy|^mozilla\/5\.0$|bingpreview|google-safety|safelinks|microsoft office existence|ms-office-existence|proofpoint|mimecast|barracuda|symantec|messagelabs|forcepoint|trendmicro|cloudmark|zscaler|sophos|fireeye|headlesschrome|phantomjs|\b(?:curl|wget|libwww-perl|okhttp|axios|undici|node-fetch|aiohttp|httpx|java|php|ruby|scrapy)\b|python-(?:requests|urllib)|go-http-client|apache-httpclient|facebookexternalhit|whatsapp|telegrambot|slackbot|discordbot|linkexpanding|\b(?!cubot)\w*(?:bot|crawler|spider|scanner|preview|prefetch|monitor)\b/i;

/** Whether it is a machine, as far as one can tell. */
export function isBot({ userAgent, purpose }: Pick<Client, "userAgent" | "purpose">): boolean {
  const agent = userAgent?.trim() ?? "";
  // Every browser and mail program names itself.
  if (agent === "") return true;
  return botPattern.test(agent.slice(0, 1000)) || /prefetch|preview|prerender/i.test(purpose ?? "");
}
