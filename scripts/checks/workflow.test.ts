import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { STEPS } from './steps/steps.ts'

/** The bar for each step of --full, on two cores. */
const MAX_STEP_MINUTES = 45
/** Those near it have a job of their own. */
const LONGEST = ['browser-pages', 'browser-console', 'calls', 'command-line']

describe('the tests', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/test.yml'), 'utf8')
  const listed = /^ {8}steps:\n((?: {10}- .*\n)+)/m.exec(workflow)?.[1] ?? ''
  const jobs = listed.split(/^ {10}- /m).flatMap((job) => (job === '' ? [] : [job.trim().split(' ')]))

  it('run every step in exactly one job', () => {
    expect(jobs.flat().toSorted()).toEqual(STEPS.map(({ name }) => name).toSorted())
  })

  it('have half as much time again as the longest step may take, and the longest steps a job each', () => {
    const limit = Number(/^ {4}timeout-minutes: (\d+)$/m.exec(workflow)?.[1])
    expect(limit).toBeGreaterThanOrEqual(MAX_STEP_MINUTES * 1.5)
    for (const step of LONGEST) expect(jobs).toContainEqual([step])
  })
})

describe('a deployment', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/deploy.yml'), 'utf8')

  it('waits for the job that requires green tests of a commit of main', () => {
    expect(workflow).toMatch(/\n {2}deploy:\n {4}needs: tested\n/)
    const job = workflow.slice(workflow.indexOf('\n  tested:'), workflow.indexOf('\n  deploy:'))
    expect(job).toContain('git merge-base --is-ancestor "$GITHUB_SHA" origin/main')
    expect(job).toContain('.github/require-green.sh "$GITHUB_REPOSITORY" "$GITHUB_SHA"')
  })

  it.each([
    ['success', 0],
    ['failure', 1],
    ['cancelled', 1],
    // It still runs, or never ran.
    ['none', 1],
    ['', 1],
  ])('is allowed if the tests ended as "%s": exit code %i', (conclusion, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-green-'))
    try {
      // Stands for GitHub's command: answers only the request that the script must make.
      const asked = `repos/o/r/actions/workflows/test.yml/runs?head_sha=${'a'.repeat(40)}&branch=main&event=push&per_page=1`
      writeFileSync(join(folder, 'gh'), `#!/bin/sh\n[ "$1 $2" = 'api ${asked}' ] && echo '${conclusion}'\n`, {
        mode: 0o755,
      })
      const { status } = spawnSync(join(ROOT, '.github/require-green.sh'), ['o/r', 'a'.repeat(40)], {
        env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
      })
      expect(status).toBe(code)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
