// The page behind the unsubscribe link of a mail, for people: it asks for confirmation, and only its button acts, because mail scanners
// follow every link. No script, no cookie, no external resources; it reveals nothing about the recipient.

import { cardStyle, secretLinkPages } from "./secret-link-page.ts";

const { policy, page: pageOf } = secretLinkPages(`${cardStyle}p { margin: 0; }\n`, {
  rules: ["form-action 'self'"],
});

const page = (title: string, text: string, form = "") => pageOf(title, `<p>${text}</p>\n${form}`);

/** Posts to the page's own address, as mail programs do by themselves (RFC 8058). */
const form = `<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Unsubscribe</button>
</form>`;

export const unsubscribePages = {
  ask: page("Unsubscribe", "Do you want to get no more mail from this sender?", form),
  done: page("You are unsubscribed", "This sender's mail does not go to you any more."),
  /** Shown while storage is unavailable. */
  later: page("Not now", "This could not be done at the moment. Please try again in a few minutes.", form),
  /** Shown for a malformed token, also if a link was followed. */
  invalid: page("This link is not valid", "It may have been cut off. Follow the link in the mail itself."),
};

/** The policy that these pages need. */
export const unsubscribePolicy = policy;
