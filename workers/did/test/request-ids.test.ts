import { env } from 'cloudflare:workers'
import { coreAnswering, Prober } from '@svc/service/testing'
import { expect, it, vi } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, caller } from './harness.ts'

const RESOLUTION = { method: 'GET', path: `/1.0/identifiers/did:svc:${'A'.repeat(32)}` } as const

/** Asks with core behind something that notes the ids under which core answers, and logs. */
async function askedOfCore(headers: Record<string, string> = {}, cut = false) {
  const atCore: (string | null)[] = []
  const CORE = coreAnswering(async (request) => {
    // Without the secret, core answers 403: a refusal that the caller cannot explain to its client.
    if (cut) request.headers.delete('x-svc-internal')
    const answer = await env.CORE.fetch(request)
    atCore.push(answer.headers.get('x-request-id'))
    return answer
  })
  const prober = new Prober({
    service,
    base: BASE,
    send: async (request) => service.app.fetch(request, { ...env, CORE }),
  })
  const answer = await prober.send({ ...RESOLUTION, headers })
  return { atCore, answer, id: answer.headers.get('x-request-id') }
}

it('is one id at the service, in its answer and at core', async () => {
  const { atCore, id } = await askedOfCore()
  expect(atCore).not.toEqual([])
  expect(new Set([...atCore, id]).size).toBe(1)
})

it('is never chosen by a client', async () => {
  const chosen = '00000000-0000-4000-8000-000000000000'
  const { atCore, id } = await askedOfCore({ 'x-request-id': chosen })
  expect([...atCore, id]).not.toContain(chosen)
})

it('joins the line of a failure with the line of core', async () => {
  await caller()
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const { atCore, answer } = await askedOfCore({}, true)
  expect(answer.status).toBeGreaterThanOrEqual(500)
  const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as { requestId: string; status: number })
  log.mockRestore()
  expect(lines).toMatchObject([{ status: answer.status, requestId: atCore[0] }])
})
