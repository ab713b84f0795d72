import { describe, expect, it } from 'vitest'
import { affectedBy } from './affected.ts'

/** An import graph from edges `importer > imported`. */
function importersOf(...edges: string[]): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const edge of edges) {
    const [importer = '', imported = ''] = edge.split(' > ')
    importers.set(imported, [...(importers.get(imported) ?? []), importer])
  }
  return importers
}

const IMPORTERS = importersOf(
  'workers/pay/src/offers/routes.ts > workers/pay/src/offers/rules.ts',
  'workers/pay/src/intents/service.ts > workers/pay/src/offers/rules.ts',
  'workers/pay/src/app.ts > workers/pay/src/offers/routes.ts',
  'workers/pay/src/app.ts > workers/pay/src/quota/routes.ts',
  'workers/pay/src/app.ts > workers/pay/src/offers/rules.ts',
  'workers/pay/src/quota/routes.ts > packages/protocol/src/pay/quota.ts',
  'packages/protocol/src/pay/quota.test.ts > packages/protocol/src/pay/quota.ts',
  'workers/pay/src/services.ts > packages/service/src/index.ts',
  'workers/pay/test/sdk.test.ts > workers/pay/test/harness.ts',
  'workers/pay/test/harness.ts > workers/pay/src/app.ts',
)
const TESTS = {
  top: ['workers/pay/test/sdk.test.ts', 'workers/pay/test/security.test.ts'],
  offers: ['workers/pay/test/offers/offers.test.ts'],
  intents: ['workers/pay/test/intents/refunds.test.ts'],
  quota: ['workers/pay/test/quota/races.test.ts'],
  protocol: ['packages/protocol/src/pay/quota.test.ts'],
  did: ['workers/did/test/resolution/resolution.test.ts'],
  scripts: ['scripts/checks/examples/readmes.test.ts', 'scripts/platform/wasm.test.ts'],
}
const FILES = Object.values(TESTS).flat()
const testsOf = (...changed: string[]) => affectedBy(changed, IMPORTERS, FILES).tests
const sorted = (...files: string[][]) => files.flat().toSorted()

describe('the tests that a change affects', () => {
  it('of a feature are its own, those of features that import it, and those at the top of the Worker', () => {
    expect(testsOf('workers/pay/src/offers/rules.ts')).toEqual(sorted(TESTS.offers, TESTS.intents, TESTS.top))
  })

  it('of a joint of the features, or of a feature without tests, are all of the Worker', () => {
    const all = sorted(TESTS.offers, TESTS.intents, TESTS.quota, TESTS.top)
    expect(testsOf('workers/pay/src/app.ts')).toEqual(all)
    expect(testsOf('workers/pay/src/discovery/version.ts')).toEqual(all)
    expect(testsOf('workers/pay/wrangler.jsonc')).toEqual(all)
    expect(testsOf('migrations/pay/0009_more.sql')).toEqual(all)
    expect(testsOf('workers/pay/vitest.config.ts')).toEqual(all)
  })

  it('of a file of a package are those that import it', () => {
    expect(testsOf('packages/protocol/src/pay/quota.ts')).toEqual(sorted(TESTS.protocol, TESTS.quota, TESTS.top))
    expect(testsOf('packages/service/src/index.ts')).toEqual(
      sorted(TESTS.offers, TESTS.intents, TESTS.quota, TESTS.top),
    )
  })

  it('of a test are the test itself, unless it was deleted', () => {
    expect(testsOf('workers/pay/test/offers/offers.test.ts', 'workers/pay/test/gone.test.ts')).toEqual(TESTS.offers)
  })

  it('of a harness are those that import it', () => {
    expect(testsOf('workers/pay/test/harness.ts')).toEqual(['workers/pay/test/sdk.test.ts'])
  })

  it('of a text are those that read texts, and of the lockfile all', () => {
    expect(testsOf('docs/architecture.md')).toEqual(['scripts/checks/examples/readmes.test.ts'])
    expect(testsOf('pnpm-lock.yaml')).toEqual(FILES)
    expect(testsOf('scripts/checks/runtime/empty-storage.ts')).toEqual(FILES)
  })
})

it('selects types through every import', () => {
  expect(affectedBy(['workers/pay/src/offers/rules.ts'], IMPORTERS, FILES).typed).toEqual([
    'workers/pay/src/app.ts',
    'workers/pay/src/intents/service.ts',
    'workers/pay/src/offers/routes.ts',
    'workers/pay/src/offers/rules.ts',
    'workers/pay/test/harness.ts',
    'workers/pay/test/sdk.test.ts',
  ])
})
