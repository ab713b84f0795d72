import { expect, it } from 'vitest'
import { LONG_KINDS, NEVER_LONG } from './long-kinds.ts'

const kindsIn = (text: string) => LONG_KINDS.filter(({ pattern }) => pattern.test(text)).map(({ does }) => does)

it.each([
  ["import { chromium } from 'playwright-core'", 'starts a browser'],
  ["const { default: lighthouse } = await import('lighthouse')", 'starts a browser'],
  ["await capture('npm', ['install'])", 'starts a package manager'],
  ["execFileSync('pnpm', args)", 'starts a package manager'],
  ["const project = inject('project')", 'tests what a package manager installed'],
  ['account.forWrangler()', 'starts Wrangler for each upload'],
  ['describeProgramsOf(isGuide)', 'runs every published example as its reader does'],
])('%s %s', (text, does) => {
  expect(kindsIn(text)).toEqual([does])
})

it('is nothing that only mentions one', () => {
  expect(kindsIn("expect(help).toContain('npm install'); const text = 'playwright-core'")).toEqual([])
})

it.each([
  'workers/pay/test/races.test.ts',
  'workers/did/test/organizations/members-faults.test.ts',
  'a/decision-races.test.ts',
  'workers/core/test/security.test.ts',
  'workers/core/test/notes/vault/faults-uploads.test.ts',
])('%s is never long', (file) => {
  expect(file).toMatch(NEVER_LONG)
})
