import { join } from 'node:path'
import { defineConfig } from 'vite'
import { offlineFiles } from './offline-files.ts'

/** The files of the console, the same for every deployment: `config.json` and `_headers` come beside them. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [offlineFiles()],
  worker: {
    format: 'es',
    rolldownOptions: {
      output: {
        hashCharacters: 'hex',
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
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
        // Small modules that are needed together, in one file: the first group by every page.
        codeSplitting: {
          groups: [
            {
              name: 'shell',
              test: /node_modules\/preact\/|console\/src\/(shell\/(shell|link|loaded)|failures\/(chunk|reload)|router|policy-zones|configuration|words\/language|kept\/web-storage)/,
            },
            // The form of the verifier.
            {
              name: 'verify-form',
              test: /console\/src\/(verify\/(verify-page|input|use-dropped)|words\/verify\/words)\./,
            },
            // What every use of the SDK needs.
            {
              name: 'sdk',
              test: /client\/src\/(memory\/(errors|extension|known-logs)|services\/lazy|transport\/(transport|origin|\w+-error)|verification\/(safe|verification-error))\.ts/,
            },
            // Most pages need these, and the first load of the verifier does not.
            {
              name: 'parts',
              test: /console\/src\/(shell\/(dates|field|file-field|part|sending|task)|failures\/sentences|content\/exact|sign-in\/heading)\./,
            },
          ],
        },
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { port: 3000, strictPort: true },
})
