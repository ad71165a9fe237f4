// What the errors of SES mean for a mail (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html, and
// CommonErrors.html there). AWS answers 400 to most faults of the account, so the status alone would reject every mail
// of a gateway that is set up wrongly.

import type { Fault } from "#gateways/vendor-outcome.ts";

const faults = new Map<string, Fault>([
  ["BadRequestException", "message"], // the input is not valid
  ["ValidationError", "message"],
  ["ValidationException", "message"],
  ["MessageRejected", "message"], // "contains invalid content"; see below
  ["AccountSuspendedException", "gateway"], // sending is restricted for good
  ["SendingPausedException", "gateway"],
  ["MailFromDomainNotVerifiedException", "gateway"],
  ["NotFoundException", "gateway"], // no such configuration set
  ["LimitExceededException", "gateway"], // a quota of the AWS account
  ["AccessDenied", "gateway"],
  ["AccessDeniedException", "gateway"],
  ["ExpiredToken", "gateway"],
  ["ExpiredTokenException", "gateway"],
  ["IncompleteSignature", "gateway"],
  ["IncompleteSignatureException", "gateway"],
  ["InvalidClientTokenId", "gateway"],
  ["InvalidSignatureException", "gateway"], // also: this machine's clock is wrong
  ["MissingAuthenticationToken", "gateway"],
  ["MissingAuthenticationTokenException", "gateway"],
  ["NotAuthorized", "gateway"],
  ["OptInRequired", "gateway"],
  ["RequestExpired", "gateway"], // this machine's clock is wrong
  ["SignatureDoesNotMatch", "gateway"],
  ["UnknownOperationException", "gateway"],
  ["UnrecognizedClientException", "gateway"],
  ["TooManyRequestsException", "later"], // the sending rate; see below
  ["Throttling", "later"],
  ["ThrottlingException", "later"],
]);

/**
 * Whose fault an error is; undefined for one that is not listed. `from`: the gateway's address.
 * - `MessageRejected` is also what SES says of an address or domain that is not verified, and names it: the sender's
 *   is the gateway's fault, any other is a recipient of an account in the sandbox.
 * - Rate and daily quota come as the same error: the quota is a rolling day, in which every mail meets it.
 */
export function faultOf(code: string, text: string, from: string): Fault | undefined {
  const fault = faults.get(code);
  if (fault === "message" && /not verified/i.test(text)) {
    const words = text.toLowerCase().split(/[\s,]+/);
    const sender = from.toLowerCase();
    const names = [sender, sender.slice(sender.lastIndexOf("@") + 1)];
    return words.some((word) => names.includes(word.replace(/(?<![.;:])[.;:]+$/, "")))
      ? "gateway"
      : "message";
  }
  if (fault === "later" && /\b(?:daily|24.hour)\b/i.test(text)) return "gateway";
  return fault;
}

/** The error's name: of the header (`Name:http://…`), or of the body (`com.amazonaws…#Name`). */
export function errorName(text: string | null): string | null {
  const name = (text ?? "").split(":")[0]?.split("#").at(-1)?.trim() ?? "";
  return name === "" ? null : name;
}
