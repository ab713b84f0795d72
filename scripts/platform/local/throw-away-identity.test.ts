import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { capture } from '../command.ts'
import { ROOT } from '../workspace.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'svc-assertion-'))
/** A core that has the identity already. */
const core = createServer((_, response) => response.end('{}'))
let address = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    core.listen(0, '127.0.0.1', resolve)
  })
  address = `http://127.0.0.1:${(core.address() as AddressInfo).port}`
})

afterAll(() => {
  core.close()
  rmSync(stateDir, { recursive: true })
})

const assertion = (...args: string[]) =>
  capture(join(ROOT, 'scripts/assertion'), [...args, '--core', address, '--state', stateDir])
const payloadOf = (output: string) => {
  const [, payload = ''] = /^Authorization: ServiceAssertion ([\w-]+)\.[\w-]+\n$/.exec(output) ?? []
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, string>
}

it('prints the header of one request, by the identity that it keeps', async () => {
  const url = `${address}/quota/consume`
  const { code, output } = await assertion('provenance', 'POST', url, 'abc')
  expect(code, output).toBe(0)
  const payload = payloadOf(output)
  // SHA3-384 of "abc", as FIPS 202 has it.
  const bodyHash = 'ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25'
  expect(payload).toMatchObject({ aud: 'provenance', htm: 'POST', htu: url, bodyHash })
  const userId = await assertion('--user-id')
  expect(userId.output.trim()).toBe(payload['userId'])
})

it('reads a body from a file as curl does', async () => {
  const file = join(stateDir, 'body.json')
  writeFileSync(file, 'abc')
  const [text, read] = [
    await assertion('chain', 'POST', address, 'abc'),
    await assertion('chain', 'POST', address, `@${file}`),
  ]
  expect(payloadOf(read.output)['bodyHash']).toBe(payloadOf(text.output)['bodyHash'])
})

it.each([
  ['chain', 'GET', 'https://core.example/api/chain/head'],
  ['chain', 'GET', 'https://localhost/api/chain/head'],
])('refuses an address that is not on this machine: %s %s %s', async (...args) => {
  const { code, output } = await assertion(...args)
  expect([code, output]).toEqual([1, expect.stringContaining(`${args[2]} is not on this machine`)])
})

it.each([
  [[], 'Name an audience, a method, a URL and at most one body'],
  [['nobody', 'GET', 'http://localhost/'], 'No service has the audience nobody'],
])('refuses %j in one line', async (args, message) => {
  const { code, output } = await assertion(...args)
  expect([code, output]).toEqual([2, `${message}; scripts/assertion --help lists the options.\n`])
})
