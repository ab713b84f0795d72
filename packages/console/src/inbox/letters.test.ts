import type { Client, InboxMessage } from '@svc/client'
import { expect, it } from 'vitest'
import { type Letters, mailTo, openLetters, withLetter } from './letters.ts'

const message = (msgId: string, readAt: number | null = null) => ({ msgId, readAt }) as InboxMessage

it('a message changes in its place, and a deleted one is not counted', () => {
  const now: Letters = { letters: [{ message: message('b') }, { message: message('a') }], next: 'cursor', total: 7 }
  const read = withLetter(now, 'b', { message: message('b', 1) })
  expect(read.letters.map((one) => [one.message.msgId, one.message.readAt])).toEqual([
    ['b', 1],
    ['a', null],
  ])
  const deleted = withLetter(read, 'b', null)
  expect([deleted.letters.length, deleted.total, deleted.next]).toEqual([1, 6, 'cursor'])
})

it('what somebody typed as their address or subject stays one address and one subject', () => {
  expect(mailTo({ email: 'ada@example.org', subject: 'A & B?' })).toBe(
    'mailto:ada@example.org?subject=Re%3A%20A%20%26%20B%3F',
  )
  expect(mailTo({ email: 'ada@example.org?bcc=eve@example.org', subject: 'x\r\nBcc: y' }, 'z')).toBe(
    'mailto:ada@example.org%3Fbcc%3Deve@example.org?subject=Re%3A%20x%0D%0ABcc%3A%20y&body=z',
  )
})

it('a message that does not open hides no other', async () => {
  const safeOpen = async ({ msgId }: InboxMessage) =>
    msgId === 'a' ? { ok: true, value: { subject: 'Hello' } } : { ok: false, error: { reason: 'modified' } }
  const now: Letters = { letters: [{ message: message('b') }, { message: message('a') }], next: null, total: 2 }
  const { letters } = await openLetters({ inbox: { safeOpen } } as unknown as Client, now)
  expect(letters.map(({ content }) => content)).toEqual([null, { subject: 'Hello' }])
})
