/** The questions of `svc` on a pseudo-terminal, which `script` of util-linux opens. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MAIN } from './program.ts'
import { PASSPHRASE } from './svc.ts'

const MAX_MS = 60_000
const { error, stdout: version } = spawnSync('script', ['--version'], { encoding: 'utf8' })
const hasTerminal = error === undefined && version.includes('util-linux')

const home = mkdtempSync(join(tmpdir(), 'svc-cli-'))
const identity = await Identity.create()
beforeAll(async () => {
  writeFileSync(join(home, 'keys.json'), JSON.stringify(await exportKeys({ identity }, PASSPHRASE)))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs `svc` in a terminal, types each answer when its question is there, and returns how it ended and the screen. */
async function typed(words: string, answers: readonly (readonly [question: string, keys: string])[]) {
  // A new terminal has no size.
  const command = `stty rows 24 cols 100; '${process.execPath}' --disable-warning=ExperimentalWarning '${MAIN}' ${words}`
  const env = { PATH: process.env['PATH'], HOME: home, TERM: 'xterm' }
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd: home, env })
  const left = [...answers]
  let [screen, seen] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    const [next] = left
    if (next === undefined || !screen.slice(seen).includes(next[0])) return
    seen = screen.length
    left.shift()
    child.stdin.write(next[1])
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, screen, unasked: left.length }
}

describe('at a terminal', () => {
  beforeEach(({ skip }) => skip(!hasTerminal, 'no script of util-linux on this machine'))

  it('asks for the passphrase, and does not show it', { timeout: MAX_MS }, async () => {
    const { code, screen, unasked } = await typed('id import keys.json', [['Passphrase of ', `${PASSPHRASE}\r`]])
    expect(screen).toContain(`Imported the keys of ${identity.did}.`)
    expect(screen).not.toContain(PASSPHRASE)
    expect([code, unasked]).toEqual([0, 0])
  })

  it('asks before it replaces keys, and takes no for an answer', { timeout: MAX_MS }, async () => {
    const passphrase = ['Passphrase of ', `${PASSPHRASE}\r`] as const
    const { code, screen, unasked } = await typed('id import keys.json', [passphrase, ['Replace', 'n']])
    expect(screen).toContain('you did not confirm')
    expect([code, unasked]).toEqual([5, 0])
  })

  it('ends with 7 when the person gives up', { timeout: MAX_MS }, async () => {
    const { code, screen } = await typed(`id show ${identity.did}`, [['Passphrase of ', '\u0003']])
    expect(screen).toContain('No passphrase was given')
    expect(code).toBe(7)
  })
})
