# node:26.8.1-slim
ARG NODE_IMAGE=node:26-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146

# The first two stages run on the machine that builds, whichever machine the image is for: Trunkline has no native code.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS ui
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts && npm cache clean --force
COPY scripts/build-ui.mjs ./scripts/
COPY ui ./ui
COPY src/contract/messages/segments.ts ./src/contract/messages/
RUN node scripts/build-ui.mjs --always

FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS app
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings its own Node 26, so the pinned one (an optional dependency) stays out; the packages' types and source maps go.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force \
  && find node_modules -type f \( -name "*.map" -o -name "*.d.ts" -o -name "*.d.mts" -o -name "*.d.cts" \) -delete
COPY bin ./bin
COPY scripts/compile-cache.mjs scripts/health.mjs ./scripts/
COPY --from=ui /app/ui/dist ./ui/dist
COPY src ./src
# Without its packages: docs/whatsapp-linked.md.
COPY bridge ./bridge
COPY LICENSE NOTICE README.md ./
RUN ln -s trunkline.mjs bin/trunkline && mkdir --mode=700 /volume /volume/data

# Nothing runs here, so that one machine builds it for every architecture, with the same layers.
FROM ${NODE_IMAGE}
ENV NODE_ENV=production PATH=/app/bin:${PATH}
WORKDIR /app
COPY --from=app /app /app
COPY --from=app --chown=1000:1000 /volume /
# Its user `node`; by number, so that a host that demands another user than root can tell.
USER 1000:1000
ENV TRUNKLINE_HOST=0.0.0.0 TRUNKLINE_DATA_DIR=/data
# glibc gives the memory of large bodies back sooner: docs/hardening.md.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
LABEL org.opencontainers.image.title="Trunkline" \
      org.opencontainers.image.description="Self-hosted messaging (SMS, WhatsApp, email) with durable delivery, and an AI gateway" \
      org.opencontainers.image.licenses="Apache-2.0"
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["trunkline", "health"]
ENTRYPOINT ["trunkline"]
