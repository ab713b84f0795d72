import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chunk, isChunkGone } from './chunk.ts'
import { sentenceOf } from './sentences.ts'

const SOURCE = join(import.meta.dirname, '..')

it('a file that is gone is named as that, and a person is told to reload', async () => {
  const gone = new TypeError('Failed to fetch dynamically imported module: https://console.example/assets/a-1.js')
  const error: unknown = await chunk(() => Promise.reject(gone)).catch((reason: unknown) => reason)
  expect(isChunkGone(error)).toBe(true)
  expect(sentenceOf(error)).toContain('Reload the page.')
  expect(isChunkGone(gone)).toBe(false)
})

// `Later` loads by `chunk`.
it('every file that is loaded later is loaded so', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).filter(
    // The texts of a part come with it.
    (file) => !/\.test\.tsx?$|^words\/\w[\w-]*\/words\.ts$/.test(file),
  )
  const bare = files.filter((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8').replaceAll(
      /typeof import\(|(?:chunk|Later)\(\(\) =>\s*import\(/g,
      '',
    )
    return /\bimport\(/.test(text)
  })
  expect(bare).toEqual([])
})
