import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const WORKFLOWS = globSync('.github/workflows/*.{yml,yaml}', { cwd: ROOT }).toSorted()
const PAGE = textOf('workers/docs/pages/developer/supply-chain.md')

/** The lines below a key, without comments, as `name: value`. */
function membersBelow(text: string, key: string, indent: number): string[] | null {
  const pad = ' '.repeat(indent)
  const found = new RegExp(`^${pad}${key}:(?: (.+))?\\n((?:${pad} +.*\\n|\\s*\\n)*)`, 'm').exec(text)
  if (!found) return null
  if (found[1]) return [found[1]]
  return (found[2] ?? '')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
}

/** Each job with its lines. */
function jobsOf(workflow: string): [name: string, text: string][] {
  const jobs = /^jobs:\n([\s\S]*)/m.exec(workflow)?.[1] ?? ''
  return [...jobs.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n|\s*\n)+)/gm)].map(([, name = '', text = '']) => [name, text])
}

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
const tableBelow = (heading: string) =>
  [...(PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (`.+) \|$/gm)].map(([, row = '']) =>
    row.split(' | '),
  )

describe('the workflows', () => {
  it('run actions that are pinned by commit, with the version in a comment', () => {
    const uses = WORKFLOWS.flatMap((path) => textOf(path).match(/^.*\buses:.*$/gm) ?? [])
    expect(uses.length).toBeGreaterThan(3)
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('have the permissions, environments and secrets that the page lists', () => {
    const found = WORKFLOWS.flatMap((path) => {
      const workflow = textOf(path)
      const shared = membersBelow(workflow, 'permissions', 0)
      return jobsOf(workflow).map(([job, text]) => ({
        workflow: path.replace('.github/workflows/', ''),
        job,
        permissions: (membersBelow(text, 'permissions', 4) ?? shared ?? ['all of the repository']).toSorted(),
        environment: membersBelow(text, 'environment', 4) ?? [],
        secrets: [...new Set([...text.matchAll(/secrets\.([A-Z_]+)/g)].map(([, name]) => name))],
      }))
    })
    const listed = tableBelow('Workflows').map(([workflow, job, permissions, environment, secrets]) => ({
      workflow: quoted(workflow)[0],
      job: quoted(job)[0],
      permissions: quoted(permissions).toSorted(),
      environment: quoted(environment),
      secrets: quoted(secrets),
    }))
    expect(found.length).toBeGreaterThan(2)
    expect(listed).toEqual(found)
  })

  it('give no job of the tests a secret', () => {
    expect(textOf('.github/workflows/test.yml')).not.toContain('secrets.')
    // It would run the code of a pull request with the rights of the repository.
    for (const path of WORKFLOWS) expect(textOf(path)).not.toContain('pull_request_target')
  })

  it('check out without keeping the token', () => {
    for (const path of WORKFLOWS) {
      const checkouts = textOf(path).split('uses: actions/checkout').slice(1)
      for (const after of checkouts) expect(after.split('- uses:')[0]).toContain('persist-credentials: false')
    }
  })
})

describe('dependency updates', () => {
  const CONFIG = textOf('.github/dependabot.yml')

  it('are weekly, in groups, and wait for a week, for packages, pnpm and actions', () => {
    const updates = CONFIG.split('  - package-ecosystem: ').slice(1)
    const places = updates.map((update) => [update.split('\n')[0], /directory: (.+)/.exec(update)?.[1]])
    expect(places).toEqual([
      ['npm', '/'],
      ['npm', '/scripts/platform/pnpm'],
      ['github-actions', '/'],
    ])
    for (const update of updates) {
      expect(update).toContain('interval: weekly')
      expect(Number(/default-days: (\d+)/.exec(update)?.[1])).toBeGreaterThanOrEqual(7)
      expect(update).toContain('groups:')
    }
  })

  it('leave no package to two groups', () => {
    const packages = CONFIG.split('  - package-ecosystem: ')[1] ?? ''
    const patterns = [...packages.matchAll(/^ {8}patterns: \[(.+)\]$/gm)].flatMap(([, list = '']) => list.split(', '))
    const excluded = [...packages.matchAll(/^ {10}- (.+)$/gm)].map(([, pattern = '']) => pattern)
    expect(excluded.toSorted()).toEqual(patterns.filter((pattern) => pattern !== "'*'").toSorted())
  })
})
