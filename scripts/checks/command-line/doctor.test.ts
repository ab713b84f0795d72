/** `svc doctor` where something is wrong. A server on this machine stands before one service of the platform. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fetch } from '@svc/client'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'

const { urls } = sharedPlatform()
type Service = keyof typeof urls

interface Report {
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: string
    readonly state: string
    readonly found: string
    readonly next: string | null
  }[]
}

let machine: PlatformMachine
let server: Server
beforeEach(async () => {
  machine = new PlatformMachine()
  await machine.json(`init --core ${urls.core}`)
  server = createServer()
})
afterEach(async () => {
  machine.remove()
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
})

/** Answers for a service what `change` makes of its own answer. Returns how the service is reached then. */
async function standBefore(service: Service, change: (body: string) => Promise<string>): Promise<Fetch> {
  const answer = async (path: string, response: ServerResponse) => {
    const { status, headers, body } = await answerOf(`${urls[service]}${path}`)
    response.writeHead(status, headers).end(await change(body))
  }
  server.on('request', ({ url = '/' }, response) => void answer(url, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return through(service)
}

async function answerOf(url: string) {
  const response = await fetch(url)
  return { status: response.status, headers: { 'content-type': 'application/json' }, body: await response.text() }
}

/** Sends what is for a service to the server of the test. */
function through(service: Service): Fetch {
  const { port } = server.address() as AddressInfo
  return (url, init) => fetch(url.replace(urls[service], `http://127.0.0.1:${port}`), init)
}

async function report(ends: number, to: Fetch): Promise<Report> {
  return machine.json<Report>('doctor', ends, { fetch: to })
}
const named = ({ checks }: Report, name: string) => checks.find((check) => check.name === name)
/** Everything but some checks. */
const others = ({ checks }: Report, ...names: string[]) =>
  checks.filter(({ name, state }) => !names.includes(name) && name !== 'identity' && state !== 'ok')

describe('svc doctor', () => {
  it('finds a service that is down, and goes on', async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const gone = through('keys')
    await new Promise((resolve) => server.close(resolve))
    const found = await report(6, gone)
    expect(found.ok).toBe(false)
    expect(named(found, 'service keys')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining(
        `No answer from ${urls.keys}/health: fetch failed (connect ECONNREFUSED `,
      ) as string,
      next: expect.stringContaining('whether the deployment runs'),
    })
    expect(others(found, 'service keys')).toEqual([])
  })

  it('warns of a service that answers slowly', async () => {
    const slow = await standBefore('pay', async (body) => {
      await sleep(2_200)
      return body
    })
    const found = await report(0, slow)
    expect(named(found, 'service pay')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/, version \d\S+, answers after [2-9]\.\d s$/),
      next: 'try again later; ask the operator if it lasts',
    })
    expect(others(found, 'service pay')).toEqual([])
  })

  it('finds a core whose clock is wrong', async () => {
    const wrong = await standBefore('core', async (body) =>
      body.replaceAll(/"timestamp":(\d+)/g, (_, at: string) => `"timestamp":${Number(at) - 600_000}`),
    )
    const found = await report(5, wrong)
    expect(named(found, 'clock')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/^-(?:59|60)\d{4} ms at core/),
    })
    expect(others(found, 'clock')).toEqual([])
  })
})
