import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cachedBundle } from './bundle-cache.ts'

let folder: string
let input: string
let made: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bundle-cache-'))
  input = join(folder, 'a.ts')
  writeFileSync(input, 'one')
  made = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

const bundle = (settings: unknown = 'plain') =>
  cachedBundle(
    settings,
    async () => {
      made += 1
      return { bundle: { number: made, bytes: Uint8Array.of(1, 2) }, inputs: [input] }
    },
    folder,
  )

it('makes a bundle once while its inputs stay as they are', async () => {
  const first = await bundle()
  expect(first).toEqual({ number: 1, bytes: Uint8Array.of(1, 2) })
  expect(await bundle()).toEqual(first)
})

it.each<[string, () => void]>([
  ['has changed', () => writeFileSync(input, 'two')],
  ['is gone', () => rmSync(input)],
])('makes it again when an input %s', async (_, change) => {
  await bundle()
  change()
  expect(await bundle()).toMatchObject({ number: 2 })
})

it('keeps the bundles of other settings apart', async () => {
  await bundle()
  expect(await bundle('minified')).toMatchObject({ number: 2 })
  expect(await bundle()).toMatchObject({ number: 1 })
})

it('keeps nothing of a bundle that fails', async () => {
  await expect(cachedBundle('plain', () => Promise.reject(new Error('does not build')), folder)).rejects.toThrow()
  expect(await bundle()).toMatchObject({ number: 1 })
})
