import { Link } from "@tanstack/react-router";
import type { Gateway, GatewayKind } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";

const tabs = [
  ["/a/$account/gateways/$gateway", "Overview"],
  ["/a/$account/gateways/$gateway/link", "Link"],
] as const;

/** The pages of a gateway that links a device; others have only one. */
export function GatewayTabs({
  gateway,
  kind,
}: {
  gateway: Gateway | undefined;
  kind: GatewayKind | undefined;
}) {
  const { id: account } = useAccount();
  if (gateway === undefined || kind?.links !== true) return null;
  return (
    <nav className="tabs" aria-label="Pages of the gateway">
      {tabs.map(([path, title]) => (
        <Link
          key={path}
          to={path}
          params={{ account, gateway: gateway.identifier }}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
