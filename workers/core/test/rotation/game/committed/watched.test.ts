/** The same theft at the real service, with and without a watch token: the token decides who wins. */
import { afterEach, expect, it, vi } from 'vitest'
import { playRow, type Row, type Thief } from './row.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** In ticks, three a day: a window with two more looks, and longer than standing and a contested request last. */
const [WINDOW, LONG] = [3 + 2, 90 + 21 + 6]

/** A thief with root key and words who revokes the owner's device, waits with a new device, and requests with all three. */
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
