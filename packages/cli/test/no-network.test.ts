/** `verify --offline` in a process that cannot reach anything: a network namespace, or sockets that refuse. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportKeys } from '@svc/client/backup'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anchorOf, capsuleOf, checkpointOf, newLogKey, openingOf } from './evidence-files.ts'
import { makeFiles, REALM } from './files.ts'
import { MAIN } from './program.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-cli-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const MANY = join(import.meta.dirname, 'many-commands.ts')
const REFUSE = `
import { Socket } from 'node:net'
import dgram from 'node:dgram'
import dns from 'node:dns'
const refuse = () => { process.stderr.write('SOCKET\\n'); throw new Error('No network') }
Socket.prototype.connect = refuse
dgram.createSocket = refuse
dns.lookup = refuse
`

/** As a command that runs the rest of its arguments without a network. */
const NAMESPACE = ['unshare', '--map-root-user', '--net']
const hasNamespaces = spawnSync(NAMESPACE[0] ?? '', [...NAMESPACE.slice(1), 'true']).status === 0

function withoutNetwork(script: string, ...args: string[]) {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning']
  writeFileSync(join(home, 'refuse.mjs'), REFUSE)
  const [command = '', ...rest] = hasNamespaces
    ? [...NAMESPACE, ...node, script, ...args]
    : [...node, '--import', join(home, 'refuse.mjs'), script, ...args]
  const env = { PATH: process.env['PATH'], HOME: home }
  // The passphrase comes from descriptor 3, for a command that reads it.
  const passphrase = openSync(join(home, 'pass.txt'), 'r')
  const stdio = ['ignore', 'pipe', 'pipe', passphrase] as const
  const ended = spawnSync(command, rest, { encoding: 'utf8', env, cwd: home, stdio: [...stdio] })
  closeSync(passphrase)
  return ended
}

const { did, identity, chain, message } = await makeFiles()
const [content, other] = ['a plan', 'a plot'].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array]
const logKey = newLogKey()
const { capsule, proof } = await capsuleOf(identity, content)
const anchor = await anchorOf(identity, content, logKey)
const state = (root: string, issuedAt?: number) => checkpointOf(logKey, 5, root.repeat(48), issuedAt)
const PASSPHRASE = 'correct horse battery staple'

const FILES: Readonly<Record<string, string | Uint8Array | object>> = {
  'chain.json': { did, blocks: chain },
  'plan.txt': content,
  'plot.txt': other,
  'message.json': message,
  'anchor.json': anchor,
  'capsule.json': capsule,
  'proof.json': proof,
  'opening.json': openingOf(did, content),
  'checkpoints.json': { earlier: state('ab'), later: state('ab', 1_790_000_000_001) },
  'fork.json': { earlier: state('ab'), later: state('cd') },
  'export.json': await exportKeys({ identity }, PASSPHRASE),
  'pass.txt': PASSPHRASE,
  'backup.age': '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n',
}
for (const [name, value] of Object.entries(FILES)) {
  const isText = typeof value === 'string' || value instanceof Uint8Array
  writeFileSync(join(home, name), isText ? value : JSON.stringify(value))
}

const realm = ['--realm', REALM]
const log = ['--log-key', logKey.publicKeyB64u]
const [plan, plot, ours] = [
  ['--file', 'plan.txt'],
  ['--file', 'plot.txt'],
  ['--did', did],
]
type Case = readonly [file: string, options: readonly string[], told: string]

const VALID: readonly Case[] = [
  ['chain.json', ours, `chain of ${did}`],
  ['message.json', realm, `message of ${did}`],
  ['anchor.json', [...realm, ...log, ...plan], `anchor of ${did}`],
  ['capsule.json', [...realm, ...plan], `capsule of ${did}`],
  ['proof.json', [...realm, ...plan], `proof of ${did}`],
  ['checkpoints.json', [...realm, ...log], 'checkpoints'],
  ['export.json', ['--passphrase-fd', '3'], `export of ${did}`],
]
const UNDECIDED: readonly Case[] = [
  ['opening.json', [...realm, ...plan, ...ours], 'ok  opening: the content and the salt make this commitment'],
  ['checkpoints.json', realm, '??  log: whose key it has is not known'],
  ['anchor.json', realm, '??  log: whose key it has is not known'],
  ['backup.age', [], '??  encrypted: a file of age'],
  ['plan.txt', [], 'ok  SHA3-384: '],
]
const INVALID: readonly Case[] = [
  ['chain.json', ['--did', `did:svc:${'A'.repeat(32)}`], 'The chain is invalid'],
  ['message.json', ['--realm', 'https://other.example'], 'The message does not verify'],
  ['anchor.json', [...realm, ...log, ...plot], 'The file is not what was anchored'],
  ['anchor.json', [...realm, '--log-key', newLogKey().publicKeyB64u], 'The anchor does not verify'],
  ['capsule.json', [...realm, ...plot], 'The capsule does not verify: content_mismatch'],
  ['proof.json', [...realm, ...plot], 'content_mismatch'],
  ['opening.json', [...realm, ...plot, ...ours], 'The commitment is of another identity'],
  ['fork.json', [...realm, ...log], 'The anchors log at 5 contradicts what it was at 5'],
]

describe('without a network', () => {
  type Ended = Pick<ReturnType<typeof withoutNetwork>, 'status' | 'stdout' | 'stderr'>
  let ended: ReadonlyMap<Case, Ended>
  // In one process, because each takes a second to start.
  beforeAll(() => {
    const cases = [...VALID, ...UNDECIDED, ...INVALID]
    const words = cases.map(([file, options]) => ['verify', file, '--offline', ...options])
    const { stdout, stderr } = withoutNetwork(MANY, JSON.stringify(words))
    expect(stderr).toBe('')
    const results = JSON.parse(stdout) as readonly Ended[]
    ended = new Map(cases.map((one, at) => [one, results[at] ?? { status: null, stdout: '', stderr: '' }]))
  }, 60_000)
  const endOf = (one: Case) => ended.get(one) as Ended

  it.each(VALID.map((one) => [one[0], one] as const))('%s is verified', (_, one) => {
    const { status, stdout, stderr } = endOf(one)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`valid: ${one[2]}\n`)
  })

  it.each(UNDECIDED.map((one) => [one[0], one] as const))('%s is verified as far as that goes', (_, one) => {
    const { status, stdout } = endOf(one)
    expect(status).toBe(4)
    expect(stdout).toContain(one[2])
    expect(stdout).toContain('Next: ')
  })

  it.each(INVALID.map((one) => [one[0], one] as const))('%s that does not hold is invalid', (_, one) => {
    const { status, stdout, stderr } = endOf(one)
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toContain(one[2])
  })

  it('svc itself verifies', () => {
    const { status, stdout, stderr } = withoutNetwork(MAIN, 'verify', 'chain.json', '--offline', '--did', did)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`valid: chain of ${did}`)
  })
})

it('would notice a program that uses the network', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = `import { connect } from 'node:net'
connect(${port}, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))`
  writeFileSync(join(home, 'ask.mjs'), ask)
  expect(spawnSync(process.execPath, [join(home, 'ask.mjs')]).status).toBe(0)
  expect(withoutNetwork(join(home, 'ask.mjs')).status).toBe(1)
  server.close()
})
