import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sharedAddress, sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import type { ShownOperation } from '@svc/service/markdown'
import { commandOf } from '@svc/site/try-it/commands'
import { operatorCommand, withoutTrial } from '@svc/site/try-it/exceptions'
import { REFUSALS } from '@svc/site/try-it/values'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshAddress } from '../running-platform/fresh-address.ts'
import { here } from '../running-platform/here.ts'
import { person } from './made.ts'
import { api } from './requests.ts'

const { urls } = sharedPlatform()
const folder = mkdtempSync(join(tmpdir(), 'svc-commands-'))
const owner = await person()

/** Answers as `scripts/assertion` does, without the second that it takes to start. */
const assertions = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [first = '', method = '', url = '', body] = Buffer.concat(chunks).toString().split('\0').slice(0, -1)
    if (first.startsWith('--')) {
      response.end(first === '--did' ? owner.identity.did : owner.identity.userId)
      return
    }
    const bytes = body === undefined ? undefined : new TextEncoder().encode(body)
    const asked = { audience: first, method, url, body: bytes, now: Date.now() } as const
    void owner.identity
      .assertion(asked as Parameters<typeof owner.identity.assertion>[0])
      .then((value) => response.end(`Authorization: ${value}`))
  })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    assertions.listen(0, '127.0.0.1', resolve)
  })
  const { port } = assertions.address() as AddressInfo
  const { core, consent, did, keys, pay, provenance } = urls
  const places = Object.entries({ core, consent, did, keys, pay, provenance }).flatMap(([name, url]) => [
    `--${name}`,
    url,
  ])
  const admin = [join(ROOT, 'scripts/admin'), '"$@"', ...places, '--state', sharedAddress().stateDir].join(' ')
  const command = join(folder, 'scripts/assertion')
  mkdirSync(join(folder, 'scripts'))
  writeFileSync(command, `#!/bin/sh\nprintf '%s\\0' "$@" | curl -q -sS --data-binary @- http://127.0.0.1:${port}\n`)
  writeFileSync(join(folder, 'scripts/admin'), `#!/bin/sh\nexec ${admin}\n`)
  for (const name of ['assertion', 'admin']) chmodSync(join(folder, 'scripts', name), 0o755)
})

afterAll(() => {
  assertions.close()
  rmSync(folder, { recursive: true })
})

/** What curl printed, and the status that the service answered. */
async function run(command: string): Promise<{ status: number; output: string }> {
  const settings = ['silent', 'show-error', 'max-time = 30', String.raw`write-out = "\n%{http_code}"`]
  writeFileSync(join(folder, '.curlrc'), [...settings, `header = "cf-connecting-ip: ${freshAddress()}"`].join('\n'))
  const env = { ...process.env, CURL_HOME: folder, HOME: folder }
  const { stdout } = await promisify(execFile)('sh', ['-c', here(command)], {
    cwd: folder,
    env,
    maxBuffer: 100_000_000,
  })
  const [, output = '', status = ''] = /^([\s\S]*)\n(\d{3})$/.exec(stdout) ?? []
  return { status: Number(status), output }
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const commands = api.operations.flatMap(({ service, method, template, documented: operation }) => {
  const shown = { method, path: template, operation: operation as ShownOperation['operation'] }
  const command = commandOf(service, shown)
  const isShown = 'text' in command && withoutTrial(service, shown) === undefined
  return isShown ? [[`${service} ${operation.operationId}`, command.text, operation] as const] : []
})

describe.skipIf(!hasCurl())('the command of', () => {
  it.for(commands)('%s gets the answer that the page says', async ([name, command, { responses }]) => {
    const { status, output } = await run(command)
    expect(Object.keys(responses), output.slice(0, 300)).toContain(String(status))
    expect(output.slice(0, 300)).not.toContain('No such route')
    const refusal = REFUSALS[name]
    // Another test may have done what the page says is missing.
    if (status < 400) return
    expect([status, output]).toEqual([refusal?.status, expect.stringContaining(refusal?.error ?? '')])
  })
})

const acts = api.operations.flatMap(({ service, method, template, documented: operation }) => {
  const act = operatorCommand(service, { method, path: template, operation: operation as ShownOperation['operation'] })
  return act === undefined ? [] : [[`${service} ${operation.operationId}`, act] as const]
})

/** What these acts are about is not there, or there already. */
const REFUSED_ACTS: Readonly<Record<string, RegExp>> = {
  'consent takeOperatorAct': /not_found/,
  'keys takeOperatorAct': /"epoch_/,
  'provenance listTextsOfRegistrant': /not_found/,
}

it.for(acts)('the command of the operator for %s is taken', async ([name, command]) => {
  const env = { ...process.env, INIT_CWD: folder }
  const { stdout, stderr, code } = await promisify(execFile)('sh', ['-c', command], { cwd: folder, env }).then(
    (printed) => ({ ...printed, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
  const refusal = REFUSED_ACTS[name]
  if (code !== 0 && refusal) expect(`${stdout}${stderr}`).toMatch(refusal)
  else expect([code, stderr]).toEqual([0, ''])
})

it('no refusal is expected of a command that there is not', () => {
  const names = new Set<string>(commands.map(([name]) => name))
  expect(Object.keys(REFUSALS).filter((name) => !names.has(name))).toEqual([])
})
