import { Snippet } from "#ui/parts/copy.tsx";
import { Section } from "#ui/parts/page.tsx";

const rules = `groups:
  - name: trunkline
    rules:
      - alert: TrunklineBacklog
        expr: trunkline_oldest_waiting_seconds > 600
        for: 5m
      - alert: TrunklineGatewayPaused
        expr: trunkline_gateway_paused == 1
        for: 15m
      - alert: TrunklineGatewayDisconnected
        expr: trunkline_gateway_connected == 0
        for: 5m
      - alert: TrunklineUnknownOutcomes
        expr: rate(trunkline_outcomes_total{outcome="unknown"}[10m]) > 0`;

/** The four conditions that deserve an alert at night. */
export function Alerts({ metrics }: { metrics: "token" | "loopback" }) {
  return (
    <Section title="Alerts">
      <p>
        Prometheus reads <code>/metrics</code>
        {metrics === "token"
          ? ", with the token of TRUNKLINE_METRICS_TOKEN."
          : ". It answers only this machine until TRUNKLINE_METRICS_TOKEN is set."}{" "}
        These four are worth an alert:
      </p>
      <Snippet text={rules} block />
    </Section>
  );
}
