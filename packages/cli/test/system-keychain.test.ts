/** The keychain of Linux: a secret service of its own session, as a desktop has one. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import { afterAll, expect, it } from 'vitest'
import { MAIN } from './program.ts'
import { PASSPHRASE } from './svc.ts'

const MAX_MS = 60_000
const NEEDED = ['dbus-run-session', 'gnome-keyring-daemon']
const missing = NEEDED.filter((program) => spawnSync(program, ['--version']).error !== undefined)

const home = mkdtempSync(join(tmpdir(), 'svc-cli-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A session: the keychain is unlocked with an empty password, then locked in the end with its process. */
const SESSION = `
svc() { "$NODE" --disable-warning=ExperimentalWarning "$MAIN" "$@"; }
printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
svc doctor | grep keychain
svc id import keys.json --keychain --passphrase-fd 3 3<passphrase.txt
svc id show "$DID" --json
`

it('keeps the passphrase of the keys', { timeout: MAX_MS }, async ({ skip }) => {
  skip(missing.length > 0, `no ${missing.join(', ')} on this machine`)
  const identity = await Identity.create()
  writeFileSync(join(home, 'keys.json'), JSON.stringify(await exportKeys({ identity }, PASSPHRASE)))
  writeFileSync(join(home, 'passphrase.txt'), PASSPHRASE)
  const env = { PATH: process.env['PATH'], HOME: home, NODE: process.execPath, MAIN, DID: identity.did }
  const session = spawnSync('dbus-run-session', ['--', 'sh', '-c', SESSION], { cwd: home, env, encoding: 'utf8' })
  expect(session.stdout).toContain('keychain: answers; --keychain keeps passphrases there')
  expect(session.stdout).toContain(`Imported the keys of ${identity.did}.`)
  expect(session.stdout).toContain(`"did": "${identity.did}"`)
  expect(session.status, session.stderr).toBe(0)
  // Without that session, nobody knows the passphrase that the keychain made.
  const shown = spawnSync(process.execPath, [MAIN, 'id', 'show', identity.did], { cwd: home, env, encoding: 'utf8' })
  expect(shown.status).toBe(7)
  expect(shown.stderr).toContain('there is no terminal to ask at')
})
