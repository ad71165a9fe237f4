FROM node:26-slim AS ui
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts && npm cache clean --force
COPY scripts/build-ui.mjs ./scripts/
COPY ui ./ui
RUN node scripts/build-ui.mjs --always

FROM node:26-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings its own Node 26, so the pinned one (an optional dependency) stays out.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force
COPY scripts/compile-cache.mjs ./scripts/
COPY --from=ui /app/ui/dist ./ui/dist
COPY src ./src
# Without its packages: docs/whatsapp-linked.md.
COPY bridge ./bridge
COPY LICENSE README.md ./
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
ENV TRUNKLINE_HOST=0.0.0.0 TRUNKLINE_DATA_DIR=/data
# glibc gives the memory of large bodies back sooner: docs/hardening.md.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--import", "./scripts/compile-cache.mjs", "src/main.ts"]
