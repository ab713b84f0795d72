import { expect, test } from 'vitest'
import { repeatWhenClosed } from './closed-connections.ts'

const closed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

function failing(times: number, fault: Error) {
  let calls = 0
  return {
    calls: () => calls,
    step: async () => {
      calls++
      if (calls <= times) throw fault
      return 'done'
    },
  }
}

test.each(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])('a connection that closed (%s) is tried again', async (code) => {
  const { step, calls } = failing(3, closed(code))
  expect(await repeatWhenClosed(step)).toBe('done')
  expect(calls()).toBe(4)
})

test('a fault below a named one counts', async () => {
  const { step } = failing(1, new Error('Migration 0001 failed', { cause: closed('EPIPE') }))
  expect(await repeatWhenClosed(step)).toBe('done')
})

test('a connection that closes every time is reported', async () => {
  const fault = closed('EPIPE')
  const { step, calls } = failing(10, fault)
  await expect(repeatWhenClosed(step)).rejects.toBe(fault)
  expect(calls()).toBe(4)
})

test('any other fault is reported at once', async () => {
  const { step, calls } = failing(1, new Error('no such table'))
  await expect(repeatWhenClosed(step)).rejects.toThrow('no such table')
  expect(calls()).toBe(1)
})
