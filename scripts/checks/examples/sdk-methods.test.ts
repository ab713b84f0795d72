import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'

const SOURCE = join(ROOT, 'packages/client/src')
const PAGES = join(ROOT, 'workers/docs/pages/developer')

/** Without the table of lies, which names methods but does not say what they are for. */
const pages = readdirSync(PAGES)
  .filter((name) => name !== 'lies.md')
  .map((name) => readFileSync(join(PAGES, name), 'utf8'))
  .join('\n')
const services = readFileSync(join(SOURCE, 'services/services.ts'), 'utf8')
const filesOfServices = [...services.matchAll(/import\('\.\.\/([^']+\.ts)'\)/g)]
  .map(([, path]) => path!)
  // The keys that notes are verified with: a part of another service.
  .filter((path) => path !== 'notes/keys.ts')

/** Methods of the classes in a file that applications can call. */
function methodsOf(path: string): string[] {
  const source = readFileSync(join(SOURCE, path), 'utf8')
  const names = [...source.matchAll(/^ {2}(?:async )?\*?([a-z]\w*)(?:<[^>]*>)?\(/gm)].map(([, name]) => name!)
  return names.filter((name) => name !== 'constructor')
}

const OTHERS = ['client.ts', 'provenance/similarity.ts', 'auth/sign-in.ts', 'auth/session.ts', 'keys/log-auditor.ts']
const methods = [...new Set([...filesOfServices, ...OTHERS])].flatMap((path) =>
  methodsOf(path).map((name) => [path, name] as const),
)

/** Not for applications: what the classes of the SDK call of one another. */
const INTERNAL = new Set([
  'chain/key-history.ts check',
  'chain/key-history.ts refuseOlder',
  'keys/epochs.ts parts',
  'keys/transparency.ts agree',
  'notes/notes.ts check',
  'notes/notes.ts isOurs',
  'notes/notes.ts learn',
  'notes/notes.ts originOf',
  'notes/notes.ts putCiphertext',
  'notes/notes.ts rewrite',
])

/** Functions that an entry exports, without those that a page need not name: the safe twins are described as a rule. */
function functionsOf(entry: string): string[] {
  const source = readFileSync(join(SOURCE, entry), 'utf8')
  const names = [...source.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list]) => list!.split(','))
  return names
    .map((name) => name.trim().split(' as ').at(-1)!)
    .filter((name) => /^[a-z]\w*$/.test(name) && !/Schema$|^safe[A-Z]/.test(name))
}

describe('a function that needs no client', () => {
  it.each(['functions.ts', 'verify.ts'])('is named on a page: %s', (entry) => {
    const names = functionsOf(entry)
    expect(names.length).toBeGreaterThan(4)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages))).toEqual([])
  })
})

describe('a method of the SDK', () => {
  it('is found by this test', () => {
    expect(methods.length).toBeGreaterThan(150)
    expect(methods).toContainEqual(['chain/chain.ts', 'append'])
  })

  it('is named on a page', () => {
    const isNamed = (name: string) => new RegExp(`\\b${name}(\\(|\`)`).test(pages)
    const missing = methods.filter(([, name]) => !isNamed(name)).map((method) => method.join(' '))
    expect(missing.filter((method) => !INTERNAL.has(method))).toEqual([])
  })
})
