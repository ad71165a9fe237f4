import { type LucideIcon, Mail, MessageCircle, MessageSquare } from "lucide-react";
import type { Channel } from "#ui/api/schema.ts";
import { digitsOf } from "#ui/words/numbers.ts";
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
