import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "out", "node_modules"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((each) => ({ ...each, files: ["src/**/*.ts"] })),
  {
    files: ["src/**/*.ts"],
    languageOptions: { parserOptions: { project: "tsconfig.json" } },
  },
  { files: ["test/**/*.mjs"], languageOptions: { globals: { process: "readonly" } } },
);
