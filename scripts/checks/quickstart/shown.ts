import { stripVTControlCharacters } from 'node:util'

/** What differs between runs, and how a page writes it. */
const VARIABLE: readonly (readonly [shown: RegExp, actual: string])[] = [
  [/did:svc:[\w-]{32}/, String.raw`did:svc:[\w-]{32}`],
  [/[0-9a-f]{16}…/, '[0-9a-f]{96}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/, String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`],
  [/\/anchors\/\d{4}[a-z]/, String.raw`/anchors/\d{4}[a-z]`],
  [/\([\d.]+ s\)/, String.raw`\([\d.]+ s\)`],
  [/…/, '.*'],
]

/**
 * The shown lines that are missing in the output, or out of order. A line with only `…` stands for any number of lines;
 * without one, the output has no other lines.
 */
export function faultsOf(shown: string, output: string, isWhole: boolean): string[] {
  const actual = linesOf(output)
  const expected = linesOf(shown).filter((line) => line !== '…')
  let at = 0
  const missing = expected.filter((line) => {
    const pattern = patternOf(line)
    const found = actual.findIndex((one, place) => place >= at && pattern.test(one))
    if (found !== -1) at = found + 1
    return found === -1
  })
  const others = isWhole && !linesOf(shown).includes('…') && actual.length !== expected.length
  return others ? [...missing, `${actual.length} lines instead of ${expected.length}`] : missing
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function patternOf(line: string): RegExp {
  const parts: string[] = []
  let rest = line
  while (rest !== '') {
    const found = VARIABLE.flatMap(([shown, actual]) => {
      const match = shown.exec(rest)
      return match ? [{ at: match.index, length: match[0].length, actual }] : []
    }).toSorted((a, b) => a.at - b.at || b.length - a.length)[0]
    parts.push(literal(found ? rest.slice(0, found.at) : rest), found?.actual ?? '')
    rest = found ? rest.slice(found.at + found.length) : ''
  }
  return new RegExp(`^${parts.join('')}$`)
}

const literal = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
