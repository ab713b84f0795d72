import { join } from 'node:path'
import { defineConfig } from 'vite'
import { offlineFiles } from './offline-files.ts'

/** Zod's small build, as in the published SDK. */
const SCHEMA_LIBRARY = join(import.meta.dirname, '../client/src/schemas/z.ts')

/** The files of the console, the same for every deployment: `config.json` and `_headers` come beside them. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: [{ find: /^zod$/, replacement: SCHEMA_LIBRARY }] },
  plugins: [offlineFiles()],
  build: {
    outDir: 'dist',
    target: 'es2024',
    // Whatever is inlined would need an exception in the policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The entry would name the files of every page: a kilobyte that the page which is visited does not need.
      resolveDependencies: (_, files, { hostId }) =>
        /index-[0-9a-f]+\.js$/.test(hostId) ? files.filter((file) => file.endsWith('.css')) : files,
    },
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, 'index.html'),
        offline: join(import.meta.dirname, 'src/offline/worker.ts'),
      },
      output: {
        hashCharacters: 'hex',
        // The worker sees what lies below its own address.
        entryFileNames: ({ name }) => (name === 'offline' ? 'verify/offline.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: 'assets/[name]-[hash].js',
        // In one file, because each of them is small and every page needs them.
        codeSplitting: {
          groups: [
            {
              name: 'shell',
              test: /node_modules\/preact\/|console\/src\/(shell\/(shell|link|loaded|field|dates)|router|policy-zones|configuration|words\/language)/,
            },
          ],
        },
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { port: 3000, strictPort: true },
})
