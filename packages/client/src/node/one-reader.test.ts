import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

/** The body of an answer, read without a largest size and without an end in time. Files on this machine do not count. */
const UNBOUNDED = /\b(?!file\b|blob\b)[\w)]+\s*\.\s*(?:json|text|arrayBuffer|blob|bytes|formData)\(\)/g
/** The one reader, which everything passes. */
const READER = 'packages/client/src/transport/guarded-body.ts'

const sources = globSync('packages/{client,cli}/src/**/*.ts', { cwd: ROOT }).filter(
  (path) => !path.endsWith('.test.ts') && path !== READER,
)

it('every body of an answer is read by the reader that ends', () => {
  expect(sources.length).toBeGreaterThan(300)
  const found = sources.flatMap((path) =>
    [...readFileSync(`${ROOT}${path}`, 'utf8').matchAll(UNBOUNDED)].map(([call]) => `${path}: ${call}`),
  )
  expect(found).toEqual([])
})

// The transport itself takes the global `fetch` as a value, in one place.
it('every request of the SDK is sent by the transport', () => {
  const senders = ['packages/client/src/transport/sending/upload.ts']
  const found = sources.filter(
    (path) => path.startsWith('packages/client/') && /[^.\w`]fetch\((?!url, init\) => fetch)/.test(codeOf(path)),
  )
  expect(found.toSorted()).toEqual(senders)
})

/** Without comments. */
function codeOf(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
