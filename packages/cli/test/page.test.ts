import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandSpec } from '../src/command.ts'
import { EXIT } from '../src/exit-codes.ts'
import { GROUPS } from '../src/groups.ts'
import { resultsPage } from './results-page.ts'

const page = readFileSync(join(import.meta.dirname, '../../../workers/docs/pages/developer/cli.md'), 'utf8')

function rowOf({ path, args = [], summary, result }: CommandSpec): string {
  const members = typeof result === 'string' ? result : result.map((name) => `\`${name}\``).join(' ')
  const call = [path, ...args.map((one) => one.replaceAll('|', ', '))].join(' ')
  return `| \`svc ${call}\` | ${summary} | ${members} |`
}

describe('the page of the command line', () => {
  it('has each command with the members of its result', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `svc '))
    expect(rows).toEqual(GROUPS.flatMap(({ commands }) => commands).map(rowOf))
  })

  it('has a page beside it with the form of each result', async () => {
    await expect(resultsPage()).toMatchFileSnapshot('../../../workers/docs/pages/developer/cli-results.md')
  })

  it('has the exit codes', () => {
    const codes = [...page.matchAll(/^\| (\d) \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)])
    expect(Object.fromEntries(codes)).toEqual(EXIT)
  })
})
