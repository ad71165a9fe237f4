// n8n's rules for community nodes, as `@n8n/node-cli` applies them.

import { n8nCommunityNodesPlugin } from "@n8n/eslint-plugin-community-nodes";
import { defineConfig, globalIgnores } from "eslint/config";
import nodesBase from "eslint-plugin-n8n-nodes-base";
import typescript from "typescript-eslint";

const { recommended } = n8nCommunityNodesPlugin.configs;
const plugins = { "n8n-nodes-base": nodesBase };
const { community, credentials, nodes } = nodesBase.configs;

/** They ask where the package is published and who maintains it there, which its owner fills in, and for the MIT licence. */
const unpublished = {
  "@n8n/community-nodes/require-homepage": "off",
  "@n8n/community-nodes/valid-author": "off",
  "n8n-nodes-base/community-package-json-license-not-default": "off",
  "n8n-nodes-base/community-package-json-author-missing": "off",
  "n8n-nodes-base/community-package-json-repository-url-missing": "off",
};

export default defineConfig(
  globalIgnores(["dist"]),
  {
    files: ["**/*.ts"],
    extends: [typescript.configs.recommended, recommended],
    rules: { "no-console": "error" },
  },
  {
    files: ["package.json"],
    plugins,
    extends: [recommended],
    rules: { ...community.rules, ...unpublished },
    languageOptions: { parser: typescript.parser, parserOptions: { extraFileExtensions: [".json"] } },
  },
  {
    files: ["credentials/**/*.ts"],
    plugins,
    rules: {
      ...credentials.rules,
      // They ask for a page, which the package has once it is published.
      "n8n-nodes-base/cred-class-field-documentation-url-missing": "off",
      "n8n-nodes-base/cred-class-field-type-options-password-missing": "off",
    },
  },
  {
    files: ["nodes/**/*.ts"],
    plugins,
    rules: {
      ...nodes.rules,
      // They know the connections of before `NodeConnectionTypes` alone.
      "n8n-nodes-base/node-class-description-inputs-wrong-regular-node": "off",
      "n8n-nodes-base/node-class-description-outputs-wrong": "off",
      "n8n-nodes-base/node-param-type-options-max-value-present": "off",
      // It wants "whats app".
      "n8n-nodes-base/node-param-operation-option-action-miscased": "off",
    },
  },
);
