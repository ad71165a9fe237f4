import { type LucideIcon, Mail, MessageCircle, MessageSquare } from "lucide-react";
import type { Channel } from "#ui/api/schema.ts";
import { digitsOf } from "#ui/words/numbers.ts";
import { Button } from "./button.tsx";
import { channelNames } from "./channels.ts";

const icons: Readonly<Record<Channel, LucideIcon>> = {
  sms: MessageSquare,
  whatsapp: MessageCircle,
  email: Mail,
};

export function ChannelIcon({ of }: { of: Channel }) {
  const Icon = icons[of];
  return <Icon className="channel soft" role="img" aria-label={channelNames[of]} />;
}

/** A number in groups, which are apart for the eye alone: what is copied has no spaces. Another text is as it is. */
export const Digits = ({ of }: { of: string }) =>
  digitsOf(of).map((group, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: groups may be equal
    <span key={at} className="digits">
      {group}
    </span>
  ));

export const Recipient = ({ of }: { of: string }) => (
  <span className="mono">
    <Digits of={of} />
  </span>
);

/** Recipients with which the sandbox simulates outcomes, by their last digits. */
const numbers = [
  ["0001", "delivered"],
  ["0002", "undelivered"],
  ["0003", "refused"],
  ["0004", "deferred twice"],
  ["0005", "unknown"],
  ["0006", "slow"],
  ["0007", "answered"],
] as const;
const addresses = ["delivered", "bounced", "refused", "deferred", "unknown", "slow", "opened"];

/** `onChoose` receives the one whose outcome is wanted. */
export const SandboxRecipients = ({
  channel,
  onChoose,
}: {
  channel: Channel;
  onChoose: (recipient: string) => void;
}) => (
  <div className="row">
    {(channel === "email"
      ? addresses.map((name) => [`${name}@example.com`, name] as const)
      : numbers.map(([end, name]) => [`+1555000${end}`, name] as const)
    ).map(([recipient, end]) => (
      <Button key={recipient} onClick={() => onChoose(recipient)}>
        <Recipient of={recipient} /> <span className="soft">{end}</span>
      </Button>
    ))}
  </div>
);
