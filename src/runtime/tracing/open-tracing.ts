// Loads OpenTelemetry's packages and connects them to a collector.

import type { Sampler } from "@opentelemetry/sdk-trace";
import { version } from "#runtime/program.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import { SpanQueue } from "./span-queue.ts";
import type { TraceSettings, Tracing } from "./tracing.ts";

/** The packages that send spans; loaded only if there is a collector. */
async function loadPackages() {
  const [sdk, resources, exporter] = await Promise.all([
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  return { sdk, resources, exporter };
}

/** Opens the exporter; the collector is first contacted when there are spans. */
export async function openTracing(
  { url, sampler, ratio }: TraceSettings,
  deps: { clock: Clock; log: Log },
): Promise<Tracing> {
  const { sdk, resources, exporter } = await loadPackages();
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[sampler.replace("parentbased_", "")]!();
  const queue = new SpanQueue(new exporter.OTLPTraceExporter({ url }), deps);
  const provider = new sdk.TracerProvider({
    sampler: sampler.startsWith("parentbased_") ? new sdk.ParentBasedSampler({ root }) : root,
    // The environment variables override this name.
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ "service.name": "trunkline", "service.version": version }))
      .merge(
        resources.detectResources({
          detectors: [
            resources.serviceInstanceIdDetector,
            resources.resourceAttributesEnvDetector,
            resources.serviceNameEnvDetector,
          ],
        }),
      ),
    spanLimits: { attributeValueLengthLimit: 256 },
    spanProcessors: [queue],
  });
  return {
    tracer: provider.getTracer("trunkline", version),
    dropped: () => queue.dropped,
    stop: () => queue.shutdown(),
  };
}
