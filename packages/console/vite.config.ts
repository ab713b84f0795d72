import { join } from 'node:path'
import { defineConfig } from 'vite'

/** Zod's small build, as in the published SDK. */
const SCHEMA_LIBRARY = join(import.meta.dirname, '../client/src/schemas/z.ts')

/** The files of the console, the same for every deployment: `config.json` and `_headers` come beside them. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: [{ find: /^zod$/, replacement: SCHEMA_LIBRARY }] },
  build: {
    outDir: 'dist',
    target: 'es2024',
    // Whatever is inlined would need an exception in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        hashCharacters: 'hex',
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { port: 3000, strictPort: true },
})
