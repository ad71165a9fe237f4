// What phones ask, and the page that shows a person how to link one. The app alone uses these addresses, so the OpenAPI
// document leaves them out.

import type { Endpoint } from "#http/endpoint.ts";
import { phoneConfigurationEndpoints } from "./configuration.ts";
import { deviceEndpoints } from "./device.ts";
import { linkPageEndpoints } from "./link-page.ts";
import { phoneMessageEndpoints } from "./messages.ts";
import { phonePath } from "./phone-call.ts";

export const phoneEndpoints: readonly Endpoint[] = [
  ...deviceEndpoints,
  ...phoneMessageEndpoints,
  ...phoneConfigurationEndpoints,
  ...linkPageEndpoints,
];

/**
 * The URL of a request. The app appends its paths to what a person typed in, so an address with a slash at its end makes two;
 * elsewhere doubled slashes name nothing.
 */
export function phoneUrl(url: string): string {
  if (!url.startsWith(`${phonePath}//`)) return url;
  let at = phonePath.length;
  while (url[at] === "/") at += 1;
  return `${phonePath}/${url.slice(at)}`;
}
