import { decodeBase64url, encodeBase64url } from '@svc/protocol/base/base64url'
import { expect, it } from 'vitest'
import { open, seal } from './sealed.ts'

const DAY = 86_400_000
const AT = 20_000 * DAY + 5
const keyOf = (day: number) =>
  crypto.subtle.importKey('raw', new Uint8Array(32).fill(day % 251), 'AES-GCM', false, ['encrypt', 'decrypt'])
const STATE = JSON.stringify({ challenge: 'A'.repeat(43) })

it('carries its state to the service alone', async () => {
  const id = await seal(keyOf, 'login', STATE, AT)
  expect(id).toMatch(/^[\w-]+$/)
  expect(Buffer.from(id, 'base64url').toString('latin1')).not.toContain('challenge')
  const opened = await open(keyOf, 'login', id)
  expect(opened).toMatchObject({ expiresAt: AT, state: STATE })
  expect(opened?.name).toHaveLength(12)
})

it('is another one each time, with another name', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => seal(keyOf, 'login', STATE, AT)))
  const opened = await Promise.all(ids.map((id) => open(keyOf, 'login', id)))
  expect(new Set(opened.map((one) => encodeBase64url(one?.name ?? new Uint8Array())))).toHaveProperty('size', 20)
})

it('is not opened for another kind, with the key of another day, or when any byte was changed', async () => {
  const id = await seal(keyOf, 'login', STATE, AT)
  expect(await open(keyOf, 'passkey-login', id)).toBeNull()
  expect(await open((day) => keyOf(day + 1), 'login', id)).toBeNull()
  const bytes = decodeBase64url(id)!
  for (let i = 0; i < bytes.length; i++) {
    const changed = bytes.with(i, bytes[i]! ^ 1)
    expect(await open(keyOf, 'login', encodeBase64url(changed)), `byte ${i}`).toBeNull()
  }
  for (const length of [0, 17, 33, bytes.length - 1])
    expect(await open(keyOf, 'login', encodeBase64url(bytes.slice(0, length))), `${length} bytes`).toBeNull()
  expect(await open(keyOf, 'login', 'not base64url!')).toBeNull()
})

it('is as long for every state, and takes none that is longer', async () => {
  const lengths = await Promise.all(
    ['{}', STATE, JSON.stringify('ä'.repeat(255))].map(async (state) => (await seal(keyOf, 'login', state, AT)).length),
  )
  expect(new Set(lengths).size).toBe(1)
  await expect(seal(keyOf, 'login', ' '.repeat(513), AT)).rejects.toThrow(RangeError)
})

it('has the key of the day on which it ends', async () => {
  const asked: number[] = []
  const noting = (day: number) => {
    asked.push(day)
    return keyOf(day)
  }
  await open(noting, 'login', await seal(noting, 'login', STATE, 20_001 * DAY))
  await open(noting, 'login', await seal(noting, 'login', STATE, 20_001 * DAY - 1))
  expect(asked).toEqual([20_001, 20_001, 20_000, 20_000])
})
