// What the operations under each tag are for.

export const tags: Readonly<Record<string, string>> = {
  SMS: "Sends SMS, at once or at a time. An account's API key opens it.",
  WhatsApp: "Sends WhatsApp messages: texts, files, templates and lists. An account's API key opens it.",
  Email: "Sends emails, with files. An account's API key opens it.",
  Lookups:
    "Looks up, cancels and moves messages that were sent, and received ones. An account's API key opens it.",
  Account: "What an account has left. An account's API key opens it.",
  "AI gateway":
    "The APIs of OpenAI, Anthropic and Gemini, served by the members of a pool with failover. A key of the pool opens it.",
  "Provider callbacks":
    "Where providers, phones and recipients' mail programs report. No other program calls these.",
  Operations: "Health and metrics, for load balancers and monitoring.",
  Installation:
    "The installation as a whole: its version, its processes, and the hold after a restore. For operators.",
  "Signing in": "Sessions of people, passwords and set-up links.",
  "Users and tokens":
    "The people of an installation, and the management tokens of its programs. For operators.",
  "Audit log": "Who changed what, and when.",
  Accounts: "Accounts with their plan, credit, limits and API keys.",
  "Account messages":
    "The messages of an account for those who manage it: log, sends, scheduled ones, statistics.",
  Gateways: "The providers, phones and devices that an account sends through, and their kinds.",
  "Sending domains": "The domains whose mails are signed, with the DNS records that they need.",
  Suppressions: "Recipients that an account does not write to any more.",
  Hooks: "Makes messages of what other programs post, such as alerts. A hook's own key opens it.",
  Webhooks: "Where events are posted to, every delivery of one, and replays.",
  Pools: "Pools of AI providers with their members, keys, calls, usage and statistics.",
};
