import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const SOURCE = join(import.meta.dirname, '..')
/** The pages of sign-in, whose texts are not in the catalogue yet, and what is said when nothing could be loaded. */
const OUTSIDE = /^(account|sign-in)\/|^main\.tsx$/
const AREAS = [
  'backup',
  'explorer',
  'failures',
  'home',
  'inbox',
  'log',
  'notes',
  'profile',
  'recovery',
  'shell',
  'start',
  'verdict',
  'verify',
]

const files = globSync('**/*.tsx', { cwd: SOURCE }).toSorted()
const sourceOf = (file: string) => readFileSync(join(SOURCE, file), 'utf8')

/** What a person would read that is written in the markup itself. */
function literalsIn(source: string): string[] {
  const between = [...source.matchAll(/>([^<>{}=;()]*[A-Za-z]{2}[^<>{}=;()]*)<\//g)]
  const attributes = [...source.matchAll(/\b(?:label|title|aria-label|hint|placeholder|alt)="([^"]*[A-Za-z][^"]*)"/g)]
  const lines = [...source.matchAll(/^\s+([A-Z][\w’,.“” -]+ [\w’,.“” -]+)$/gm)]
  return [...between, ...attributes, ...lines].map(([, text]) => text?.trim() ?? '').filter((text) => text !== '')
}

describe('the texts of the console', () => {
  it.each(files.filter((file) => !OUTSIDE.test(file)))('%s has none of its own', (file) => {
    expect(literalsIn(sourceOf(file))).toEqual([])
  })

  it('would be found', () => {
    expect(literalsIn(sourceOf('sign-in/sign-in-page.tsx'))).toContain('Sign in')
    expect(literalsIn('<Field label="User name" />')).toEqual(['User name'])
  })

  it.each(AREAS)('of %s say the same things in both languages, and not in the same words', async (area) => {
    const load = async (language: string) => ((await import(`./${area}/${language}.ts`)) as { words: object }).words
    const [english, german] = [textsOf(await load('en')), textsOf(await load('de'))]
    expect([...german.keys()]).toEqual([...english.keys()])
    const same = [...english].filter(([name, text]) => text.length > 12 && german.get(name) === text)
    expect(same).toEqual([])
  })
})

/** By path; functions stand for their source. */
function textsOf(words: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([name, value]): [string, string][] => {
      const here = path === '' ? name : `${path}.${name}`
      if (typeof value === 'object' && value !== null) return [...textsOf(value, here)]
      return [[here, typeof value === 'function' ? '' : String(value)]]
    }),
  )
}
