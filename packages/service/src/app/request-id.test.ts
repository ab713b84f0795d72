import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { InternalClient } from '../internal/internal.ts'
import { answerCall, doneOrDelayed, raiseAlarm } from './log.ts'
import { currentRequestId, underRequestId } from './request-id.ts'
import { TOY_BASE, toy, toyRoute } from './service.fixture.ts'

afterEach(() => vi.restoreAllMocks())

const ID = '7c2d3f0e-8f5b-4f0c-9a61-2f4f6f0b8a11'
const asking = (id?: string) =>
  new Request(`${TOY_BASE}/x`, id === undefined ? {} : { headers: { 'x-request-id': id } })
const idOf = (response: Response) => response.headers.get('x-request-id')

describe('a request', () => {
  it('takes the id of a sibling, and of nobody else', async () => {
    const route = toyRoute('/x', () => new Response('x'))
    expect(idOf(await toy([route], { isInternal: true }).send(asking(ID)))).toBe(ID)
    expect(idOf(await toy([route]).send(asking(ID)))).not.toBe(ID)
  })

  it.each(['', 'x', `${ID}\t`, ID.toUpperCase(), `${ID}0`, `did:svc:${'A'.repeat(32)}`])(
    'draws an id when a sibling passes %j',
    async (passed) => {
      const route = toyRoute('/x', () => new Response('x'))
      expect(idOf(await toy([route], { isInternal: true }).send(asking(passed)))).toMatch(/^[0-9a-f-]{36}$/)
      expect(idOf(await toy([route], { isInternal: true }).send(asking(passed)))).not.toBe(passed)
    },
  )

  it('passes its id to each sibling that it calls, also beside another request', async () => {
    const passed: (string | null)[] = []
    const callee = toy([toyRoute('/x', () => new Response('{}'))], { isInternal: true })
    const binding = {
      fetch: async (url: string, init: RequestInit) => {
        const answer = await callee.send(new Request(url, init))
        passed.push(idOf(answer))
        return answer
      },
    }
    const client = new InternalClient(binding as unknown as Fetcher, { current: 'secret' })
    const caller = toy([
      toyRoute('/x', async () => {
        await scheduler.wait(1)
        await client.call({ method: 'GET', path: '/x' }, z.object({}))
        return new Response('x')
      }),
    ])
    const answers = await Promise.all([caller.send(asking()), caller.send(asking())])
    expect(passed).toHaveLength(2)
    expect(new Set(passed)).toEqual(new Set(answers.map(idOf)))
    expect(new Set(passed).size).toBe(2)
  })
})

describe('work that is done later', () => {
  it('has the id of its request', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await underRequestId(ID, () =>
      doneOrDelayed({ service: 'core', delayed: 'anchors' }, () => Promise.reject(new Error())),
    )
    expect(JSON.parse(String(warn.mock.lastCall))).toMatchObject({ delayed: 'anchors', requestId: ID })
  })

  it('gets an id of its own in an alarm, the same in the line as in its calls', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    let during: string | undefined
    await doneOrDelayed({ service: 'core', delayed: 'anchors' }, async () => {
      during = currentRequestId()
      throw new Error('x')
    })
    expect(during).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(String(warn.mock.lastCall))).toMatchObject({ requestId: during })
  })

  it('raises alarms with the id of the request', () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    underRequestId(ID, () => raiseAlarm({ service: 'pay', alarm: 'payment_events_waiting', count: 2 }))
    expect(JSON.parse(String(error.mock.lastCall))).toMatchObject({ count: 2, requestId: ID })
  })
})

describe('a call by RPC', () => {
  const call = { service: 'pay', operation: 'standing', requestId: ID }

  it('runs under the id of the caller and logs nothing of a success', async () => {
    const log = vi.spyOn(console, 'log')
    expect(await answerCall(call, async () => currentRequestId())).toBe(ID)
    expect(await answerCall({ ...call, requestId: undefined }, async () => currentRequestId())).toHaveLength(36)
    expect(log).not.toHaveBeenCalled()
  })

  it('logs a failure under the id of the caller, without its message', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await expect(answerCall(call, () => Promise.reject(new TypeError('canary')))).rejects.toThrow('canary')
    const line = String(log.mock.lastCall)
    expect(JSON.parse(line)).toMatchObject({ service: 'pay', operation: 'standing', requestId: ID, status: 500 })
    expect(line).toContain('TypeError')
    expect(line).not.toContain('canary')
  })
})
