/** A watch token decides: the same theft at the real service, by what the owner sees. */
import { afterEach, expect, it, vi } from 'vitest'
import { playRow, type Row, type Thief } from './row.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Three ticks a day: a window and a look, and longer than standing and a contested request last. */
const [WINDOW, LONG] = [3 + 2, 90 + 21 + 6]

/** With root key and words: takes the owner's device away, lets one of their own wait, and asks with all three factors. */
const patientThief: Thief = (allowed) => {
  for (const step of [/^activate/, /^revoke/, /^attest 1$/, /^request, co-signed by 1$/]) {
    const label = allowed.find((one) => step.test(one))
    if (label !== undefined) return label
  }
  return null
}

const row = (view: 'devices' | 'rotations'): Row => ({ thief: 'RS', owner: 'RDS', rest: { view }, within: WINDOW })
const played = (view: 'devices' | 'rotations') =>
  playRow(row(view), patientThief, LONG, (what, actual, expected) => expect(actual, what).toEqual(expected))

it('an owner with a token sees that their device was revoked, and regains the identity', async () => {
  const { root, took } = await played('devices')
  expect([root, took <= WINDOW]).toEqual(['O', true])
})

it('an owner who sees rotations alone loses it to a thief who waits until the device has lost its standing', async () => {
  const { root } = await played('rotations')
  expect(root).toBe('T')
})
