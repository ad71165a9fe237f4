ARG NODE_IMAGE=node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1

# The first stage runs on the machine that builds, whichever machine the image is for: Trunkline has no native code.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS app
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts && npm cache clean --force
COPY bin ./bin
COPY scripts ./scripts
COPY ui ./ui
COPY src ./src
RUN node scripts/build-ui.mjs --always && node scripts/build-service.mjs --always \
  && ln -s trunkline.mjs bin/trunkline && mkdir --mode=700 /volume /volume/data

# Nothing runs here, so that one machine builds it for every architecture, with the same layers.
FROM ${NODE_IMAGE}
ENV NODE_ENV=production PATH=/app/bin:${PATH}
WORKDIR /app
COPY --from=app /app/bin ./bin
COPY --from=app /app/ui/dist ./ui/dist
# The packages that it uses are in it.
COPY --from=app /app/build/service ./build/service
COPY scripts/compile-cache.mjs scripts/health.mjs ./scripts/
# Without its packages: docs/whatsapp-linked.md.
COPY bridge ./bridge
COPY package.json CHANGELOG.md LICENSE NOTICE README.md SECURITY.md ./
# What messages and settings point to.
COPY docs ./docs
COPY --from=app --chown=1000:1000 /volume /
# Its user `node`; by number, so that a host that demands another user than root can tell.
USER 1000:1000
ENV TRUNKLINE_HOST=0.0.0.0 TRUNKLINE_DATA_DIR=/data
LABEL org.opencontainers.image.title="Trunkline" \
      org.opencontainers.image.description="Self-hosted messaging (SMS, WhatsApp, email) with durable delivery, and an AI gateway" \
      org.opencontainers.image.licenses="Apache-2.0"
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["trunkline", "health"]
ENTRYPOINT ["trunkline"]
