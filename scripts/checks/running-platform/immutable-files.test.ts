import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT, type WorkerName } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'

const HASH = '0'.repeat(96)

/** Below each prefix that a host serves as immutable, what is not there, by the module that serves it. */
const MISSING: Readonly<Record<string, readonly [host: WorkerName | 'console', path: string][]>> = {
  'packages/console/src/deployment-files.ts': [
    ['console', '/assets/gone-00000000.js'],
    ['console', '/assets/gone-00000000.css'],
    ['console', '/assets/'],
  ],
  'workers/core/src/anchors/feed-routes.ts': [
    ['core', `/api/anchors/feed/entries/9?log=${HASH}`],
    ['core', `/api/anchors/feed/bodies/9?log=${HASH}`],
    ['core', `/api/anchors/feed/publications?after=9.${HASH}`],
  ],
  'workers/core/src/anchors/routes.ts': [
    ['core', `/api/anchors/${HASH}/bundle`],
    ['core', `/api/anchors/consistency?first=1&second=2&log=${HASH}`],
  ],
  'workers/core/src/ipfs/routes.ts': [['core', `/ipfs/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy`]],
  'workers/docs/src/pages/routes.ts': [
    ['docs', '/assets/gone-00000000.js'],
    ['docs', '/assets/gone-00000000.css'],
    ['docs', '/assets/gone-00000000.woff2'],
  ],
  'workers/keys/src/beacon/routes.ts': [
    ['keys', '/api/transparency/beacon/tile/0/999'],
    ['keys', '/api/transparency/beacon/tile/entries/999'],
  ],
  'workers/keys/src/transparency/routes.ts': [['keys', `/api/transparency/entries/999?log=${HASH}`]],
  'workers/provenance/src/files/routes.ts': [
    ['provenance', `/models/gone-${HASH}.onnx`],
    ['provenance', '/ort/9.9.9/ort-wasm-gone.wasm'],
    ['provenance', `/keypoints/${HASH}.akpb`],
  ],
  'packages/service/src/logs/log-tile-operation.ts': [
    ['core', `/api/anchors/feed/tiles/0/999?log=${HASH}`],
    ['keys', `/api/transparency/tiles/0/999?log=${HASH}`],
  ],
}

const { urls, consoleUrl } = sharedPlatform()
const SEEN_AS = { script: '*/*', visit: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('what is served as immutable', () => {
  it('is all asked for here', () => {
    const sources = globSync(['workers/*/src/**/*.ts', 'packages/{console,service}/src/**/*.ts'], { cwd: ROOT })
    const serving = sources.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return !file.endsWith('.test.ts') && /cacheControl:.*IMMUTABLE|\? IMMUTABLE|Cache-Control: .*immutable/.test(text)
    })
    expect(serving.toSorted()).toEqual(Object.keys(MISSING).toSorted())
  })

  it.each(Object.values(MISSING).flat())('%s: nobody keeps the answer that there is no %s', async (host, path) => {
    for (const accept of Object.values(SEEN_AS)) {
      const response = await fetch((host === 'console' ? consoleUrl : urls[host]) + path, { headers: { accept } })
      await response.arrayBuffer()
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })
})
