# The executable in a container, with simulated nodes. It is not built by the tests (they have no container engine).
FROM node:20-bookworm-slim AS build
WORKDIR /kube
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run generate && npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /kube
COPY --from=build /kube/package.json ./
COPY --from=build /kube/node_modules ./node_modules
COPY --from=build /kube/bin ./bin
COPY --from=build /kube/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 6443
ENTRYPOINT ["node", "/kube/bin/kube"]
CMD ["run", "all", "--data-dir", "/data", "--bind-address", "0.0.0.0"]
