import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const ACCOUNT = 'a'.repeat(32)
/** The one request of the command. */
const asked: (string | undefined)[][] = []
const server = createServer((request, response) => {
  asked.push([request.method, request.url, request.headers.authorization])
  response.end(JSON.stringify({ data: [] }))
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => {
  asked.length = 0
})
afterAll(() => {
  server.close()
})

function slo(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { CLOUDFLARE_API_TOKEN: _, CLOUDFLARE_ACCOUNT_ID: __, ...inherited } = process.env
  const command = spawn(
    process.execPath,
    [join(ROOT, 'scripts/operations/commands/slo.ts'), '--deployment', 'staging', '--hours', '72'],
    { cwd: ROOT, env: { ...inherited, CLOUDFLARE_API_BASE_URL: baseUrl, ...env } },
  )
  let output = ''
  for (const stream of [command.stdout, command.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  return new Promise((resolve) => {
    command.on('close', (code) => resolve({ code, output }))
  })
}

it('asks the account of the environment, and fails if an alert rings', async () => {
  const { code, output } = await slo({ CLOUDFLARE_API_TOKEN: 'reads', CLOUDFLARE_ACCOUNT_ID: ACCOUNT })
  expect(asked).toEqual([['POST', `/accounts/${ACCOUNT}/analytics_engine/sql`, 'Bearer reads']])
  // A deployment without a row ran no trigger.
  expect(output).toContain('RINGS  run-missing')
  expect(code).toBe(1)
}, 60_000)

it.each([
  ['a token', { CLOUDFLARE_ACCOUNT_ID: ACCOUNT }, 'No credential: set CLOUDFLARE_API_TOKEN'],
  ['an account', { CLOUDFLARE_API_TOKEN: 'reads' }, 'No account: set accountId in deployments/staging.json'],
])(
  'fails without %s',
  async (_, env, fault) => {
    const { code, output } = await slo(env)
    expect(output).toContain(fault)
    expect([code, asked]).toEqual([1, []])
  },
  60_000,
)
