// What the errors of SES mean for a mail (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html, and
// CommonErrors.html there). AWS answers 400 to most faults of the account, so the status alone would reject every mail
// of a gateway that is set up wrongly.

import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["BadRequestException", "permanent"], // the input is not valid
  ["ValidationError", "permanent"],
  ["ValidationException", "permanent"],
  ["MessageRejected", "permanent"], // "contains invalid content"; see below
  ["AccountSuspendedException", "configuration"], // sending is restricted for good
  ["SendingPausedException", "configuration"],
  ["MailFromDomainNotVerifiedException", "configuration"],
  ["NotFoundException", "configuration"], // no such configuration set
  ["LimitExceededException", "configuration"], // a quota of the AWS account
  ["AccessDenied", "configuration"],
  ["AccessDeniedException", "configuration"],
  ["ExpiredToken", "configuration"],
  ["ExpiredTokenException", "configuration"],
  ["IncompleteSignature", "configuration"],
  ["IncompleteSignatureException", "configuration"],
  ["InvalidClientTokenId", "configuration"],
  ["InvalidSignatureException", "configuration"], // also: this machine's clock is wrong
  ["MissingAuthenticationToken", "configuration"],
  ["MissingAuthenticationTokenException", "configuration"],
  ["NotAuthorized", "configuration"],
  ["OptInRequired", "configuration"],
  ["RequestExpired", "configuration"], // this machine's clock is wrong
  ["SignatureDoesNotMatch", "configuration"],
  ["UnknownOperationException", "configuration"],
  ["UnrecognizedClientException", "configuration"],
  ["TooManyRequestsException", "transient"], // the sending rate; see below
  ["Throttling", "transient"],
  ["ThrottlingException", "transient"],
]);

/**
 * Whose fault an error is; undefined for one that is not listed. `from`: the gateway's address.
 * - `MessageRejected` is also what SES says of an address or domain that is not verified, and names it: the sender's
 *   is the gateway's fault, any other is a recipient of an account in the sandbox.
 * - Rate and daily quota come as the same error: the quota is a rolling day, in which every mail meets it.
 */
export function faultOf(code: string, text: string, from: string): Fault | undefined {
  const fault = faults.get(code);
  if (fault === "permanent" && /not verified/i.test(text)) {
    const words = text.toLowerCase().split(/[\s,]+/);
    const sender = from.toLowerCase();
    const names = [sender, sender.slice(sender.lastIndexOf("@") + 1)];
    return words.some((word) => names.includes(word.replace(/(?<![.;:])[.;:]+$/, "")))
      ? "configuration"
      : "permanent";
  }
  if (fault === "transient" && /\b(?:daily|24.hour)\b/i.test(text)) return "configuration";
  return fault;
}

/** The error's name: of the header (`Name:http://…`), or of the body (`com.amazonaws…#Name`). */
export function errorName(text: string | null): string | null {
  const name = (text ?? "").split(":")[0]?.split("#").at(-1)?.trim() ?? "";
  return name === "" ? null : name;
}
