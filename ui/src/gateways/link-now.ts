// The link of a gateway, from the server's stream: a code is replaced within seconds.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Output } from "#ui/api/client.ts";
import { watchGatewayLink } from "#ui/api/events.ts";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";

/** Reads the link of a gateway, and each change of it as it happens. */
export function useLinkNow(gateway: string) {
  const { id: account } = useAccount();
  const client = useQueryClient();
  useEffect(() => {
    const open = new AbortController();
    void watchGatewayLink({ account, gateway }, open.signal, (data) =>
      client.setQueryData<Output<"getGatewayLink">>(["getGatewayLink", { params: { account, gateway } }], {
        success: true,
        message: "",
        data,
      }),
    );
    return () => open.abort();
  }, [account, client, gateway]);
  return useRead("getGatewayLink", { params: { account, gateway } });
}
