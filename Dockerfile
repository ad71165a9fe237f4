# node:26.8.1-slim
ARG NODE_IMAGE=node:26-slim@sha256:c0753125a3789977aefe869cbebccf70e3cfd7ea84ca48547458f02e4f1d7146

FROM ${NODE_IMAGE} AS ui
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts && npm cache clean --force
COPY scripts/build-ui.mjs ./scripts/
COPY ui ./ui
COPY src/contract/messages/segments.ts ./src/contract/messages/
RUN node scripts/build-ui.mjs --always

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings its own Node 26, so the pinned one goes; it is an optional dependency, as OpenTelemetry's packages are.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/.bin/node && npm cache clean --force
COPY bin ./bin
COPY scripts/compile-cache.mjs scripts/health.mjs ./scripts/
COPY --from=ui /app/ui/dist ./ui/dist
COPY src ./src
# Without its packages: docs/whatsapp-linked.md.
COPY bridge ./bridge
COPY LICENSE NOTICE README.md ./
RUN ln -s /app/bin/trunkline.mjs /usr/local/bin/trunkline && mkdir /data && chown node:node /data && chmod 700 /data
# Its user `node`; by number, so that a host that demands another user than root can tell.
USER 1000:1000
ENV TRUNKLINE_HOST=0.0.0.0 TRUNKLINE_DATA_DIR=/data
# glibc gives the memory of large bodies back sooner: docs/hardening.md.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["trunkline", "health"]
ENTRYPOINT ["trunkline"]
