/** `verify --offline` in a process that cannot reach anything: a network namespace, or sockets that refuse. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFiles } from './files.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-cli-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const MAIN = join(import.meta.dirname, '../src/main.ts')
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
  return spawnSync(command, rest, { encoding: 'utf8', env, cwd: home })
}

it('verifies without a network, and says so of what needs one', async () => {
  const { did, chain } = await makeFiles()
  writeFileSync(join(home, 'chain.json'), JSON.stringify(chain))
  const { status, stdout, stderr } = withoutNetwork(MAIN, 'verify', 'chain.json', '--offline', '--did', did)
  expect(stderr).toBe('')
  expect(stdout).toContain(`valid: chain of ${did}`)
  expect(status).toBe(0)
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
