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

const PAY = [TESTS.offers, TESTS.intents, TESTS.quota, TESTS.top]

describe('the tests that a change affects', () => {
  it('of a project are all of it, whatever changed there', () => {
    for (const file of ['src/offers/rules.ts', 'src/app.ts', 'wrangler.jsonc', 'test/harness.ts', 'test/gone.test.ts'])
      expect(testsOf(`workers/pay/${file}`), file).toEqual(sorted(...PAY))
    expect(testsOf('migrations/pay/0009_more.sql')).toEqual(sorted(...PAY))
    expect(testsOf('scripts/platform/wasm.ts')).toEqual(TESTS.scripts)
  })

  it('of a package are those of the package and, elsewhere, those of features that import the file', () => {
    expect(testsOf('packages/protocol/src/pay/quota.ts')).toEqual(sorted(TESTS.protocol, TESTS.quota, TESTS.top))
    expect(testsOf('packages/service/src/index.ts')).toEqual(sorted(...PAY))
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
